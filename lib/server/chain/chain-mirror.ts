import "server-only";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Environment } from "@turnpike/payments/protocol";
import { createBundler } from "@/lib/adapters/chain/bundler/bundler.ts";
import {
  createDescribeBurns,
  createLedgerBundlerStore,
} from "@/lib/adapters/chain/bundler/describe-burns.ts";
import { createGasBudget } from "@/lib/adapters/chain/bundler/gas-budget.ts";
import { createMirrorWaiter } from "@/lib/adapters/chain/bundler/mirror-waiter.ts";
import type { CryptoRailOptions } from "@/lib/adapters/chain/crypto-rail.ts";
import type { GrantBook } from "@/lib/adapters/chain/grants/grant-book.ts";
import type { Operator } from "@/lib/adapters/chain/operator.ts";
import { createMirrorLedger } from "@/lib/adapters/db/chain/mirror-ledger.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createDelegations } from "@/lib/adapters/db/delegations.ts";
import type { MirrorLedger, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import type { Log } from "@/lib/domain/ports.ts";
import { plural } from "@/lib/text/plural.ts";
import { describeCause } from "../watch/error-text.ts";

/** A journaled hash takes milliseconds; a slow chain takes longer, and settle answers without it. */
const SUBMITTED_WAIT_MS = 250;
const INCLUDED_WAIT_MS = 15_000;
/** So long no settle waits after one that waited in vain: another replica may be sending again. */
const DOWN_MS = 5_000;
const LEASE_MS = 15_000;
const MAX_SETTLEMENTS = 1_000;
/** Gas that the burns of one account may use a minute in live; burns over the limit wait and are grouped. */
const LIVE_GAS_BUDGET = { gasPerWindow: 12_000_000n, windowMs: 60_000 };

export type ChainMirrorOptions = {
  environment: Environment;
  database: Database;
  operator: Operator;
  grants: GrantBook;
  log: Log;
};

/** Burns settled credits on chain, and tells how far a burn has come. */
export function createChainMirror(options: ChainMirrorOptions) {
  const { environment, database, grants, log } = options;
  const { client, deployment, sender } = options.operator;
  const findDelegation = createDelegations(database.orm).find;
  const ledger = createMirrorLedger(database);
  const waiter = createMirrorWaiter(ledger.findStates);
  const announce = (updates: SettlementUpdate[]) => {
    waiter.announce(updates);
    for (const { settlementId, status, reason } of updates) {
      if (status === "failed") log.error({ settlementId, reason }, "settlement not mirrored");
    }
  };
  const onOddFacts = (settlementId: string, cause: unknown) =>
    log.warn({ settlementId, cause: describeCause(cause) }, "burn set aside");
  let isInTrouble = false;
  let downUntil = 0;
  const bundler = createBundler({
    client,
    deployment,
    sender,
    store: createLedgerBundlerStore(
      ledger,
      createDescribeBurns({ grants, findDelegation, onOddFacts }),
      announce,
    ),
    loadSessionKey: grants.sessionKey,
    lane: `eip155:${deployment.chainId}`,
    // An embedded database has one process at a time, which takes over at once from the one before it.
    owner: database.kind === "pglite" ? "embedded" : `${hostname()}:${process.pid}:${randomUUID()}`,
    leaseMs: LEASE_MS,
    maxSettlements: MAX_SETTLEMENTS,
    sinceBlock: BigInt(deployment.block ?? 0),
    ...(environment === "live" && { gasBudget: createGasBudget(LIVE_GAS_BUDGET) }),
    onUpdate: (updates) => {
      isInTrouble = false;
      downUntil = 0;
      announce(updates);
    },
    onTrouble: (cause) => {
      if (!isInTrouble)
        log.warn({ cause: describeCause(cause) }, "settlements are not mirrored on chain");
      isInTrouble = true;
      downUntil = performance.now() + DOWN_MS;
    },
  });
  const mirrored: CryptoRailOptions["mirror"] = async (settlementId, until) => {
    bundler.wake();
    if (until === "submitted" && performance.now() < downUntil) return null;
    const waitMs = until === "submitted" ? SUBMITTED_WAIT_MS : INCLUDED_WAIT_MS;
    const state = await waiter.waitFor(settlementId, until, waitMs);
    // A hung chain throws nothing for a long time: the first settle that times out detects it.
    if (state === null && until === "submitted") downUntil = performance.now() + DOWN_MS;
    return state;
  };
  return { bundler, ...watchUnreadable(ledger, log), mirrored };
}

function watchUnreadable(ledger: Pick<MirrorLedger, "listUnreadable">, log: Log) {
  let unreadable: string[] = [];
  return {
    /** Reads which keys can't be read; logs each new one. */
    async readUnreadable() {
      const before = new Set(unreadable);
      unreadable = await ledger.listUnreadable();
      for (const reason of unreadable) {
        if (!before.has(reason)) log.error({ reason }, "burns wait for a key");
      }
    },
    /**
     * That burns wait for keys that can't be read, as last counted; null when none do. Health is public: the log names the
     * keys.
     */
    findUnreadable: () =>
      unreadable.length > 0
        ? `burns wait for ${plural(unreadable.length, "key")} that can't be read`
        : null,
  };
}

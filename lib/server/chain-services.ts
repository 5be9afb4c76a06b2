import "server-only";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { CHAIN_NETWORKS, type Environment } from "@turnpike/payments/protocol";
import { type Address, getAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Bundler, createBundler } from "@/lib/adapters/chain/bundler/bundler.ts";
import {
  createDescribeBurns,
  createLedgerBundlerStore,
} from "@/lib/adapters/chain/bundler/describe-burns.ts";
import { createGasBudget } from "@/lib/adapters/chain/bundler/gas-budget.ts";
import { createMirrorWaiter } from "@/lib/adapters/chain/bundler/mirror-waiter.ts";
import { createTransactionSender } from "@/lib/adapters/chain/bundler/transaction-sender.ts";
import { createChainClient } from "@/lib/adapters/chain/chain-client.ts";
import { createCryptoRail } from "@/lib/adapters/chain/crypto-rail.ts";
import { createFaucet } from "@/lib/adapters/chain/faucet.ts";
import { createGrantBook, type GrantBook } from "@/lib/adapters/chain/grants/grant-book.ts";
import { createOwnerGrants } from "@/lib/adapters/chain/grants/owner-grants.ts";
import { revokeOnChain } from "@/lib/adapters/chain/grants/revocations.ts";
import { type Operator, setOrdersPaused } from "@/lib/adapters/chain/operator.ts";
import { createPlanRegistry } from "@/lib/adapters/chain/plan-registry.ts";
import type { CodeMemory } from "@/lib/adapters/chain/prepare-accounts.ts";
import { createReconciler, type Reconciler } from "@/lib/adapters/chain/reconciler.ts";
import { createSealing } from "@/lib/adapters/crypto/sealing.ts";
import { createKeyPair } from "@/lib/adapters/crypto/signatures.ts";
import { createAccounts } from "@/lib/adapters/db/accounts.ts";
import { createChainGrants } from "@/lib/adapters/db/chain/chain-grants.ts";
import { createChainOrders, createFindPlanVersion } from "@/lib/adapters/db/chain/chain-orders.ts";
import { createRevocationQueue } from "@/lib/adapters/db/chain/chain-revocations.ts";
import { createMirrorLedger } from "@/lib/adapters/db/chain/mirror-ledger.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createClock } from "@/lib/adapters/db/clock.ts";
import { createCreditsLedger } from "@/lib/adapters/db/credits-ledger.ts";
import { createDelegations } from "@/lib/adapters/db/delegations.ts";
import type { OwnerGrants } from "@/lib/domain/delegations/grant-ports.ts";
import type { Log, SettlementRail } from "@/lib/domain/ports.ts";
import type { Faucet } from "@/lib/domain/sandbox-ports.ts";
import { type Background, repeat } from "./background.ts";
import type { OpenChain } from "./open-chain.ts";

export type ChainServicesOptions = {
  environment: Environment;
  database: Database;
  chain: OpenChain;
  secretKey: Uint8Array;
  log: Log;
  /** In the sandbox: whether the failure lab has the chain cut off. */
  isCut?: () => boolean;
};

/** What the service does on chain: the rail that takes orders, and the mirror of what is settled. */
export type ChainServices = {
  operator: Operator;
  grants: GrantBook;
  rail: SettlementRail;
  ownerGrants: OwnerGrants;
  bundler: Bundler;
  reconciler: Reconciler;
  /** How ledger and chain compare, for health. */
  facts: () => Record<string, string | number>;
  /** Sees to it that an account holds test dollars. Sandbox only. */
  fundAccount: (account: string) => Promise<void>;
  faucet: Faucet;
  /** Stops orders on chain, or lets them go on. */
  pauseOrders: (isPaused: boolean) => Promise<void>;
  /** Starts mirroring; what is left over from the last start goes first. */
  start: () => void;
  stop: () => Promise<void>;
};

/** The journaled hash is there in a few milliseconds, or the chain is slow and settle answers without it. */
const SUBMITTED_WAIT_MS = 250;
const INCLUDED_WAIT_MS = 15_000;
const FINALITY_EVERY_MS = 5_000;
const REVOKE_EVERY_MS = 2_000;
const RECONCILE_EVERY_MS = 60_000;
const LEASE_MS = 15_000;
const MAX_SETTLEMENTS = 1_000;
/** In live one account's burns may cost this much gas a minute; what is over waits and is grouped. */
const LIVE_GAS_BUDGET = { gasPerWindow: 12_000_000n, windowMs: 60_000 };

/** Wires the chain adapter to the ledger's tables. */
export function createChainServices(options: ChainServicesOptions): ChainServices {
  const { environment, database, chain, log } = options;
  const { deployment, rpcUrl } = chain;
  const { orm } = database;
  const sealing = createSealing(options.secretKey);
  const { isCut } = options;
  const client = createChainClient({ rpcUrl, chainId: deployment.chainId, isCut });
  const sender = createTransactionSender({
    client,
    settler: privateKeyToAccount(chain.settlerPrivateKey),
    ...(chain.journal && { journal: chain.journal }),
  });
  const operator: Operator = { client, deployment, sender };
  const sinceBlock = BigInt(deployment.block ?? 0);
  const known: CodeMemory = new Set();
  const clock = createClock(database);
  const findVersion = createFindPlanVersion(orm);
  const grantStore = createChainGrants(orm);
  const accounts = createAccounts(orm);
  const stableTokens = new Map(deployment.usdc ? [[deployment.usdc.toLowerCase(), "USD"]] : []);
  const grants = createGrantBook({
    deployment,
    store: grantStore,
    accounts,
    stableTokens,
    createKey(purpose) {
      const { privateKey, address } = createKeyPair();
      return { address, sealedKey: sealing.seal(privateKey, purpose) };
    },
    open: sealing.open,
    now: clock.now,
  });

  const ownerGrants = createOwnerGrants({
    deployment,
    store: grantStore,
    accounts,
    stableTokens,
    now: clock.now,
  });
  const describe = createDescribeBurns({ grants, findDelegation: createDelegations(orm).find });
  const ledger = createMirrorLedger(database);
  const store = createLedgerBundlerStore(ledger, describe);
  const waiter = createMirrorWaiter(ledger.findStates);
  // While the chain does not answer, settlements continue in the ledger without waiting for it.
  let isTroubled = false;
  const bundler = createBundler({
    client,
    deployment,
    sender,
    store,
    loadSessionKey: grants.sessionKey,
    lane: `eip155:${deployment.chainId}`,
    // An embedded database has one process at a time, which takes over at once from the one before it.
    owner: database.kind === "pglite" ? "embedded" : `${hostname()}:${process.pid}:${randomUUID()}`,
    leaseMs: LEASE_MS,
    maxSettlements: MAX_SETTLEMENTS,
    sinceBlock,
    ...(environment === "live" && { gasBudget: createGasBudget(LIVE_GAS_BUDGET) }),
    onUpdate: (updates) => {
      isTroubled = false;
      waiter.announce(updates);
      for (const { settlementId, status, reason } of updates) {
        if (status === "failed") log.error({ settlementId, reason }, "settlement not mirrored");
      }
    },
    onTrouble: (cause) => {
      if (!isTroubled) log.warn({ cause: String(cause) }, "the chain does not take settlements");
      isTroubled = true;
    },
  });

  const rail = createCryptoRail({
    client,
    deployment,
    sender,
    network: CHAIN_NETWORKS[environment],
    grants,
    plans: createPlanRegistry(operator, findVersion),
    findVersion,
    orders: createChainOrders(orm),
    known,
    async mirrored(settlementId, until) {
      bundler.wake();
      if (isTroubled && until === "submitted") return null;
      const waitMs = until === "submitted" ? SUBMITTED_WAIT_MS : INCLUDED_WAIT_MS;
      const state = await waiter.waitFor(settlementId, until, waitMs);
      // A chain that hangs throws nothing for a long time: the first settle that waits in vain says it.
      if (state === null && until === "submitted") isTroubled = true;
      return state;
    },
  });

  const reconciler = createReconciler({
    operator,
    ledger: createCreditsLedger(database),
    sinceBlock,
  });
  const queue = createRevocationQueue(database);
  const revoke = () => revokeOnChain({ operator, grants, store: grantStore, queue, known });

  const background: Background[] = [];
  return {
    operator,
    grants,
    rail,
    ownerGrants,
    bundler,
    reconciler,
    facts: () => factsOf(reconciler),
    fundAccount: (account) => fundAccount(operator, getAddress(account)),
    faucet: createFaucet(operator),
    pauseOrders: async (isPaused) => {
      const outcome = await setOrdersPaused(operator, isPaused);
      if (outcome.status === "refused")
        throw new Error(`Orders stay as they are: ${outcome.detail}`);
    },
    start() {
      bundler.start();
      background.push(
        repeat("finality", FINALITY_EVERY_MS, log, () => bundler.checkFinality().then(none)),
        repeat("chain revocations", REVOKE_EVERY_MS, log, revoke),
        repeat("reconcile", RECONCILE_EVERY_MS, log, () => reconcile(reconciler, log).then(none)),
      );
    },
    async stop() {
      await Promise.all(background.map((work) => work.stop()));
      await bundler.stop();
    },
  };
}

/** Nothing more to do before the next round. */
const none = () => 0;

async function reconcile(reconciler: Reconciler, log: Log): Promise<void> {
  const { difference, differences } = await reconciler.run();
  for (const { account, planId, expected, actual, reasons } of differences) {
    const kinds = reasons.map(({ reason, amount }) => `${reason} ${amount}`).join(", ");
    log.error(
      { account, planId: `${planId}`, expected: `${expected}`, actual: `${actual}`, kinds },
      "ledger and chain differ",
    );
  }
  if (difference > 0n) log.error({ difference: `${difference}` }, "reconciliation failed");
}

function factsOf(reconciler: Reconciler): Record<string, string | number> {
  const last = reconciler.last();
  if (!last) return {};
  return {
    reconciledSecsAgo: Math.round((Date.now() - last.at.getTime()) / 1000),
    difference: last.difference.toString(),
    creditsInFlight: last.inFlight.toString(),
  };
}

async function fundAccount(operator: Operator, account: Address): Promise<void> {
  if (operator.deployment.usdc)
    await createFaucet(operator).fund(account, { usdc: true, native: false });
}

import "server-only";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { CHAIN_NETWORKS, type Environment } from "@turnpike/payments/protocol";
import { type Address, getAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { tokenAbi } from "@/lib/adapters/chain/abis.ts";
import { type Bundler, createBundler } from "@/lib/adapters/chain/bundler.ts";
import { type ChainClient, createChainClient } from "@/lib/adapters/chain/chain-client.ts";
import { createCryptoRail } from "@/lib/adapters/chain/crypto-rail.ts";
import { createDescribeBurns } from "@/lib/adapters/chain/describe-burns.ts";
import { createGasBudget } from "@/lib/adapters/chain/gas-budget.ts";
import { createGrantBook } from "@/lib/adapters/chain/grant-book.ts";
import { createMirrorWaiter } from "@/lib/adapters/chain/mirror-waiter.ts";
import { giveTestDollars, type Operator } from "@/lib/adapters/chain/operator.ts";
import { createPlanRegistry } from "@/lib/adapters/chain/plan-registry.ts";
import type { CodeMemory } from "@/lib/adapters/chain/prepare-accounts.ts";
import { createTransactionSender } from "@/lib/adapters/chain/transaction-sender.ts";
import { createSealing } from "@/lib/adapters/crypto/sealing.ts";
import { createKeyPair } from "@/lib/adapters/crypto/signatures.ts";
import { createAccounts } from "@/lib/adapters/db/accounts.ts";
import { createBundlerStore } from "@/lib/adapters/db/bundler-store.ts";
import { createChainGrants } from "@/lib/adapters/db/chain-grants.ts";
import { createChainOrders, createFindPlanVersion } from "@/lib/adapters/db/chain-orders.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createClock } from "@/lib/adapters/db/clock.ts";
import { createDelegations } from "@/lib/adapters/db/delegations.ts";
import type { Log, SettlementRail } from "@/lib/domain/ports.ts";
import { type Background, repeat } from "./background.ts";
import type { OpenChain } from "./open-chain.ts";

export type ChainServicesOptions = {
  environment: Environment;
  database: Database;
  chain: OpenChain;
  secretKey: Uint8Array;
  log: Log;
};

/** What the service does on chain: the rail that takes orders, and the mirror of what is settled. */
export type ChainServices = {
  client: ChainClient;
  rail: SettlementRail;
  bundler: Bundler;
  /** Sees to it that an account holds test dollars. Sandbox only. */
  fundAccount: (account: string) => Promise<void>;
  /** Starts mirroring; what is left over from the last start goes first. */
  start: () => void;
  stop: () => Promise<void>;
};

/** The journaled hash is there in a few milliseconds, or the chain is slow and settle answers without it. */
const SUBMITTED_WAIT_MS = 250;
const INCLUDED_WAIT_MS = 15_000;
const FINALITY_EVERY_MS = 5_000;
const LEASE_MS = 15_000;
const MAX_SETTLEMENTS = 1_000;
/** In live one account's burns may cost this much gas a minute; what is over waits and is grouped. */
const LIVE_GAS_BUDGET = { gasPerWindow: 12_000_000n, windowMs: 60_000 };
/** 1,000.00 test dollars, given again when an account has less than a tenth of it. */
const TEST_DOLLARS = 1_000_000_000n;

/** Wires the chain adapter to the ledger's tables. */
export function createChainServices(options: ChainServicesOptions): ChainServices {
  const { environment, database, chain, log } = options;
  const { deployment, rpcUrl } = chain;
  const { orm } = database;
  const sealing = createSealing(options.secretKey);
  const client = createChainClient({ rpcUrl, chainId: deployment.chainId });
  const sender = createTransactionSender({
    client,
    settler: privateKeyToAccount(chain.settlerPrivateKey),
    ...(chain.journal && { journal: chain.journal }),
  });
  const operator: Operator = { client, deployment, sender };
  const known: CodeMemory = new Set();
  const clock = createClock(database);
  const findVersion = createFindPlanVersion(orm);
  const grants = createGrantBook({
    deployment,
    store: createChainGrants(orm),
    accounts: createAccounts(orm),
    stableTokens: new Map(deployment.usdc ? [[deployment.usdc.toLowerCase(), "USD"]] : []),
    createKey(purpose) {
      const { privateKey, address } = createKeyPair();
      return { address, sealedKey: sealing.seal(privateKey, purpose) };
    },
    open: sealing.open,
    now: clock.now,
  });

  const describe = createDescribeBurns({ grants, findDelegation: createDelegations(orm).find });
  const store = createBundlerStore(database, describe);
  const waiter = createMirrorWaiter(store.findStates);
  // While the chain is silent nobody waits for it: settles go on in the ledger at their own speed.
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
      return waiter.waitFor(settlementId, until, waitMs);
    },
  });

  const background: Background[] = [];
  return {
    client,
    rail,
    bundler,
    fundAccount: (account) => fundAccount(operator, getAddress(account)),
    start() {
      bundler.start();
      background.push(
        repeat("finality", FINALITY_EVERY_MS, log, async () => {
          await bundler.checkFinality();
          return 0;
        }),
      );
    },
    async stop() {
      await Promise.all(background.map((work) => work.stop()));
      await bundler.stop();
    },
  };
}

async function fundAccount(operator: Operator, account: Address): Promise<void> {
  const { usdc } = operator.deployment;
  if (!usdc) return;
  const balance = await operator.client.readContract({
    address: usdc,
    abi: tokenAbi,
    functionName: "balanceOf",
    args: [account],
  });
  if (balance >= TEST_DOLLARS / 10n) return;
  const gift = await giveTestDollars(operator, { account, amount: TEST_DOLLARS });
  if (gift.status === "refused") throw new Error(`The test dollars were refused: ${gift.detail}`);
}

import type { Address } from "viem";
import type { SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import type { ChainClient } from "../chain-client.ts";
import type { Deployment } from "../deployment.ts";
import type { SessionKey } from "../grants/session-key.ts";
import type { BundlerStore } from "./bundler-store.ts";
import type { GasBudget } from "./gas-budget.ts";
import { createLoop } from "./loop.ts";
import { createBundleRecovery } from "./recover-bundles.ts";
import { type RoundContext, type RoundReport, runRound } from "./run-round.ts";
import type { TransactionSender } from "./transaction-sender.ts";

export type BundlerOptions = {
  client: ChainClient;
  deployment: Deployment;
  sender: TransactionSender;
  store: BundlerStore;
  loadSessionKey: (address: Address) => Promise<SessionKey>;
  /** One lane per settler key. */
  lane: string;
  /** Identifies this replica among those that share the store. */
  owner: string;
  /** Called with every change, after the store has it. */
  onUpdate?: (updates: SettlementUpdate[]) => void;
  /** Called with failures the bundler recovers from: an unresponsive chain, a lost lease. */
  onTrouble?: (error: unknown) => void;
  gasBudget?: GasBudget;
  /** False sends one operation per settlement. */
  isGrouped?: boolean;
  maxSettlements?: number;
  maxOperations?: number;
  leaseMs?: number;
  safeDepth?: bigint;
  /** Block of the deployment, where the search for operations of an unknown transaction starts. */
  sinceBlock?: bigint;
  now?: () => number;
};

export type Bundler = {
  /** Signals that there may be work. Returns immediately. */
  wake: () => void;
  start: () => void;
  /** Finishes the current round, unless the chain does not answer, and releases the lease. */
  stop: () => Promise<void>;
  /** Runs one round, for tests and tools. `undefined` when there was no work or another replica holds the lane. */
  runRound: () => Promise<RoundReport | undefined>;
  /** Rechecks included bundles until they are `safeDepth` blocks deep. */
  checkFinality: () => Promise<void>;
};

/**
 * Mirrors settlements on chain, in rounds and without a timer: each round takes what queued during the previous one.
 * One replica sends per lane at a time; a restart continues from the store.
 */
export function createBundler(options: BundlerOptions): Bundler {
  const { client, deployment, sender, store, loadSessionKey, lane, owner } = options;
  const { onUpdate = () => {}, onTrouble = () => {}, isGrouped = true, now = Date.now } = options;
  const {
    maxSettlements = 5_000,
    maxOperations = 70,
    leaseMs = 15_000,
    safeDepth = 12n,
    sinceBlock = 0n,
  } = options;

  function announce(updates: SettlementUpdate[]): void {
    if (updates.length > 0) onUpdate(updates);
  }

  const recovery = createBundleRecovery({
    client,
    deployment,
    settler: sender.address,
    store,
    lane,
    safeDepth,
    sinceBlock,
    now,
    announce,
    onTrouble,
  });

  const context: RoundContext = {
    client,
    deployment,
    sender,
    store,
    loadSessionKey,
    lease: { lane, owner, ttlMs: leaseMs },
    recovery,
    announce,
    onTrouble,
    now,
    gasBudget: options.gasBudget,
    isGrouped,
    maxSettlements,
    maxOperations,
    sinceBlock,
    known: new Set(),
  };
  const loop = createLoop(
    async (signal) => (await runRound(context, signal)) !== undefined,
    onTrouble,
  );

  return {
    runRound: () => runRound(context, loop.signal()),
    checkFinality: recovery.checkFinality,
    wake: loop.wake,
    start: loop.start,
    stop: async () => {
      await loop.stop();
      await store.releaseLease({ lane, owner });
    },
  };
}

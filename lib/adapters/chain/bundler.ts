import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "viem";
import { assembleBundle, type SignedBurn } from "./assemble-bundle.ts";
import type { Bundle, BundledBurn, BundlerStore, SettlementUpdate } from "./bundler-store.ts";
import { type BurnGroup, groupBurns } from "./burn-groups.ts";
import type { ChainClient } from "./chain-client.ts";
import type { Deployment } from "./deployment.ts";
import type { GasBudget } from "./gas-budget.ts";
import { encodeHandleOps } from "./handle-ops.ts";
import { pollUntil } from "./poll.ts";
import { type CodeMemory, prepareAccounts } from "./prepare-accounts.ts";
import { findBundleReceipt, readSettlementUpdates } from "./resolve-bundle.ts";
import type { RevertReason } from "./revert-reason.ts";
import type { SessionKey } from "./session-key.ts";
import {
  TransactionRefused,
  type TransactionSender,
  TransactionUnknown,
} from "./transaction-sender.ts";

export type BundlerOptions = {
  client: ChainClient;
  deployment: Deployment;
  sender: TransactionSender;
  store: BundlerStore;
  loadSessionKey: (address: Address) => Promise<SessionKey>;
  /** One lane per settler key. */
  lane: string;
  /** Names this replica among those that share the store. */
  owner: string;
  /** Hears of every change, after the store has it. */
  onUpdate?: (updates: SettlementUpdate[]) => void;
  /** Hears of failures that the bundler gets over by itself: a silent chain, a lost lease. */
  onTrouble?: (error: unknown) => void;
  gasBudget?: GasBudget;
  /** False sends one operation per settlement. */
  isGrouped?: boolean;
  maxSettlements?: number;
  maxOperations?: number;
  leaseMs?: number;
  safeDepth?: bigint;
  now?: () => number;
};

export type RoundReport = {
  settlements: number;
  operations: number;
  included: number;
  rejected: number;
  gasUsed: bigint;
};

export type Bundler = {
  /** Says that there may be something to do. Returns at once. */
  wake: () => void;
  start: () => void;
  /** Finishes the round under way and gives the lease back. */
  stop: () => Promise<void>;
  /** One round, for tests and tools. `undefined` when there was nothing to do or another replica has the lane. */
  runRound: () => Promise<RoundReport | undefined>;
  /** Looks again at what was included, until it is `safeDepth` blocks deep. */
  checkFinality: () => Promise<void>;
  /** Waits until a settlement has got as far as `status`; `undefined` when time is up. */
  waitFor: (
    settlementId: string,
    status: "submitted" | "included",
    timeoutMs: number,
  ) => Promise<SettlementUpdate | undefined>;
};

/** Errors of operations that can turn out well later: the mint they need may still be on its way. */
const RETRYABLE = new Set(["InsufficientCredits", "PlanUnknown", "NoOutcome", "NoReason"]);
const MAX_ATTEMPTS = 8;
const RETRY_BASE_MS = 500;
const IDLE_MS = 1_000;
const MAX_BACKOFF_MS = 5_000;
const ESTIMATED_BURN_GAS = 180_000n;

/**
 * Mirrors settlements on chain. It works in rounds and has no timer: each round takes what has queued while the last
 * one was being included, groups it, signs late, tries it, leaves out what would fail, writes the bundle down, sends
 * it and waits for its receipt. One replica sends per lane at a time; a restart goes on where the store says.
 */
export function createBundler(options: BundlerOptions): Bundler {
  const { client, deployment, sender, store, loadSessionKey, lane, owner } = options;
  const {
    onUpdate = () => {},
    onTrouble = () => {},
    gasBudget,
    isGrouped = true,
    now = Date.now,
  } = options;
  const { maxSettlements = 5_000, maxOperations = 70, leaseMs = 15_000, safeDepth = 12n } = options;
  const known: CodeMemory = new Set();
  const listeners = new Set<(updates: SettlementUpdate[]) => void>();
  let isRunning = false;
  let isAwake = false;
  let rouse: () => void = () => {};
  let loop: Promise<void> = Promise.resolve();

  function announce(updates: SettlementUpdate[]): void {
    if (updates.length === 0) return;
    onUpdate(updates);
    for (const listener of listeners) listener(updates);
  }

  async function runRound(): Promise<RoundReport | undefined> {
    if (!(await store.takeLease({ lane, owner, ttlMs: leaseMs }))) return undefined;
    if (!(await resolveOpenBundles())) return undefined;
    const pending = await store.listPending({ lane, now: now(), limit: maxSettlements });
    if (pending.length === 0) return undefined;
    const groups = await withinBudget(groupBurns(pending, isGrouped).slice(0, maxOperations));
    if (groups.length === 0) return undefined;
    await prepareAccounts({
      client,
      deployment,
      sender,
      accounts: groups.map(({ account }) => account),
      known,
    });
    const assembled = await assembleBundle({
      client,
      deployment,
      sender: sender.address,
      groups,
      loadSessionKey,
      known,
    });
    const rejected = assembled.rejected.flatMap(({ group, reason }) => rejectGroup(group, reason));
    if (rejected.length > 0) {
      await store.updateSettlements(rejected);
      announce(rejected);
    }
    const report = {
      settlements: 0,
      operations: assembled.burns.length,
      included: 0,
      rejected: rejected.length,
      gasUsed: 0n,
    };
    if (assembled.burns.length === 0) return report;

    const bundle: Bundle = {
      id: randomUUID(),
      lane,
      burns: assembled.burns.map(toBundledBurn),
      transactions: [],
    };
    const settlements = bundle.burns.flatMap((burn) => burn.settlements).length;
    try {
      const receipt = await sender.send({
        to: deployment.entryPoint,
        data: encodeHandleOps(
          assembled.burns.map(({ operation }) => operation),
          sender.address,
        ),
        gas: assembled.gas,
        authorizations: assembled.authorizations,
        beforeSend: async (signed) => {
          if (!(await store.takeLease({ lane, owner, ttlMs: leaseMs }))) throw new LeaseLost(lane);
          bundle.transactions.push(signed);
          await store.saveBundle({ bundle, owner });
          announce(submittedUpdates(bundle));
        },
      });
      const updates = await close(bundle, receipt);
      const included = updates.filter(({ status }) => status === "included").length;
      return { ...report, settlements, included, gasUsed: receipt.gasUsed };
    } catch (error) {
      if (error instanceof TransactionUnknown) onTrouble(error);
      else if (error instanceof TransactionRefused && bundle.transactions.length > 0) {
        await putBack(bundle, "TransactionRefused");
        throw error;
      } else throw error;
      return { ...report, settlements };
    }
  }

  /** Finds out what became of bundles that were sent before. False while one of them is still undecided. */
  async function resolveOpenBundles(): Promise<boolean> {
    for (const bundle of await store.listOpenBundles({ lane })) {
      const receipt = await findBundleReceipt(client, bundle);
      if (receipt) {
        await close(bundle, receipt);
        continue;
      }
      if (!(await sendAgain(bundle))) return false;
    }
    return true;
  }

  /** Sends a lost bundle's own transaction again: with its nonce it can be included once at most. */
  async function sendAgain(bundle: Bundle): Promise<boolean> {
    const last = bundle.transactions.at(-1);
    if (!last) {
      await putBack(bundle, "NeverSent");
      return true;
    }
    const nonce = await client.getTransactionCount({ address: sender.address, blockTag: "latest" });
    if (nonce > last.nonce) {
      const receipt = await findBundleReceipt(client, bundle);
      if (receipt) await close(bundle, receipt);
      // Another transaction took the nonce, so this one can never be included.
      else await putBack(bundle, "NonceTaken");
      return true;
    }
    await client.sendRawTransaction({ serializedTransaction: last.raw }).catch(onTrouble);
    const receipt = await pollUntil(() => findBundleReceipt(client, bundle), { timeoutMs: 2_000 });
    if (!receipt) return false;
    await close(bundle, receipt);
    return true;
  }

  async function close(
    bundle: Bundle,
    receipt: NonNullable<Awaited<ReturnType<typeof findBundleReceipt>>>,
  ) {
    const updates = readSettlementUpdates(deployment, bundle, receipt);
    await store.closeBundle({ bundleId: bundle.id, block: receipt.blockNumber, updates });
    announce(updates);
    return updates;
  }

  async function putBack(bundle: Bundle, reason: string): Promise<void> {
    const updates = bundle.burns.flatMap(({ settlements }) =>
      settlements.map(
        ({ settlementId }): SettlementUpdate => ({
          settlementId,
          status: "pending",
          transaction: "",
          reason,
          retryAt: now(),
        }),
      ),
    );
    await store.closeBundle({ bundleId: bundle.id, block: 0n, updates });
    announce(updates);
  }

  async function withinBudget(groups: BurnGroup[]): Promise<BurnGroup[]> {
    if (!gasBudget) return groups;
    const over: BurnGroup[] = [];
    const within = groups.filter((group) => {
      const isWithin = gasBudget.spend(group.account.address, ESTIMATED_BURN_GAS);
      if (!isWithin) over.push(group);
      return isWithin;
    });
    const updates = over.flatMap(({ operations }) =>
      operations.map(
        ({ settlementId }): SettlementUpdate => ({
          settlementId,
          status: "pending",
          transaction: "",
          reason: "GasBudget",
          retryAt: gasBudget.renewsAt(),
        }),
      ),
    );
    if (updates.length > 0) await store.updateSettlements(updates);
    announce(updates);
    return within;
  }

  function rejectGroup(group: BurnGroup, reason: RevertReason): SettlementUpdate[] {
    return group.operations.map(({ settlementId, attempts }) => {
      if (RETRYABLE.has(reason.name) && attempts + 1 < MAX_ATTEMPTS) {
        const retryAt = now() + RETRY_BASE_MS * 2 ** attempts;
        return { settlementId, status: "pending", transaction: "", reason: reason.detail, retryAt };
      }
      return { settlementId, status: "failed", transaction: "", reason: reason.detail };
    });
  }

  async function checkFinality(): Promise<void> {
    const latest = await client.getBlockNumber();
    for (const bundle of await store.listUnfinalBundles({ lane, limit: 100 })) {
      const receipt = await findBundleReceipt(client, bundle);
      if (!receipt) {
        await store.reopenBundle(bundle.id);
        announce(submittedUpdates(bundle));
      } else if (latest - receipt.blockNumber >= safeDepth) {
        await store.finalizeBundle(bundle.id);
      }
    }
  }

  async function runLoop(): Promise<void> {
    let backoff = 0;
    while (isRunning) {
      isAwake = false;
      let hasWorked = false;
      try {
        hasWorked = (await runRound()) !== undefined;
        backoff = 0;
      } catch (error) {
        onTrouble(error);
        backoff = Math.min(MAX_BACKOFF_MS, backoff === 0 ? 100 : backoff * 2);
      }
      if (!isRunning) return;
      if (backoff > 0) await idle(backoff, true);
      else if (!hasWorked && !isAwake) await idle(IDLE_MS, false);
    }
  }

  /** Waits for a call to `wake`, and looks up now and then for what other replicas left. */
  async function idle(ms: number, isBackoff: boolean): Promise<void> {
    const stopWaiting = new AbortController();
    rouse = () => {
      if (!isBackoff || !isRunning) stopWaiting.abort();
    };
    await sleep(ms, undefined, { signal: stopWaiting.signal }).catch(() => {});
    rouse = () => {};
  }

  return {
    runRound,
    checkFinality,
    wake: () => {
      isAwake = true;
      rouse();
    },
    start: () => {
      if (isRunning) return;
      isRunning = true;
      loop = runLoop();
    },
    stop: async () => {
      isRunning = false;
      rouse();
      await loop;
      await store.releaseLease({ lane, owner });
    },
    waitFor: (settlementId, status, timeoutMs) =>
      waitForUpdate({
        store,
        listeners,
        settlementId,
        isEnough: (update) => hasReached(update, status),
        timeoutMs,
      }),
  };
}

/** Another replica took over the lane while this one was preparing a bundle. */
class LeaseLost extends Error {
  override name = "LeaseLost";
  constructor(lane: string) {
    super(`The lease of lane "${lane}" went to another replica.`);
  }
}

async function waitForUpdate(options: {
  store: BundlerStore;
  listeners: Set<(updates: SettlementUpdate[]) => void>;
  settlementId: string;
  isEnough: (update: SettlementUpdate) => boolean;
  timeoutMs: number;
}): Promise<SettlementUpdate | undefined> {
  const { store, listeners, settlementId, isEnough, timeoutMs } = options;
  let heard: SettlementUpdate | undefined;
  let hear: () => void = () => {};
  const listener = (updates: SettlementUpdate[]) => {
    heard =
      updates.find((update) => update.settlementId === settlementId && isEnough(update)) ?? heard;
    if (heard) hear();
  };
  listeners.add(listener);
  try {
    // The store is asked too, because the replica that sends may be another one.
    return await pollUntil(
      async () => {
        if (heard) return heard;
        const stored = await store.findUpdate(settlementId);
        if (stored && isEnough(stored)) return stored;
        await Promise.race([
          new Promise<void>((resolve) => {
            hear = resolve;
          }),
          sleep(50),
        ]);
        return heard;
      },
      { timeoutMs, firstMs: 1, maxMs: 1 },
    );
  } finally {
    listeners.delete(listener);
  }
}

function hasReached(update: SettlementUpdate, status: "submitted" | "included"): boolean {
  if (update.status === "failed" || update.status === "included" || update.status === "final")
    return true;
  return update.status === status;
}

function toBundledBurn({ group, hash, nonceKey }: SignedBurn): BundledBurn {
  const { holder, planId, amount, count, root, settlements, grant } = group;
  return {
    userOperationHash: hash,
    sessionKey: grant.delegate,
    nonceKey,
    holder,
    planId,
    amount,
    count,
    root,
    settlements,
  };
}

function submittedUpdates(bundle: Bundle): SettlementUpdate[] {
  const transaction = bundle.transactions.at(-1)?.hash ?? "";
  return bundle.burns.flatMap(({ root, settlements }) =>
    settlements.map(
      ({ settlementId, proof }): SettlementUpdate => ({
        settlementId,
        status: "submitted",
        transaction,
        root,
        proof,
      }),
    ),
  );
}

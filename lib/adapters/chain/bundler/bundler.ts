import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "viem";
import type { Bundle, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import type { ChainClient } from "../chain-client.ts";
import type { Deployment } from "../deployment.ts";
import { nonceKeyOf, type SessionKey } from "../grants/session-key.ts";
import { type CodeMemory, prepareAccounts } from "../prepare-accounts.ts";
import type { RevertReason } from "../revert-reason.ts";
import { assembleBundle } from "./assemble-bundle.ts";
import { type BundlerStore, LeaseLost } from "./bundler-store.ts";
import { type BurnGroup, groupBurns } from "./burn-groups.ts";
import { findOperation } from "./find-operation.ts";
import type { GasBudget } from "./gas-budget.ts";
import { encodeHandleOps } from "./handle-ops.ts";
import { createBundleRecovery } from "./recover-bundles.ts";
import { putOff } from "./resolve-bundle.ts";
import { rejectedUpdates, submittedUpdates, toBundledBurn } from "./settlement-updates.ts";
import {
  TransactionRefused,
  type TransactionSender,
  TransactionUnknown,
} from "./transaction-sender.ts";
import { type UpdateListeners, waitForUpdate } from "./wait-for-update.ts";

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
  /** Block of the deployment: where to look for operations whose transaction is not known. */
  sinceBlock?: bigint;
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
  /** Finishes the round under way, unless the chain is silent, and gives the lease back. */
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
  const {
    maxSettlements = 5_000,
    maxOperations = 70,
    leaseMs = 15_000,
    safeDepth = 12n,
    sinceBlock = 0n,
  } = options;
  const known: CodeMemory = new Set();
  const listeners: UpdateListeners = new Set();
  let isRunning = false;
  let isAwake = false;
  let rouse: () => void = () => {};
  let loop: Promise<void> = Promise.resolve();
  let stopping = new AbortController();

  function announce(updates: SettlementUpdate[]): void {
    if (updates.length === 0) return;
    onUpdate(updates);
    for (const listener of listeners) listener(updates);
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

  async function runRound(): Promise<RoundReport | undefined> {
    if (!(await store.takeLease({ lane, owner, ttlMs: leaseMs }))) return undefined;
    if (!(await recovery.resolveOpen())) return undefined;
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
    const rejected: SettlementUpdate[] = [];
    for (const { group, reason } of assembled.rejected) {
      rejected.push(...(await updatesOfRejected(group, reason)));
    }
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
        signal: stopping.signal,
        beforeSend: async (signed) => {
          if (!(await store.takeLease({ lane, owner, ttlMs: leaseMs }))) throw new LeaseLost(lane);
          bundle.transactions.push(signed);
          await store.saveBundle({ bundle, owner });
          announce(submittedUpdates(bundle));
        },
      });
      const updates = (await recovery.close(bundle)) ?? [];
      const included = updates.filter(({ status }) => status === "included").length;
      return { ...report, settlements, included, gasUsed: receipt.gasUsed };
    } catch (error) {
      if (error instanceof TransactionUnknown) onTrouble(error);
      else if (error instanceof TransactionRefused && bundle.transactions.length > 0) {
        await recovery.putBack(bundle, "TransactionRefused");
        throw error;
      } else throw error;
      return { ...report, settlements };
    }
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
      operations.map(({ settlementId }) => putOff(settlementId, "GasBudget", gasBudget.renewsAt())),
    );
    if (updates.length > 0) await store.updateSettlements(updates);
    announce(updates);
    return within;
  }

  /** A group the chain would refuse. What was included before, unknown to the store, is included and not failed. */
  async function updatesOfRejected(
    group: BurnGroup,
    reason: RevertReason,
  ): Promise<SettlementUpdate[]> {
    if (reason.name !== "AlreadyIncluded") return rejectedUpdates(group, reason, now());
    const sessionKey = group.grant.delegate;
    const nonceKey = nonceKeyOf(group.root);
    const found = await findOperation({ client, deployment, sessionKey, nonceKey, sinceBlock });
    return group.settlements.map(({ settlementId, proof }): SettlementUpdate => {
      const transaction = found?.transaction ?? "";
      if (found?.success)
        return { settlementId, status: "included", transaction, root: group.root, proof };
      return {
        settlementId,
        status: "failed",
        transaction,
        reason: found?.reason.detail ?? reason.detail,
      };
    });
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
    checkFinality: recovery.checkFinality,
    wake: () => {
      isAwake = true;
      rouse();
    },
    start: () => {
      if (isRunning) return;
      isRunning = true;
      stopping = new AbortController();
      loop = runLoop();
    },
    stop: async () => {
      isRunning = false;
      stopping.abort();
      rouse();
      await loop;
      await store.releaseLease({ lane, owner });
    },
    waitFor: (settlementId, status, timeoutMs) =>
      waitForUpdate({ store, listeners, settlementId, status, timeoutMs }),
  };
}

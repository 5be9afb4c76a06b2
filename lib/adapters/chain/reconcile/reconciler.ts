import { encodeFunctionData } from "viem";
import type { CreditsLedger, LedgerBalance } from "@/lib/domain/chain-ports.ts";
import type { ChainFindings } from "@/lib/domain/finding-ports.ts";
import { least } from "@/lib/domain/orders/money.ts";
import { creditsAbi, plansAbi } from "../abis.ts";
import { type Operator, takeBackCreditsOnChain, takeBackReference } from "../operator.ts";
import { pollUntil } from "../poll.ts";
import { findRevertData } from "../revert-reason.ts";
import { balanceKey, createEventSums, type EventSums } from "./event-sums.ts";
import {
  absolute,
  type CreditsDifference,
  type DifferenceReason,
  type Reconciliation,
  reconcileCredits,
} from "./reconcile.ts";

/** Compares the whole ledger with the chain, page by page. */
export type Reconciler = ReturnType<typeof createReconciler>;

const PAGE = 1_000;
const OPEN_BUNDLES_WAIT_MS = 5_000;
/** Each is a transaction. */
const EXPIRED_A_RUN = 50;
/** Each waits for its block. */
const EXPIRING_MS = 60_000;
const EXPIRE_GAS = 150_000n;

type ReconcilerOptions = {
  operator: Operator;
  ledger: CreditsLedger;
  sinceBlock?: bigint;
  /** Reads the contracts' events, and returns the block they are known up to. */
  readEvents: () => Promise<bigint>;
  /** What holders did on chain outside the service, and what a person has explained. */
  sumExplained: ChainFindings["sumExplained"];
};

/** Refusals of the contract that end with the day. */
const CAPPED = new Set(["DailyCapExceeded", "DailyCallsExceeded"]);

/**
 * Makes a {@link Reconciler}. The ledger is read as of a block, after waiting for bundles that may be in it, so
 * traffic alone never shows as a difference; nor does what holders did on chain themselves. What can be repaired is:
 * expired credits are removed on chain once their grace there has passed, by a separate call, and credits whose burn
 * the chain rejected permanently are taken back.
 */
export function createReconciler({
  now = () => new Date(),
  ...options
}: ReconcilerOptions & { now?: () => Date }) {
  let last: (Reconciliation & { at: Date }) | null = null;
  let expired: CreditsDifference[] = [];
  let next = 0;
  let failed: { runs: number; cause: unknown } | null = null;
  const { operator, sinceBlock } = options;
  const readSums = createEventSums({
    ...operator,
    ...(sinceBlock !== undefined && { sinceBlock }),
  });
  return {
    /** @throws the failure of the first repair that fails, once the others are done and the result is kept. */
    async run(): Promise<Reconciliation> {
      const { result, expired: found, failures } = await reconcileAll(options, readSums, last);
      last = { ...result, at: now() };
      expired = found;
      const [cause] = failures;
      failed = failures.length > 0 ? { runs: (failed?.runs ?? 0) + 1, cause } : null;
      if (failed) throw cause;
      return result;
    },
    /** The result of the last completed run, without what it failed to repair; null before the first. */
    last: () => last,
    /** Why a repair has failed in the last runs, one after another; null while it has not, or once only. */
    findFailedRepair: () => (failed && failed.runs > 1 ? failed.cause : null),
    /**
     * Removes credits on chain that the last run found expired: some of them, and for a minute, so that the next run is not
     * late. Ends when `stop` is aborted. How many.
     */
    async expire(stop: AbortSignal): Promise<number> {
      // Not the first ones each time: the contract keeps credits for a day after their expiry.
      const start = next % Math.max(expired.length, 1);
      const some = [...expired.slice(start), ...expired.slice(0, start)].slice(0, EXPIRED_A_RUN);
      const late = new AbortController();
      AbortSignal.timeout(EXPIRING_MS).addEventListener("abort", () => late.abort());
      const end = AbortSignal.any([stop, late.signal]);
      next = start;
      await expireUntil(end, operator, some, () => next++);
      return next - start;
    },
  };
}

async function reconcileAll(
  options: ReconcilerOptions,
  readSums: EventSums,
  last: Reconciliation | null,
): Promise<{ result: Reconciliation; expired: CreditsDifference[]; failures: unknown[] }> {
  const { operator, ledger, sumExplained } = options;
  const { client, deployment } = operator;
  const block = await options.readEvents();
  await waitForBundles(ledger);
  const refunded = new Map<string, LedgerBalance>();
  async function* listPages() {
    let after: LedgerBalance | null = null;
    for (;;) {
      const page: LedgerBalance[] = await ledger.listBalances({ block, after, limit: PAGE });
      for (const row of page) if (row.refunds?.length) refunded.set(balanceKey(row), row);
      yield page;
      after = page.at(-1) ?? null;
      if (page.length < PAGE) return;
    }
  }
  const compared = await reconcileCredits({
    client,
    deployment,
    block,
    pages: listPages(),
    readMovements: ledger.readMovements,
    readEvents: readSums,
    sumExplained,
  });
  const result: Reconciliation = { ...compared, difference: 0n, differences: [] };
  const expired: CreditsDifference[] = [];
  const failures: unknown[] = [];
  for (const found of compared.differences) {
    try {
      const pending = await takeBackRefunds(options, result, refunded.get(balanceKey(found)));
      const left = without(found, pending);
      if (await resolveDifference(options, result, left)) expired.push(left);
    } catch (cause) {
      failures.push(cause);
      // While its repair fails, what differed before still does.
      const isSame = (one: CreditsDifference) => balanceKey(one) === balanceKey(found);
      for (const before of last?.differences.filter(isSame) ?? []) add(result, before);
      // Throws where the node does not answer: then all would fail.
      await client.getBlockNumber();
    }
  }
  return { result, expired, failures };
}

async function waitForBundles(ledger: CreditsLedger): Promise<void> {
  const open = await ledger.listOpenBundles();
  const isDone = async () => (await ledger.listOpenBundles(open)).length === 0 || undefined;
  if (open.length > 0) await pollUntil(isDone, { timeoutMs: OPEN_BUNDLES_WAIT_MS });
}

/**
 * What refunds have taken in the ledger, and the chain has not at the result's block. The credits of paid ones are taken
 * back now: never before, so that a refused refund has nothing to give back there.
 */
async function takeBackRefunds(
  { operator }: ReconcilerOptions,
  result: Reconciliation,
  row: LedgerBalance | undefined,
): Promise<bigint> {
  const { client, deployment } = operator;
  let pending = 0n;
  for (const { refundId, credits: amount, isPaid } of row?.refunds ?? []) {
    const cause = `refund:${refundId}` as const;
    const isTaken = await client.readContract({
      address: deployment.plans,
      abi: plansAbi,
      functionName: "isUsed",
      args: [takeBackReference(cause)],
      blockNumber: result.block,
    });
    if (!row || isTaken) continue;
    pending += amount;
    const { account, planId } = row;
    const outcome =
      isPaid && (await takeBackCreditsOnChain(operator, { planId, account, amount, cause }));
    const isWaiting = outcome && outcome.status === "refused" && CAPPED.has(outcome.reason);
    if (isWaiting) result.waitingForCap += amount;
  }
  result.inFlight += pending;
  return pending;
}

/** The difference that is left when the chain may still have what refunds took. */
const without = (found: CreditsDifference, pending: bigint): CreditsDifference => ({
  ...found,
  expected: found.expected + pending,
  reasons: found.reasons.filter(
    ({ reason, amount }) => reason !== "take_back_missing" || amount !== pending,
  ),
});

/** Repairs a difference if it can, and adds what remains to the result. Whether the chain has credits that expired. */
async function resolveDifference(
  options: ReconcilerOptions,
  result: Reconciliation,
  found: CreditsDifference,
): Promise<boolean> {
  const { reasons, actual } = found;
  if (found.expected === actual) return false;
  const unexpired = unexpiredOnChain(reasons);
  const expected = found.expected + unexpired;
  const isExpired = unexpired > 0n && actual > 0n;
  // The contract accepts late burns for a day after expiry; until then the credits are in flight.
  if (isExpired) result.inFlight += least(unexpired, actual);
  if (expected === actual) return isExpired;
  const { taken, capped, waiting } = await takeBack(options, { ...found, expected });
  result.inFlight += waiting;
  result.waitingForCap += capped;
  const left = actual - taken - waiting;
  if (left === expected) return isExpired;
  add(result, { ...found, expected, actual: left });
  return isExpired;
}

function add(result: Reconciliation, difference: CreditsDifference): void {
  result.difference += absolute(difference.expected - difference.actual);
  result.differences.push(difference);
}

/**
 * What the ledger has expired and the chain has not; below zero what the chain alone has expired: credits that a holder
 * ordered there themselves, or that the ledger prolonged a moment before. Only the contract's own clock expires credits
 * there, so neither is a difference.
 */
function unexpiredOnChain(reasons: CreditsDifference["reasons"]): bigint {
  const of = (wanted: DifferenceReason) =>
    reasons.find(({ reason }) => reason === wanted)?.amount ?? 0n;
  return of("expiry_missing") - of("expiry_unknown");
}

/**
 * Takes back credits whose burn the chain rejected although the ledger has charged them. `waiting` is what the account
 * has too few credits for, because its holder burned them on chain, and what the daily cap leaves for another day:
 * `capped`.
 */
async function takeBack(
  { operator, ledger }: ReconcilerOptions,
  { account, planId, expected, actual }: CreditsDifference,
): Promise<{ taken: bigint; capped: bigint; waiting: bigint }> {
  let taken = 0n;
  let capped = 0n;
  let waiting = 0n;
  for (const { settlementId, amount } of await ledger.listFailedBurns({ account, planId })) {
    // A larger one was taken back before, and that could not be written.
    if (taken + waiting + amount > actual - expected) continue;
    const cause = `settlement:${settlementId}` as const;
    const outcome = await takeBackCreditsOnChain(operator, { planId, account, amount, cause });
    if (outcome.status === "refused") {
      const isCapped = CAPPED.has(outcome.reason);
      if (!isCapped && outcome.reason !== "InsufficientCredits") break;
      if (isCapped) capped += amount;
      waiting += amount;
      continue;
    }
    await ledger.markMadeUp(settlementId);
    if (outcome.status === "done") taken += amount;
  }
  return { taken, capped, waiting };
}

/** One after another, until the end. What was sent last may still be included, and is found removed then. */
async function expireUntil(
  end: AbortSignal,
  operator: Operator,
  some: readonly CreditsDifference[],
  onPassed: () => void,
): Promise<void> {
  for (const found of some) {
    if (end.aborted) return;
    try {
      await expire(operator, found, end);
    } catch (cause) {
      if (end.aborted) return;
      // One that keeps failing must not hold up those behind it.
      onPassed();
      throw cause;
    }
    onPassed();
  }
}

async function expire(
  { client, deployment, sender }: Operator,
  { account, planId }: CreditsDifference,
  signal: AbortSignal,
): Promise<void> {
  const to = deployment.credits;
  const args = [account, planId] as const;
  const data = encodeFunctionData({ abi: creditsAbi, functionName: "expire", args });
  try {
    await client.call({ account: sender.address, to, data });
  } catch (cause) {
    if (findRevertData(cause)) return;
    throw cause;
  }
  await sender.send({ to, data, gas: EXPIRE_GAS, signal });
}

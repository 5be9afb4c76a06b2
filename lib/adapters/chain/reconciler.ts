import { encodeFunctionData } from "viem";
import type { CreditsLedger, LedgerBalance } from "@/lib/domain/chain-ports.ts";
import { creditsAbi } from "./abis.ts";
import { type Operator, takeBackCreditsOnChain } from "./operator.ts";
import { pollUntil } from "./poll.ts";
import { type CreditsDifference, type Reconciliation, reconcileCredits } from "./reconcile.ts";
import { findRevertData } from "./revert-reason.ts";

/** Compares the whole ledger with the chain, page by page. */
export type Reconciler = {
  run: () => Promise<Reconciliation>;
  /** How the last run that ended went; null before the first. */
  last: () => (Reconciliation & { at: Date }) | null;
};

const PAGE = 1_000;
const OPEN_BUNDLES_WAIT_MS = 5_000;
const EXPIRE_GAS = 150_000n;

/**
 * Makes a {@link Reconciler}. The ledger is read as of a block: bundles that may be in it are waited for, so that
 * traffic alone never shows as a difference. What can be repaired is: credits that ended are removed on chain when their
 * grace there is over, and credits whose burn the chain refused for good are taken back.
 */
export function createReconciler(options: {
  operator: Operator;
  ledger: CreditsLedger;
  sinceBlock?: bigint;
  now?: () => Date;
}): Reconciler {
  const { operator, ledger, sinceBlock = 0n, now = () => new Date() } = options;
  const { client, deployment } = operator;
  let last: (Reconciliation & { at: Date }) | null = null;

  async function run(): Promise<Reconciliation> {
    const block = await client.getBlockNumber();
    const open = await ledger.listOpenBundles();
    const isOver = async () => (await ledger.listOpenBundles(open)).length === 0 || undefined;
    if (open.length > 0) await pollUntil(isOver, { timeoutMs: OPEN_BUNDLES_WAIT_MS });
    const whole: Reconciliation = {
      block,
      checked: 0,
      inFlight: 0n,
      difference: 0n,
      differences: [],
    };
    let after: LedgerBalance | null = null;
    for (;;) {
      const page: LedgerBalance[] = await ledger.listBalances({ block, after, limit: PAGE });
      const { readMovements } = ledger;
      const part = await reconcileCredits({
        client,
        deployment,
        block,
        ledger: page,
        readMovements,
        sinceBlock,
      });
      whole.checked += part.checked;
      whole.inFlight += part.inFlight;
      for (const difference of part.differences) await add(whole, difference);
      after = page.at(-1) ?? null;
      if (page.length < PAGE) break;
    }
    last = { ...whole, at: now() };
    return whole;
  }

  async function add(whole: Reconciliation, found: CreditsDifference): Promise<void> {
    const { reasons } = found;
    const isExpiry =
      reasons.length > 0 && reasons.every(({ reason }) => reason === "expiry_missing");
    if (isExpiry) {
      // The contract lets late burns in for a day after the end; until then the credits are on their way out.
      await expire(found);
      whole.inFlight += found.actual - found.expected;
      return;
    }
    const actual = found.actual - (await makeUp(found));
    if (actual === found.expected) return;
    whole.difference += absolute(found.expected - actual);
    whole.differences.push({ ...found, actual });
  }

  /** Takes credits back whose burn the chain refused: the calls were answered, and the ledger has taken them. */
  async function makeUp({ account, planId, expected, actual }: CreditsDifference): Promise<bigint> {
    let taken = 0n;
    for (const { settlementId, amount } of await ledger.listFailedBurns({ account, planId })) {
      if (taken + amount > actual - expected) break;
      const refundId = `settlement:${settlementId}`;
      const outcome = await takeBackCreditsOnChain(operator, { planId, account, amount, refundId });
      if (outcome.status === "refused") break;
      await ledger.markMadeUp(settlementId);
      if (outcome.status === "done") taken += amount;
    }
    return taken;
  }

  async function expire({ account, planId }: CreditsDifference): Promise<void> {
    const to = deployment.credits;
    const data = encodeFunctionData({
      abi: creditsAbi,
      functionName: "expire",
      args: [account, planId],
    });
    try {
      await client.call({ account: operator.sender.address, to, data });
    } catch (cause) {
      if (findRevertData(cause)) return;
      throw cause;
    }
    await operator.sender.send({ to, data, gas: EXPIRE_GAS });
  }

  return { run, last: () => last };
}

const absolute = (amount: bigint) => (amount < 0n ? -amount : amount);

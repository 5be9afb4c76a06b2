import type { Ending, FaultText, PlanFault } from "./faults.ts";
import type { ExactPath } from "./lab-places.ts";
import type { OutcomeCode } from "./outcomes.ts";
import type { StepId } from "./run.ts";

/** How a fault of a payment by `exact` is produced: by the lab's seller, or by what the run sends. */
export type ExactRecipe = {
  path: ExactPath;
  /** The run sends no payment. */
  isUnpaid?: boolean;
  /** The limit of the run, in dollars. */
  maxDollars?: string;
  /** How long the run waits after the payment was signed. */
  waitsMs?: number;
  /** `at-once` and `again` send the payment twice; `leaves` goes away when the response begins. */
  sends?: "at-once" | "again" | "leaves";
};

export type ExactFault = FaultText & { exact: ExactRecipe };

/** A fault of a run that pays in any way. */
export type Fault = PlanFault | ExactFault;

/** What the lab's seller asks for, in millionths of a dollar. */
export const EXACT_PRICE = 10_000n;

const ending = (
  step: StepId,
  outcome: OutcomeCode,
  money: Ending["money"],
  { reason = null, isPaid = false }: { reason?: string | null; isPaid?: boolean } = {},
): Ending => ({
  ...{ step, outcome, reason, money, credits: null },
  paid: String(isPaid ? EXACT_PRICE : 0n),
});
const PAID = { isPaid: true };
const SETTLED = ending("settle", "transfer-settled", "settled", PAID);
const LOST = ending("pay", "transfer-failed-paid", "settled", PAID);
const OPEN = ending("pay", "transfer-failed-open", "unknown");

/** What can go wrong with a payment by `exact`, how it is produced, and how it must end. */
export const EXACT_FAULTS: readonly ExactFault[] = [
  {
    id: "exact-no-payment",
    label: "No payment",
    does: "The run sends no payment.",
    exact: { path: "sells", isUnpaid: true },
    expected: ending("permission", "token-none", "challenged"),
  },
  {
    id: "exact-over-limit",
    label: "Price above the limit",
    does: "The seller asks for twice what the run may pay.",
    exact: { path: "sells", maxDollars: "0.005" },
    expected: ending("permission", "price-over-cap", "challenged"),
  },
  {
    id: "exact-no-funds",
    label: "Insufficient balance",
    does: "The seller asks for more than the account holds.",
    exact: { path: "overpriced", maxDollars: "10000000" },
    expected: ending("permission", "mint-refused", "challenged", { reason: "payment_refused" }),
  },
  {
    id: "exact-expired",
    label: "Expired authorization",
    does: "The seller allows ten seconds, and the run waits for most of them before it pays.",
    exact: { path: "brief", waitsMs: 4_500 },
    expected: ending("verify", "transfer-invalid", "refused", { reason: "authorization_expired" }),
  },
  {
    id: "exact-used",
    label: "Used nonce",
    does: "The payment is sent, then sent again.",
    exact: { path: "sells", sends: "again" },
    expected: LOST,
  },
  {
    id: "exact-duplicate",
    label: "Duplicate send",
    does: "The payment is sent twice at the same time.",
    exact: { path: "sells", sends: "at-once" },
    expected: SETTLED,
  },
  {
    id: "exact-captured-twice",
    label: "Collected twice",
    does: "The seller collects the payment twice at the same time, and once more.",
    exact: { path: "twice" },
    expected: SETTLED,
  },
  {
    id: "exact-work-fails",
    label: "Agent returns 500",
    does: "The seller accepts the payment, then its work fails.",
    exact: { path: "fails" },
    expected: OPEN,
  },
  {
    id: "exact-silent",
    label: "Facilitator silent",
    does: "The seller’s facilitator does not respond.",
    exact: { path: "silent" },
    expected: OPEN,
  },
  {
    id: "exact-denied",
    label: "Settle says no",
    does: "The facilitator collects the payment, then tells the seller that it failed.",
    exact: { path: "denies" },
    expected: LOST,
  },
  {
    id: "exact-settle-lost",
    label: "Settle response lost",
    does: "The facilitator collects the payment, but its response to the seller is lost.",
    exact: { path: "forgets" },
    expected: LOST,
  },
  {
    id: "exact-reply-lost",
    label: "Response lost",
    does: "The seller collects the payment, then the connection breaks.",
    exact: { path: "drops" },
    expected: LOST,
  },
  {
    id: "exact-client-leaves",
    label: "Client leaves",
    does: "The run goes away when the response begins.",
    exact: { path: "stalls", sends: "leaves" },
    expected: LOST,
  },
  {
    id: "exact-other-amount",
    label: "Another amount",
    does: "The seller tries to collect 100 times the amount that was signed.",
    exact: { path: "amount" },
    expected: OPEN,
  },
  {
    id: "exact-other-recipient",
    label: "Another recipient",
    does: "The seller tries to collect the payment to another address.",
    exact: { path: "recipient" },
    expected: OPEN,
  },
  {
    id: "exact-false-receipt",
    label: "False receipt",
    does: "The seller returns a receipt for a transaction that never happened.",
    exact: { path: "pretends" },
    expected: ending("settle", "transfer-reported", "unknown"),
  },
];

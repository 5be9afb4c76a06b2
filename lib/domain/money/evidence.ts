import { amountText } from "../orders/money.ts";
import type { DeliveryFacts, DisputeRecord } from "./dispute-ports.ts";

/** How many calls the bank is shown one by one. */
export const MOST_CALLS = 100;
/** The most one field of the processor's may hold. */
const MOST_CHARACTERS = 20_000;

/** The evidence in the processor's fields, and what a person calls each. */
export const EVIDENCE_TITLES = {
  uncategorized_text: "Summary",
  product_description: "Order and payment",
  refund_policy_disclosure: "Terms accepted",
  service_date: "Delivery began",
  access_activity_log: "Calls and receipts",
} as const;
type Field = keyof typeof EVIDENCE_TITLES;
export type Evidence = Record<Field, string>;

/**
 * Puts the evidence together from what this service alone knows: what was ordered under which terms, each call that was
 * answered with its receipt, and the ledger that proves them. Contents of requests and card data stay out.
 */
export function composeEvidence(
  { order, planName, amount }: Pick<DisputeRecord, "order" | "planName" | "amount">,
  facts: DeliveryFacts,
  origin: string,
): Evidence {
  const { calls, credits, first, last, planVersion } = facts;
  const money = (value: bigint) => amountText(order.currency, value);
  const paidAt = order.chargedAt ?? order.createdAt;
  const used =
    calls === 0
      ? ""
      : `Until ${timeOf(last)} their software made ${calls} paid ${calls === 1 ? "call" : "calls"} under this plan, for ${credits} ${credits === 1n ? "credit" : "credits"}. Each call has a receipt.`;
  return {
    uncategorized_text: [
      `The customer ordered plan "${planName}" for ${money(order.price)} on ${timeOf(order.createdAt)}; ${money(amount)} is disputed.`,
      first ? `Access started ${timeOf(first)}, after payment at ${timeOf(paidAt)}.` : "",
      used,
      refundedText(facts),
      earlierText(facts),
    ]
      .filter(Boolean)
      .join(" "),
    product_description: [
      `Plan: ${planName}. ${facts.planDescription}`.trim(),
      `Order: ${order.orderId}, ${money(order.price)}, paid ${timeOf(paidAt)}.`,
      `Delivered electronically: calls to software over HTTPS, paid with credits of this plan.`,
      `Customer account: ${order.account}.`,
    ].join("\n"),
    refund_policy_disclosure: `Version ${planVersion.version} of the plan's terms, published ${timeOf(planVersion.createdAt)}, was shown with its price before payment and accepted with the order at ${timeOf(order.createdAt)}: ${origin}/p/${order.planId}`,
    service_date: (first ?? paidAt).toISOString().slice(0, 10),
    access_activity_log: logOf(facts, origin),
  };
}

function refundedText({ calls, refundedCalls: n }: DeliveryFacts): string {
  if (n === 0) return calls === 0 ? "No call was made yet." : "";
  if (calls === 0) return n === 1 ? "The only call was refunded." : `All ${n} calls were refunded.`;
  return n === 1
    ? "1 more call was refunded and is not counted."
    : `${n} more calls were refunded and are not counted.`;
}

function logOf({ log, calls, refundedCalls, ledgerHead }: DeliveryFacts, origin: string): string {
  const lines = log.map(
    ({ at, agentRequestId, method, path, httpStatus, workMs, credits, settlementId }) =>
      [
        timeOf(at),
        method && `${method} ${path}`,
        httpStatus && `answered ${httpStatus}`,
        workMs !== null && `in ${Math.round(workMs)} ms`,
        `credits: ${credits}`,
        `request ${agentRequestId}`,
        `receipt ${origin}/receipts/${settlementId}`,
      ]
        .filter(Boolean)
        .join(", "),
  );
  const made =
    calls === 0
      ? "No calls"
      : calls > log.length
        ? `${calls} calls; the last ${log.length}, newest first`
        : `${calls} ${calls === 1 ? "call" : "calls, newest first"}`;
  const leftOut =
    refundedCalls === 0
      ? ""
      : `; ${refundedCalls} refunded ${refundedCalls === 1 ? "call" : "calls"} left out`;
  const head = `${made}${leftOut}. Ledger head: ${ledgerHead}`;
  const kept: string[] = [head];
  let length = head.length;
  for (const line of lines) {
    length += line.length + 1;
    if (length > MOST_CHARACTERS) break;
    kept.push(line);
  }
  return kept.join("\n");
}

function earlierText({ earlierOrders }: DeliveryFacts): string {
  const [oldest] = earlierOrders;
  if (!oldest) return "";
  const n = earlierOrders.length;
  return n === 1
    ? `The same account paid for 1 earlier order, on ${timeOf(oldest.at)}, which was not reversed.`
    : `The same account paid for ${n} earlier orders since ${timeOf(oldest.at)}, none of which was reversed.`;
}

const timeOf = (at: Date | null): string =>
  at ? `${at.toISOString().slice(0, 19).replace("T", " ")} UTC` : "never";

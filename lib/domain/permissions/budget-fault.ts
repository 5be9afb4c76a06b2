import type { Quote } from "../rails/rail.ts";
import type { BudgetCause } from "./causes.ts";
import type { PermissionFacts } from "./permission-facts.ts";

/** Credits that a request takes, and what the order costs that it needs first; null without one. */
export type Spending = {
  credits: bigint;
  order: Pick<Quote, "total" | "cents" | "currency"> | null;
};

/** Why the budgets do not let a request pass now, or null. Amounts that no budget's currency counts never pass. */
export function findBudgetFault(
  { budgets }: PermissionFacts,
  spending: Spending,
): BudgetCause | null {
  if (!budgets) return null;
  for (const { cause, unit, currency, left } of budgets.room) {
    if (unit === null) return cause;
    if (unit === "credits" && spending.credits > (left ?? 0n)) return cause;
    if (unit === "credits" || !spending.order) continue;
    if (isUncounted(spending) || isForeign(spending.order, currency)) return "budget_currency";
    if (spending.order.cents > (left ?? 0n)) return cause;
  }
  if (isUncounted(spending)) return "budget_currency";
  if (!waitReason({ budgets }, spending)) return null;
  return findWait(budgets.approval, spending);
}

/** Why a request waits for a person, whether or not one has decided; null when it need not. */
export function waitReason(
  { budgets }: Pick<PermissionFacts, "budgets">,
  { credits, order }: Spending,
): "new-builder" | "outside-hours" | "amount" | null {
  if (!budgets) return null;
  const { above, currency, aboveCredits, reason } = budgets.asks;
  if (reason) return reason;
  const isAbove =
    order !== null && above !== null && (order.cents > above || isForeign(order, currency));
  return isAbove || (aboveCredits !== null && credits > aboveCredits) ? "amount" : null;
}

/** Free orders are in every currency. */
const isForeign = ({ cents, currency }: NonNullable<Spending["order"]>, wanted: string | null) =>
  cents > 0n && currency !== wanted;

/** Tokens without a par value have no cents that a budget could count, nor a person approve. */
const isUncounted = ({ order }: Spending) =>
  order !== null && order.currency === null && order.total > 0n;

function findWait(
  approval: NonNullable<PermissionFacts["budgets"]>["approval"],
  { credits, order }: Spending,
): "pending_approval" | "approval_declined" | null {
  if (approval?.state === "declined") return "approval_declined";
  if (!approval || credits > approval.maxCredits) return "pending_approval";
  // One order for each approval; the request whose order used it still takes its credits.
  if (!order) return null;
  const isSame = order.cents === 0n || order.currency === approval.currency;
  const isCovered = order.cents <= approval.maxCents && isSame;
  return approval.state === "approved" && isCovered ? null : "pending_approval";
}

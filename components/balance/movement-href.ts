import type { Movement } from "@/lib/console/money.ts";

/** Where a movement leads: what a sale or an order bought, the calls of a payment to a seller, or the payouts. */
export function movementHref({ kind, amount, planId, orderId }: Movement): string {
  if (kind === "payout" || kind === "payout-returned") return "/balance/payouts";
  // A refund that arrives is of the account's own order, of a plan of someone else.
  const isOwnOrder = kind === "order" || (kind === "refund" && !amount.startsWith("-"));
  if (isOwnOrder && planId && orderId) return `/checkout/${planId}/${orderId}`;
  if (kind === "sale" && orderId) return `/balance/orders/${orderId}`;
  if (kind === "exact") return "/activity?role=subscriber";
  if (planId) return `/plans/${planId}?tab=activity`;
  return kind === "withdrawal" ? "/balance/withdraw" : "/balance#deposit";
}

import type { Movement } from "@/lib/console/money.ts";

/**
 * Where a movement leads: what a sale or an order bought, the calls of a payment to a seller, or the payouts. Nowhere for a plan of
 * someone else who shares its sales: only its owner can open those.
 */
export function movementHref(
  { kind, amount, planId, orderId }: Movement,
  ownPlans: ReadonlySet<string>,
): string | undefined {
  if (kind === "payout" || kind === "payout-returned") return "/balance/payouts";
  if (kind === "exact") return "/activity?role=subscriber";
  // A refund that arrives is of the account's own order, of a plan of someone else.
  const isOwnOrder = kind === "order" || (kind === "refund" && !amount.startsWith("-"));
  if (isOwnOrder && planId && orderId) return `/checkout/${planId}/${orderId}`;
  if (planId && !ownPlans.has(planId)) return undefined;
  if (kind === "sale" && orderId) return `/balance/orders/${orderId}`;
  if (planId) return `/plans/${planId}?tab=activity`;
  return kind === "withdrawal" ? "/balance/withdraw" : "/balance#deposit";
}

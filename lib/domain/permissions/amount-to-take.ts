import type { PermissionFacts } from "./permission-facts.ts";

/**
 * The credits one request takes: on dynamic plans the amount asked for, on fixed plans their price, and never more than
 * is reserved for it. A reserved request keeps the version it was reserved under. What is wrong with the amount asked
 * for, when it is outside that.
 */
export function amountToTake(
  plan: NonNullable<PermissionFacts["plan"]>,
  maxAmount: bigint | undefined,
  reserved: bigint | null,
): bigint | { message: string } {
  if (plan.accessLimit === "time") return 0n;
  const { minAmount, maxAmount: most } = plan;
  if (plan.isFixed) {
    const price = reserved ?? minAmount;
    if (maxAmount === undefined || maxAmount >= price) return price;
    return { message: `This plan takes ${price} credits a request; the maximum is ${maxAmount}.` };
  }
  const amount = maxAmount ?? minAmount;
  if (amount < minAmount || amount > most) {
    return { message: `This plan takes ${minAmount} to ${most} credits a request, not ${amount}.` };
  }
  if (reserved === null || amount <= reserved) return amount;
  return { message: `Only ${reserved} credits are reserved for this request, not ${amount}.` };
}

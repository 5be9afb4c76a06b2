import { type Plan, totalOf } from "@turnpike/payments/protocol";
import { paidIn } from "@/lib/console/paid-in.ts";

/**
 * The cost of used credits, as values of a step: the price of an order in its smallest unit (six decimals), the
 * credits it grants, the credits used, and the currency. Empty where the price has no known currency.
 */
export function worthValues(plan: Plan | null, used: bigint): Record<string, string> {
  if (!plan || plan.metadata.plan.accessLimit === "time") return {};
  const { price, credits } = plan.registry;
  const { orderCost } = plan.metadata.plan;
  // On chain, only a token with a known value has six decimals, whatever its builder calls it.
  const currency = price.isCrypto
    ? orderCost && paidIn(orderCost.currency, { isFiat: false }).toUpperCase()
    : (price.currency ?? "USD");
  const granted = BigInt(credits.amount);
  if (currency === undefined || granted === 0n) return {};
  return {
    price: String(totalOf({ amounts: price.amounts.map(BigInt) })),
    granted: String(granted),
    used: String(used),
    currency,
  };
}

import type { Plan } from "@turnpike/payments/protocol";
import { callCostWords } from "../plans/describe-plan.ts";
import type { PlanPrice } from "./plan-price.ts";

/** What a call costs, as the plan's page says it: `0.01 USDC`, `0.01 to 0.10 USDC`. */
export function callCostText({ registry }: Pick<Plan, "registry">, price: PlanPrice): string {
  const { total, currency, decimals, isFree } = price;
  if (isFree) return "Free";
  if (BigInt(registry.credits.amount) === 0n) return "–";
  return callCostWords(total, registry.credits, { symbol: currency, decimals });
}

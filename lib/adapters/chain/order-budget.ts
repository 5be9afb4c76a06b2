import type { ChainOrders } from "@/lib/domain/chain-ports.ts";
import type { ChargeOutcome } from "@/lib/domain/orders/order-ports.ts";

/** Gas a day that the service pays for orders; 0 is unlimited. */
export type OrderBudget = { gasPerAccount: number; gasPerPlan: number };

/** What one order costs the service at most, with the creation of the buyer's account. Measured: 531,257. */
export const ORDER_GAS = 600_000;

/**
 * Why an order exceeds its sponsored gas of the last 24 hours, or null. Counted over the ledger's orders, so that
 * restarts and replicas do not renew it.
 *
 * @param isCounted whether this order is among them already.
 * @example const fault = await findBudgetFault({ budget, orders }, order, { isCounted: false });
 */
export async function findBudgetFault(
  { budget, orders }: { budget: OrderBudget; orders: ChainOrders },
  of: { account: string; planId: string },
  { isCounted }: { isCounted: boolean },
): Promise<ChargeOutcome | null> {
  const { gasPerAccount, gasPerPlan } = budget;
  if (gasPerAccount === 0 && gasPerPlan === 0) return null;
  const { byAccount, ofPlan } = await orders.countDay(of);
  const own = isCounted ? 0 : 1;
  if (isOver(byAccount + own, gasPerAccount)) return refuse("Your account", gasPerAccount);
  if (isOver(ofPlan + own, gasPerPlan)) return refuse("The plan", gasPerPlan);
  return null;
}

const isOver = (count: number, gas: number): boolean => gas > 0 && count * ORDER_GAS > gas;

const refuse = (what: string, gas: number): ChargeOutcome => ({
  status: "refused",
  code: "gas_budget",
  message: `${what} has used the ${Math.floor(gas / ORDER_GAS)} orders a day whose gas the service pays. Order again within 24 hours, or order a plan with more credits.`,
  nextStep: "Order again later.",
});

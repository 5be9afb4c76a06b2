import type { ChainOrders } from "@/lib/domain/chain-ports.ts";
import type { ChargeOutcome } from "@/lib/domain/orders/order-ports.ts";
import { TransactionRefused, type TransactionSender } from "./bundler/transaction-sender.ts";

/** What an order's calls may use for each receiver. */
export const CALL_GAS_PER_RECEIVER = 70_000n;

/** Gas a day that the service pays for orders; 0 is unlimited. */
export type OrderBudget = { gasPerAccount: number; gasPerPlan: number };

/** What one order of one receiver costs the service at most, with the creation of the buyer's account. Measured: 531,257. */
export const ORDER_GAS = 600_000;

/** What an order counts for at least: more where a call may use more. */
export const gasOfOrder = (receivers: number): number =>
  ORDER_GAS + Number(CALL_GAS_PER_RECEIVER) * Math.max(0, receivers - 1);

/** A sender that counts: what a transaction may use before it is sent, and what it used once that is known. `add` never throws. */
export const meterGas = (
  sender: TransactionSender,
  add: (gas: bigint) => Promise<void> | void,
): TransactionSender => ({
  ...sender,
  async send(request) {
    await add(request.gas);
    try {
      const receipt = await sender.send(request);
      await add(receipt.gasUsed - request.gas);
      return receipt;
    } catch (cause) {
      if (cause instanceof TransactionRefused) await add(-request.gas);
      throw cause;
    }
  },
});

/**
 * Why an order exceeds its sponsored gas of the last 24 hours, or null. Counted over the ledger's orders, so that restarts
 * and replicas do not renew it: an account's whatever became of them, and a plan's that are paid or under way.
 *
 * @param gas what this order counts for, where it is not among them yet.
 * @example const fault = await findBudgetFault({ budget, orders }, order, gasOfOrder(1));
 */
export async function findBudgetFault(
  { budget, orders }: { budget: OrderBudget; orders: ChainOrders },
  of: { account: string; planId: string },
  gas: number,
): Promise<ChargeOutcome | null> {
  const { gasPerAccount, gasPerPlan } = budget;
  if (gasPerAccount === 0 && gasPerPlan === 0) return null;
  const { byAccount, ofPlan } = await orders.gasOfDay(of);
  if (isOver(byAccount + gas, gasPerAccount))
    return refuse("Your account", gasPerAccount, ", failed ones included");
  if (isOver(ofPlan + gas, gasPerPlan)) return refuse("The plan", gasPerPlan);
  return null;
}

const isOver = (gas: number, most: number): boolean => most > 0 && gas > most;

const refuse = (what: string, most: number, which = ""): ChargeOutcome => ({
  status: "refused",
  code: "gas_budget",
  message: `${what} has used the ${most.toLocaleString("en-US")} gas a day that the service pays for orders${which}. Order again within 24 hours, or order a plan with more credits.`,
  nextStep: "Order again later.",
});

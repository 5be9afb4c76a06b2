import type { ChainOrders } from "@/lib/domain/chain-ports.ts";
import type { ChargeOutcome } from "@/lib/domain/orders/order-ports.ts";
import { TransactionRefused, type TransactionSender } from "./bundler/transaction-sender.ts";

/** What an order's calls may use for each receiver. */
export const CALL_GAS_PER_RECEIVER = 70_000n;

/** Gas a day that the service pays for orders; 0 is unlimited. */
export type OrderBudget = { gasPerAccount: number; gasPerPlan: number };

/** What one order of one receiver costs the service at most, with the creation of the buyer's account. Measured: 531,257. */
export const ORDER_GAS = 600_000;

/** What must be left for an order when it is sent: more where a call may use more. */
export const gasOfOrder = (receivers: number): number =>
  ORDER_GAS + Number(CALL_GAS_PER_RECEIVER) * Math.max(0, receivers - 1);

/**
 * A sender that counts gas: 1 before a transaction is sent, which marks it, and the rest of what it used once that is known.
 *
 * @param isRepeat whether a transaction whose outcome stays unknown was counted before; otherwise it counts for its limit.
 */
export const meterGas = (
  sender: TransactionSender,
  add: (gas: bigint) => Promise<void>,
  isRepeat = false,
): TransactionSender => ({
  ...sender,
  async send(request) {
    await add(1n);
    let used = isRepeat ? 0n : request.gas;
    try {
      const receipt = await sender.send(request);
      used = receipt.gasUsed;
      return receipt;
    } catch (cause) {
      if (cause instanceof TransactionRefused) used = 0n;
      throw cause;
    } finally {
      await add(used - 1n);
    }
  },
});

/**
 * Why an order exceeds its sponsored gas of the last 24 hours, or null. Counted over the ledger's orders, so that restarts
 * and replicas do not renew it: an account's whatever became of them, and a plan's that are paid or under way. Each counts
 * for the gas it has used, and for `ORDER_GAS` at least; one that ended before anything was sent counts nothing.
 *
 * @param gas what this order needs beside what it counts for already.
 * @example const fault = await findBudgetFault({ budget, orders }, order, gasOfOrder(1));
 */
export async function findBudgetFault(
  { budget, orders }: { budget: OrderBudget; orders: ChainOrders },
  of: { account: string; planId: string },
  gas: number,
): Promise<ChargeOutcome | null> {
  const { gasPerAccount, gasPerPlan } = budget;
  if (gasPerAccount === 0 && gasPerPlan === 0) return null;
  const { byAccount, ofPlan } = await orders.gasOfDay(of, ORDER_GAS);
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

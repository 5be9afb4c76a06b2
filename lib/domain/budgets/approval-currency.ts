import type { Ports } from "../ports.ts";
import { currencyPaid } from "../rails/rail.ts";
import type { ApprovalRecord } from "./budget-records.ts";

/** What a person is asked to pay in: budgets count USDC as USD, but the plan is paid in its own currency. */
export async function approvalCurrency(
  { plans, rails }: Pick<Ports, "plans" | "rails">,
  { planId, currency }: Pick<ApprovalRecord, "planId" | "currency">,
): Promise<string | null> {
  const plan = currency && (await plans.find(planId));
  return plan ? currencyPaid(rails.getByPrice(plan.price), currency) : currency;
}

import type { Ports } from "../ports.ts";
import { currencyPaid } from "../rails/rail.ts";
import type { ApprovalView } from "./budget-ports.ts";

/**
 * The currency a person is asked to pay in: budgets count USDC as USD, and a plan is paid in its own currency. Where the plan's
 * rail is not offered any more, the currency that was counted.
 */
export function approvalCurrency(
  { rails }: Pick<Ports, "rails">,
  { currency, planPrice }: Pick<ApprovalView, "currency" | "planPrice">,
): string | null {
  const rail = rails.all.find((one) => one.takes(planPrice));
  return currency && rail ? currencyPaid(rail, currency) : currency;
}

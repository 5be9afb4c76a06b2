import { PaymentsError } from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import { parCurrency } from "../orders/money.ts";
import type { DelegationRecord } from "../records.ts";
import type { BudgetsDocument } from "./budget-records.ts";

/** The budgets of a delegation for the one that renews it; null without any. Throws `conflict` for amounts in another currency. */
export async function budgetsToCopy(
  { ports }: Context,
  { delegationId: scope, account }: DelegationRecord,
  currency: string,
): Promise<BudgetsDocument | null> {
  const document = (await ports.budgets.find({ scope, account }))?.document;
  if (!document) return null;
  const { limits, approval } = document;
  const countsMoney = approval?.above !== undefined || limits.some(({ unit }) => unit === "money");
  if (!countsMoney || parCurrency(currency) === document.currency)
    return { ...document, currency: parCurrency(currency) };
  throw new PaymentsError(
    "conflict",
    `The budgets of the delegation you renew are in ${document.currency.toUpperCase()}.`,
    { hint: "Choose its currency, or create a new delegation." },
  );
}

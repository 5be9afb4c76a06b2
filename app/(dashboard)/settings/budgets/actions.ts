"use server";

import { PaymentsError } from "@turnpike/payments/protocol";
import { actionsOf, answer, change } from "@/app/_session/operations.ts";
import { type BudgetEdit, mergeBudgets } from "@/components/budgets/budget-edit.ts";
import { inputOf, valuesOf } from "@/components/budgets/read-budgets.ts";

const action = actionsOf("/settings/budgets");

/** Edits the budgets of the signed-in account, which the page showed in this currency. */
export async function setBudgets(shownIn: string, edit: BudgetEdit) {
  const now = await change("getBudgets", {});
  if (!now.ok) return now;
  if (now.data.currency !== shownIn) return answer(currencyChanged);
  return action("setBudgets")(inputOf(mergeBudgets(edit, valuesOf(now.data)), now.data));
}

async function currencyChanged(): Promise<never> {
  throw new PaymentsError("conflict", "The currency of your budgets has changed.", {
    hint: "Reload the page, then edit them again.",
  });
}

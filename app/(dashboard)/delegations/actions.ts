"use server";

import { type InputOf, PaymentsError } from "@turnpike/payments/protocol";
import { actionsOf, answer, change } from "@/app/_session/operations.ts";
import { type BudgetEdit, mergeBudgets } from "@/components/budgets/budget-edit.ts";
import { copyOf, countMoney } from "@/components/budgets/copied-budgets.ts";
import { inputOf, valuesOf } from "@/components/budgets/read-budgets.ts";
import type { ActionError } from "@/components/forms/action-answer.ts";
import { parCurrency } from "@/lib/domain/orders/money.ts";

const action = actionsOf("/delegations");

/** Creates a delegation. Where the subscriber's own wallet owns the account, the wallet has to sign it first. */
export const createDelegation = action("createDelegation");

/** Creates a delegation with the budgets of the one it replaces. None that can be used is left without them. */
export async function renewDelegation(
  replaced: string,
  input: InputOf<"createDelegation">,
): ReturnType<typeof createDelegation> {
  const before = await change("getDelegationBudgets", { delegationId: replaced });
  if (!before.ok) return before;
  const budgets = copyOf(before.data);
  const { currency } = before.data;
  if (countMoney(before.data) && parCurrency(input.currency ?? "usd") !== currency) {
    return answer(() => refuseCurrency(currency));
  }
  const created = await createDelegation(input);
  if (!created.ok || !budgets) return created;
  const { grant, ...delegation } = created.data;
  const { delegationId } = delegation;
  const copied = await action("setDelegationBudgets")({ delegationId, ...budgets });
  if (!copied.ok) return answer(() => giveUp(delegationId, copied));
  if (!grant) return created;
  // The wallet signs the budgets too. Where they can't be read, the delegation's own page has them signed.
  const signable = await change("getGrant", { delegationId });
  return {
    ...created,
    data: signable.ok ? { ...delegation, grant: signable.data } : delegation,
  };
}

async function refuseCurrency(currency: string): Promise<never> {
  const message = `The budgets of the delegation you renew are in ${currency.toUpperCase()}.`;
  const hint = "Choose its currency, or create a new delegation.";
  throw new PaymentsError("conflict", message, { hint });
}

async function giveUp(delegationId: string, { message }: ActionError): Promise<never> {
  const revoked = await revokeDelegation({ delegationId });
  if (revoked.ok) {
    const why = `The budgets could not be copied, so the new delegation was revoked. ${message}`;
    throw new PaymentsError("conflict", why, { hint: "Try again." });
  }
  const why = `Delegation ${delegationId} was created without its budgets and could not be revoked.`;
  throw new PaymentsError("outcome_unknown", why, { hint: "Revoke it." });
}

export const submitGrantSignature = action("submitGrantSignature");

/** Edits a delegation's budgets, which stay in its own currency. */
export async function setDelegationBudgets(delegationId: string, edit: BudgetEdit) {
  const now = await change("getDelegationBudgets", { delegationId });
  if (!now.ok) return now;
  const { currency: _, ...budgets } = inputOf(mergeBudgets(edit, valuesOf(now.data)), now.data);
  return action("setDelegationBudgets")({ delegationId, ...budgets });
}

export const revokeDelegation = action("revokeDelegation");
export const revokeAllDelegations = action("revokeAllDelegations");

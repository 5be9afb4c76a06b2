"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { actionsOf, change } from "@/app/_session/operations.ts";
import { type BudgetEdit, mergeBudgets } from "@/components/budgets/budget-edit.ts";
import { inputOf, valuesOf } from "@/components/budgets/read-budgets.ts";

const action = actionsOf("/delegations");

/** Creates a delegation. Where the subscriber's own wallet owns the account, the wallet has to sign it first. */
export const createDelegation = action("createDelegation");

/** Creates a delegation with the budgets of the one it replaces. */
export const renewDelegation = async (
  renews: string,
  input: InputOf<"createDelegation">,
): ReturnType<typeof createDelegation> => createDelegation({ ...input, renews });

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

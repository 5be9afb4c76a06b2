"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { change, changeOf } from "@/app/_session/operations.ts";
import { type BudgetEdit, mergeBudgets } from "@/components/budgets/budget-edit.ts";
import { inputOf, valuesOf } from "@/components/budgets/read-budgets.ts";

const changeHere = changeOf("/delegations");

/** Creates a delegation. Where the subscriber's own wallet owns the account, the wallet has to sign it first. */
export async function createDelegation(input: InputOf<"createDelegation">) {
  return changeHere("createDelegation", input);
}

export async function submitGrantSignature(input: InputOf<"submitGrantSignature">) {
  return changeHere("submitGrantSignature", input);
}

/** Edits a delegation's budgets, which stay in its own currency. */
export async function setDelegationBudgets(delegationId: string, edit: BudgetEdit) {
  const now = await change("getDelegationBudgets", { delegationId });
  if (!now.ok) return now;
  const { currency: _, ...budgets } = inputOf(mergeBudgets(edit, valuesOf(now.data)), now.data);
  return changeHere("setDelegationBudgets", { delegationId, ...budgets });
}

export async function revokeDelegation(delegationId: string) {
  return changeHere("revokeDelegation", { delegationId });
}

export async function revokeAllDelegations() {
  return changeHere("revokeAllDelegations", {});
}

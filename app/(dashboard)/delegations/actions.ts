"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { changeOf } from "@/app/_session/operations.ts";

const changeHere = changeOf("/delegations");

/** Creates a delegation. Where the subscriber's own wallet owns the account, the wallet has to sign it first. */
export async function createDelegation(input: InputOf<"createDelegation">) {
  return changeHere("createDelegation", input);
}

export async function submitGrantSignature(input: InputOf<"submitGrantSignature">) {
  return changeHere("submitGrantSignature", input);
}

/** Replaces a delegation's budgets, which stay in its own currency. */
export async function setDelegationBudgets(delegationId: string, input: InputOf<"setBudgets">) {
  const { currency: _, ...budgets } = input;
  return changeHere("setDelegationBudgets", { delegationId, ...budgets });
}

export async function revokeDelegation(delegationId: string) {
  return changeHere("revokeDelegation", { delegationId });
}

export async function revokeAllDelegations() {
  return changeHere("revokeAllDelegations", {});
}

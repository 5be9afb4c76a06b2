"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { revalidatePath } from "next/cache";
import { change } from "@/app/_session/operations.ts";

/** Creates a delegation. Where the subscriber's own wallet owns the account, the wallet has to sign it first. */
export async function createDelegation(input: InputOf<"createDelegation">) {
  const created = await change("createDelegation", input);
  revalidatePath("/delegations");
  return created;
}

export async function submitGrantSignature(input: InputOf<"submitGrantSignature">) {
  const begun = await change("submitGrantSignature", input);
  revalidatePath("/delegations");
  return begun;
}

export async function revokeDelegation(delegationId: string) {
  const revoked = await change("revokeDelegation", { delegationId });
  revalidatePath("/delegations");
  return revoked;
}

export async function revokeAllDelegations() {
  const revoked = await change("revokeAllDelegations", {});
  revalidatePath("/delegations");
  return revoked;
}

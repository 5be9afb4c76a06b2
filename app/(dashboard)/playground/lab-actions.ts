"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { change } from "@/app/_session/operations.ts";
import type { SandboxOperations } from "@/lib/sandbox/operations.ts";
import { getRunning } from "@/lib/server/running.ts";

// What the failure lab does before and after its runs. The service offers faults and test cards in the
// sandbox only.

export async function orderPlan(input: InputOf<"orderPlan">) {
  return change("orderPlan", input);
}

export async function revokeToken(tokenId: string) {
  return change("revokeToken", { tokenId });
}

/** Saves a test card, and confirms it as its holder where the bank requires that. */
export async function saveTestCard(testCard: string) {
  const added = await change("addPaymentMethod", { testCard });
  if (!added.ok || added.data.status !== "requires_action") return added;
  const { setupIntentId } = added.data;
  const { cards } = await getRunning();
  cards.confirmAsHolder?.(setupIntentId);
  return change("finishPaymentMethod", { setupIntentId });
}

export async function removeCard(paymentMethodId: string) {
  return change("removePaymentMethod", { paymentMethodId });
}

export async function armFault(input: InputOf<"injectFault", SandboxOperations>) {
  return change("injectFault", input);
}

export async function clearFault(faultId: string) {
  return change("clearFaults", { faultId });
}

"use server";

import type { CardRemoval } from "@turnpike/payments/protocol";
import { actionsOf, change } from "@/app/_session/operations.ts";
import type { ActionAnswer } from "@/components/forms/action-answer.ts";

const action = actionsOf("/payment-methods");

/** Begins saving a card; in the sandbox a test card is saved at once. */
export async function addPaymentMethod(testCard?: string) {
  return action("addPaymentMethod")(testCard ? { testCard } : {});
}

export const finishPaymentMethod = action("finishPaymentMethod");
export const setDefaultPaymentMethod = action("setDefaultPaymentMethod");

export async function previewRemoval(paymentMethodId: string) {
  return change("removePaymentMethod", { paymentMethodId, dryRun: true });
}

/** Removes a card. One that is already gone, as after an answer that was lost, is removed too. */
export async function removePaymentMethod(
  paymentMethodId: string,
): Promise<ActionAnswer<CardRemoval>> {
  const removed = await action("removePaymentMethod")({ paymentMethodId });
  const isGone = !removed.ok && removed.code === "not_found";
  return isGone ? { ok: true, data: { removed: true, delegations: [], tokens: [] } } : removed;
}

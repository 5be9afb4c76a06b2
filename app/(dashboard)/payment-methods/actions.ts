"use server";

import { change, changeOf } from "@/app/_session/operations.ts";

const changeHere = changeOf("/payment-methods");

/** Begins saving a card; in the sandbox a test card is saved at once. */
export async function addPaymentMethod(testCard?: string) {
  return changeHere("addPaymentMethod", testCard ? { testCard } : {});
}

export async function finishPaymentMethod(setupIntentId: string) {
  return changeHere("finishPaymentMethod", { setupIntentId });
}

export async function setDefaultPaymentMethod(paymentMethodId: string) {
  return changeHere("setDefaultPaymentMethod", { paymentMethodId });
}

/** What removing a card would end. */
export async function previewRemoval(paymentMethodId: string) {
  return change("removePaymentMethod", { paymentMethodId, dryRun: true });
}

export async function removePaymentMethod(paymentMethodId: string) {
  return changeHere("removePaymentMethod", { paymentMethodId });
}

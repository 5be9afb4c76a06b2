"use server";

import { revalidatePath } from "next/cache";
import { change } from "@/app/_session/operations.ts";

/** Begins saving a card; in the sandbox a test card is saved at once. */
export async function addPaymentMethod(testCard?: string) {
  const added = await change("addPaymentMethod", testCard ? { testCard } : {});
  revalidatePath("/payment-methods");
  return added;
}

export async function finishPaymentMethod(setupIntentId: string) {
  const finished = await change("finishPaymentMethod", { setupIntentId });
  revalidatePath("/payment-methods");
  return finished;
}

export async function setDefaultPaymentMethod(paymentMethodId: string) {
  const changed = await change("setDefaultPaymentMethod", { paymentMethodId });
  revalidatePath("/payment-methods");
  return changed;
}

/** What removing a card would end. */
export async function previewRemoval(paymentMethodId: string) {
  return change("removePaymentMethod", { paymentMethodId, dryRun: true });
}

export async function removePaymentMethod(paymentMethodId: string) {
  const removed = await change("removePaymentMethod", { paymentMethodId });
  revalidatePath("/payment-methods");
  return removed;
}

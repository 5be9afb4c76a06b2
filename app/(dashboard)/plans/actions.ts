"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { revalidatePath } from "next/cache";
import { change, changeOf } from "@/app/_session/operations.ts";

type NewPlan = InputOf<"registerCreditsPlan"> | InputOf<"registerTimePlan">;

/** Registers a plan. Sending the same nonce again returns the same plan. */
export async function createPlan(plan: NewPlan) {
  const created =
    plan.accessLimit === "time"
      ? await change("registerTimePlan", plan)
      : await change("registerCreditsPlan", plan as InputOf<"registerCreditsPlan">);
  if (created.ok) revalidatePath("/plans");
  return created;
}

/** Updates a plan. A new price or new credits make a new version, for later orders. */
export async function updatePlan(changes: InputOf<"updatePlan">) {
  const updated = await change("updatePlan", changes);
  if (updated.ok) revalidatePath("/plans");
  return updated;
}

const changePlan = changeOf("/plans", "layout");

export async function archivePlan(planId: string) {
  return changePlan("archivePlan", { planId });
}

export async function restorePlan(planId: string) {
  return changePlan("restorePlan", { planId });
}

export async function deletePlan(planId: string) {
  return changePlan("deletePlan", { planId });
}

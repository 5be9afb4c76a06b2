"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { revalidatePath } from "next/cache";
import { change } from "@/app/_session/operations.ts";

/** Registers an agent. Sending the same nonce again returns the same agent. */
export async function registerAgent(input: InputOf<"registerAgent">) {
  const registered = await change("registerAgent", input);
  revalidatePath("/agents");
  return registered;
}

/** Updates an agent. Credentials that are left out stay unchanged. */
export async function updateAgent(input: InputOf<"updateAgent">) {
  const updated = await change("updateAgent", input);
  revalidatePath("/agents", "layout");
  return updated;
}

export async function addPlanToAgent(agentId: string, planId: string) {
  const linked = await change("addPlanToAgent", { agentId, planId });
  revalidatePath("/agents", "layout");
  return linked;
}

export async function removePlanFromAgent(agentId: string, planId: string) {
  const unlinked = await change("removePlanFromAgent", { agentId, planId });
  revalidatePath("/agents", "layout");
  return unlinked;
}

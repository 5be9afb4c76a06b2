"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { change, changeOf } from "@/app/_session/operations.ts";
import { type EndpointChanges, withEndpointChanges } from "@/components/agents/endpoint-changes.ts";

const changeHere = changeOf("/agents", "layout");

/** Registers an agent. Sending the same nonce again returns the same agent. */
export async function registerAgent(input: InputOf<"registerAgent">) {
  return changeHere("registerAgent", input);
}

/** Updates an agent. Credentials that are left out stay unchanged. */
export async function updateAgent(input: InputOf<"updateAgent">) {
  return changeHere("updateAgent", input);
}

/** Adds and removes endpoints. The operation takes all of them: those of the page may be old. */
export async function changeEndpoints(agentId: string, changes: EndpointChanges) {
  const now = await change("getAgent", { agentId });
  if (!now.ok) return now;
  const agentApiAttributes = withEndpointChanges(now.data.metadata.agent, changes);
  return changeHere("updateAgent", { agentId, agentApiAttributes });
}

export async function addPlanToAgent(agentId: string, planId: string) {
  return changeHere("addPlanToAgent", { agentId, planId });
}

export async function removePlanFromAgent(agentId: string, planId: string) {
  return changeHere("removePlanFromAgent", { agentId, planId });
}

/** Looks for the proof of the agent's domain now. */
export async function checkAgentDomain(agentId: string) {
  return changeHere("checkAgentDomain", { agentId });
}

/** Switches the agent's daily check on or off. */
export async function setCheckSchedule(agentId: string, isOn: boolean) {
  return changeHere("setCheckSchedule", { agentId, isOn });
}

export async function archiveAgent(agentId: string) {
  return changeHere("archiveAgent", { agentId });
}

export async function restoreAgent(agentId: string) {
  return changeHere("restoreAgent", { agentId });
}

export async function deleteAgent(agentId: string) {
  return changeHere("deleteAgent", { agentId });
}

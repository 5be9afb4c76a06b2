"use server";

import { actionsOf, change } from "@/app/_session/operations.ts";
import { type EndpointChanges, withEndpointChanges } from "@/components/agents/endpoint-changes.ts";

const action = actionsOf("/agents", "layout");

/** Registers an agent. Sending the same nonce again returns the same agent. */
export const registerAgent = action("registerAgent");

/** Updates an agent. Credentials that are left out stay unchanged. */
export const updateAgent = action("updateAgent");

/** Adds and removes endpoints. The operation takes all of them: those of the page may be old. */
export async function changeEndpoints(agentId: string, changes: EndpointChanges) {
  const now = await change("getAgent", { agentId });
  if (!now.ok) return now;
  const agentApiAttributes = withEndpointChanges(now.data.metadata.agent, changes);
  return updateAgent({ agentId, agentApiAttributes });
}

export const addPlanToAgent = action("addPlanToAgent");
export const removePlanFromAgent = action("removePlanFromAgent");

/** Looks for the proof of the agent's domain now. */
export const checkAgentDomain = action("checkAgentDomain");

/** Switches the agent's daily check on or off. */
export const setCheckSchedule = action("setCheckSchedule");
export const archiveAgent = action("archiveAgent");
export const restoreAgent = action("restoreAgent");
export const deleteAgent = action("deleteAgent");

import { PaymentsError } from "@turnpike/payments/protocol";
import { auditNote } from "../context.ts";
import type { Verb } from "../verb.ts";
import { agentAnswer, getOwnAgent, refuseKnownEndpoint } from "./agents.ts";
import { editTime, untilWritten } from "./edit.ts";
import { getOwnPlan, planAnswer } from "./plans.ts";

/** Stops a plan's sales. Credits that were sold stay usable. */
export const archivePlan = setPlanArchived(true);

/** Lets an archived plan sell again, listed or not as it was. */
export const restorePlan = setPlanArchived(false);

/** Deletes a plan that was never ordered. */
export const deletePlan: Verb<"deletePlan"> = async (context, { planId }) => {
  await getOwnPlan(context, planId);
  const note = auditNote(context, "plan.delete", planId);
  return deleted("plan", planId, await context.ports.plans.delete(planId, note));
};

/** Takes an agent off every list. Calls that reach it are paid as before. */
export const archiveAgent = setAgentArchived(true);

/** Puts an archived agent back on the lists, unless another one has its endpoints now. */
export const restoreAgent = setAgentArchived(false);

/** Deletes an agent that no token names and no request paid. */
export const deleteAgent: Verb<"deleteAgent"> = async (context, { agentId }) => {
  await getOwnAgent(context, agentId);
  const note = auditNote(context, "agent.delete", agentId);
  return deleted("agent", agentId, await context.ports.agents.delete(agentId, note));
};

function deleted(what: string, id: string, isDeleted: boolean) {
  if (isDeleted) return { success: true } as const;
  throw new PaymentsError("conflict", `The ${what} ${id} was used and can’t be deleted.`, {
    hint: `Archive the ${what} instead: you can restore it at any time.`,
  });
}

function setPlanArchived(isArchived: boolean): Verb<"archivePlan" | "restorePlan"> {
  return (context, { planId }) =>
    untilWritten(async () => {
      const { ports } = context;
      const plan = await getOwnPlan(context, planId);
      if ((plan.archivedAt !== null) === isArchived) return planAnswer(ports, plan);
      const now = await editTime(context, plan);
      const changed = { ...plan, archivedAt: isArchived ? now : null, updatedAt: now };
      const note = auditNote(context, isArchived ? "plan.archive" : "plan.restore", planId);
      return (await ports.plans.update(plan, changed, note)) ? planAnswer(ports, changed) : null;
    });
}

function setAgentArchived(isArchived: boolean): Verb<"archiveAgent" | "restoreAgent"> {
  return (context, { agentId }) =>
    untilWritten(async () => {
      const agent = await getOwnAgent(context, agentId);
      if ((agent.archivedAt !== null) === isArchived) return agentAnswer(agent);
      const check = isArchived ? undefined : refuseKnownEndpoint(agent);
      const now = await editTime(context, agent);
      const changed = { ...agent, archivedAt: isArchived ? now : null, updatedAt: now };
      const note = auditNote(context, isArchived ? "agent.archive" : "agent.restore", agentId);
      const isWritten = await context.ports.agents.update(agent, changed, note, check);
      return isWritten ? agentAnswer(changed) : null;
    });
}

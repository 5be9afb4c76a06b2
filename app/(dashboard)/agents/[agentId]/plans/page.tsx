import { read } from "@/app/_session/operations.ts";
import { AgentPlans } from "@/components/agents/agent-plans.tsx";
import type { Routed } from "@/components/search-params.ts";
import { addPlanToAgent, removePlanFromAgent } from "../../actions.ts";
import { readPlanChoices } from "../../read-plan-choices.ts";
import { readOwnAgent } from "../read-agent.ts";

export const metadata = { title: "Agent plans" };

export default async function AgentPlansPage({ params }: Routed<"agentId">) {
  const agent = await readOwnAgent((await params).agentId);
  const plans = await readPlanChoices();
  const linked = plans.filter(({ planId }) => agent.plans.includes(planId));
  return (
    <AgentPlans
      agentId={agent.agentId}
      linked={
        await Promise.all(linked.map(async (plan) => ({ ...plan, ...(await readUse(plan)) })))
      }
      others={plans.filter(
        ({ planId, isArchived }) => !isArchived && !agent.plans.includes(planId),
      )}
      addPlan={addPlanToAgent}
      removePlan={removePlanFromAgent}
    />
  );
}

/** Who would miss the plan here, and whether other agents accept it. */
async function readUse({ planId }: { planId: string }) {
  const [subscribers, agents] = await Promise.all([
    read("listSubscribers", { planId, limit: 1 }),
    read("getPlanAgents", { planId, limit: 1 }),
  ]);
  return { subscribers: subscribers.total, otherAgents: Math.max(0, agents.total - 1) };
}

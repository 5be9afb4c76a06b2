import { AgentPlans } from "@/components/agents/agent-plans.tsx";
import type { Routed } from "@/components/search-params.ts";
import { addPlanToAgent, removePlanFromAgent } from "../../actions.ts";
import { readPlanChoices } from "../../read-plan-choices.ts";
import { readOwnAgent } from "../read-agent.ts";

export const metadata = { title: "Plans of an agent" };

export default async function AgentPlansPage({ params }: Routed<"agentId">) {
  const agent = await readOwnAgent((await params).agentId);
  const plans = await readPlanChoices();
  return (
    <AgentPlans
      agentId={agent.agentId}
      linked={plans.filter(({ planId }) => agent.plans.includes(planId))}
      others={plans.filter(
        ({ planId, isArchived }) => !isArchived && !agent.plans.includes(planId),
      )}
      addPlan={addPlanToAgent}
      removePlan={removePlanFromAgent}
    />
  );
}

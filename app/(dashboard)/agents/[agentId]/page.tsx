import { AgentOverview } from "@/components/agents/agent-overview.tsx";
import { readPlanChoices } from "../read-plan-choices.ts";
import { readOwnAgent } from "./read-agent.ts";

export const metadata = { title: "Agent" };

export default async function AgentPage({ params }: { params: Promise<{ agentId: string }> }) {
  const agent = await readOwnAgent((await params).agentId);
  const plans = await readPlanChoices();
  return (
    <AgentOverview
      agent={agent}
      plans={plans.filter(({ planId }) => agent.plans.includes(planId))}
    />
  );
}

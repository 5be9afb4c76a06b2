import { AgentEndpoints } from "@/components/agents/agent-endpoints.tsx";
import type { Routed } from "@/components/search-params.ts";
import { getRunning } from "@/lib/server/running.ts";
import { changeEndpoints } from "../../actions.ts";
import { readPlanChoices } from "../../read-plan-choices.ts";
import { readOwnAgent } from "../read-agent.ts";

export const metadata = { title: "Agent endpoints" };

export default async function AgentEndpointsPage({ params }: Routed<"agentId">) {
  const agent = await readOwnAgent((await params).agentId);
  const [plans, { env }] = await Promise.all([readPlanChoices(), getRunning()]);
  return (
    <AgentEndpoints
      agent={agent}
      plans={plans.filter(({ planId }) => agent.plans.includes(planId))}
      isSandbox={env.environment === "sandbox"}
      changeEndpoints={changeEndpoints}
    />
  );
}

import { AgentCode } from "@/components/agents/agent-code.tsx";
import type { Routed, Searched } from "@/components/search-params.ts";
import { getRunning } from "@/lib/server/running.ts";
import { readPlanChoices } from "../../read-plan-choices.ts";
import { readOwnAgent } from "../read-agent.ts";

export const metadata = { title: "Agent code" };

type Props = Routed<"agentId"> & Searched<{ registered?: string }>;

export default async function AgentCodePage({ params, searchParams }: Props) {
  const agent = await readOwnAgent((await params).agentId);
  const [choices, { env }, { registered }] = await Promise.all([
    readPlanChoices(),
    getRunning(),
    searchParams,
  ]);
  const plans = choices.filter(({ planId }) => agent.plans.includes(planId));
  const { endpoints } = agent.metadata.agent;
  return (
    <AgentCode
      isNew={registered === "1"}
      input={{
        agentId: agent.agentId,
        planIds: agent.plans,
        routes: endpoints.flatMap((endpoint) =>
          Object.entries(endpoint).map(([verb, url]) => ({ verb, url })),
        ),
        credits: plans[0]?.minCredits ?? "1",
        environment: env.environment,
        origin: env.origin,
      }}
    />
  );
}

import * as z from "zod/mini";
import { read } from "@/app/_session/operations.ts";
import { AgentOverview } from "@/components/agents/agent-overview.tsx";
import { agentFigures } from "@/components/business/business-figures.tsx";
import { LostCauses } from "@/components/business/lost-causes.tsx";
import type { Routed, Searched } from "@/components/search-params.ts";
import { FigureRange } from "@/lib/console/figures.ts";
import { Business } from "../../business.tsx";
import { readPlanChoices } from "../read-plan-choices.ts";
import { findOwnAgent, readOwnAgent } from "./read-agent.ts";

type AgentPageProps = Routed<"agentId"> & Searched;

export async function generateMetadata({ params }: AgentPageProps) {
  const agent = await findOwnAgent(decodeURIComponent((await params).agentId)).catch(() => null);
  return { title: agent?.metadata.main.name ?? "Agent" };
}

export default async function AgentPage({ params, searchParams }: AgentPageProps) {
  const agent = await readOwnAgent((await params).agentId);
  const { agentId } = agent;
  const query = await searchParams;
  const range = z.catch(FigureRange, "30d").parse(query.range);
  const includeTest = query.tests === "1";
  const [plans, figures, series] = await Promise.all([
    readPlanChoices(),
    read("getAgentFigures", { agentId, range, includeTest }),
    read("getActivitySeries", { agentId, range, includeTest, role: "builder" }),
  ]);
  return (
    <>
      <Business
        path={`/agents/${agentId}`}
        figures={agentFigures(figures)}
        series={series}
        scope={{ agentId }}
        includeTest={includeTest}
      />
      <LostCauses causes={figures.causes} />
      <AgentOverview
        agent={agent}
        plans={plans.filter(({ planId }) => agent.plans.includes(planId))}
      />
    </>
  );
}

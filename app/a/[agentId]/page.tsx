import { unstable_rethrow } from "next/navigation";
import { readMarket } from "@/app/(dashboard)/plans/read-market.ts";
import { PublicAgent } from "@/components/market/public-agent.tsx";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import { Visited } from "@/components/shell/visited.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { readPublicAgent } from "./read-public-agent.ts";

type PublicAgentPageProps = { params: Promise<{ agentId: string }> };

export async function generateMetadata({ params }: PublicAgentPageProps) {
  try {
    const { agentId } = await params;
    const { agent, facts } = await readPublicAgent(agentId);
    const { name, description } = agent.metadata.main;
    return {
      title: name,
      description: description?.slice(0, 160) || `What ${name} costs, and how its calls settle.`,
      alternates: { canonical: `/a/${agent.agentId}` },
      ...(!facts && { robots: { index: false } }),
    };
  } catch (cause) {
    unstable_rethrow(cause);
    // The page itself reports the failure.
    return { title: "Agent" };
  }
}

export default async function PublicAgentPage({ params }: PublicAgentPageProps) {
  const { agentId } = await params;
  const [{ agent, facts, isOwn, plans }, market, { env, ports }] = await Promise.all([
    readPublicAgent(agentId),
    readMarket(),
    getRunning(),
  ]);
  return (
    <>
      <Visited href={`/a/${agent.agentId}`} name={agent.metadata.main.name} kind="Agent" />
      <PublicAgent
        agent={agent}
        facts={facts}
        isOwn={isOwn}
        plans={plans.map((plan) => ({
          planId: plan.planId,
          name: plan.metadata.main.name,
          terms: termsOfPlan(plan),
        }))}
        market={market}
        url={`${env.origin}/a/${agent.agentId}`}
        now={(await ports.clock.now()).toISOString()}
      />
    </>
  );
}

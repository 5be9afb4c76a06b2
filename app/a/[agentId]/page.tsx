import { AgentId } from "@turnpike/payments/protocol";
import { notFound, unstable_rethrow } from "next/navigation";
import { cache } from "react";
import { readPublic } from "@/app/_session/operations.ts";
import { readSession } from "@/app/_session/session.ts";
import { readMarket } from "@/app/(dashboard)/plans/read-market.ts";
import { PublicAgent } from "@/components/market/public-agent.tsx";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import type { Routed } from "@/components/search-params.ts";
import { Visited } from "@/components/shell/visited.tsx";
import { getRunning } from "@/lib/server/running.ts";

export async function generateMetadata({ params }: Routed<"agentId">) {
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

export default async function PublicAgentPage({ params }: Routed<"agentId">) {
  const { agentId } = await params;
  const [{ agent, facts, since, isOwn, plans }, market, { env }] = await Promise.all([
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
        since={since}
        isOwn={isOwn}
        plans={plans.map((plan) => ({
          planId: plan.planId,
          name: plan.metadata.main.name,
          terms: termsOfPlan(plan),
        }))}
        market={market}
        url={`${env.origin}/a/${agent.agentId}`}
      />
    </>
  );
}

const MOST_PLANS = 50;

/**
 * An agent as everyone sees it, with its listed plans alone. Without one, or archived, only its owner sees it, and has no
 * `facts` of it.
 */
const readPublicAgent = cache(async (given: string) => {
  const agentId = decodeURIComponent(given);
  if (!AgentId.safeParse(agentId).success) notFound();
  const [agent, measured, session] = await Promise.all([
    readPublic("getAgent", { agentId }),
    readPublic("listMarketFacts", { agentIds: agentId }),
    readSession(),
  ]);
  const facts = measured?.agents[0];
  const isOwn = agent !== null && session?.account.address === agent.owner;
  if (!agent || (!facts && !isOwn)) notFound();
  const plans = await readPublic("getAgentPlans", { agentId, limit: MOST_PLANS });
  // In the order their seller made them.
  const listed = (plans?.items ?? [])
    .filter(({ state, archivedAt }) => state === "listed" && !archivedAt)
    .toReversed();
  return { agent, facts, since: measured?.since ?? "", isOwn, plans: listed };
});

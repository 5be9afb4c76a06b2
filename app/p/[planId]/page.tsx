import type { Plan } from "@turnpike/payments/protocol";
import { notFound, unstable_rethrow } from "next/navigation";
import { cache } from "react";
import { readPublic } from "@/app/_session/operations.ts";
import { readSession } from "@/app/_session/session.ts";
import { readMarket } from "@/app/(dashboard)/plans/read-market.ts";
import { verifiedFirst } from "@/components/market/facts-text.ts";
import { agentsOfPlan } from "@/components/market/plan-endpoints.ts";
import { PublicPlan } from "@/components/plans/public-plan.tsx";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import type { Routed } from "@/components/search-params.ts";
import { Visited } from "@/components/shell/visited.tsx";

const MOST_AGENTS = 50;

export async function generateMetadata({ params }: Routed<"planId">) {
  try {
    const { plan } = await readPublicPlan((await params).planId);
    const { name, description } = plan.metadata.main;
    return {
      title: name,
      description: description?.slice(0, 160) || `Buy ${name} on Turnpike.`,
      alternates: { canonical: `/p/${plan.planId}` },
      ...((plan.archivedAt || plan.state !== "listed") && { robots: { index: false } }),
    };
  } catch (cause) {
    unstable_rethrow(cause);
    // The page itself reports the failure.
    return { title: "Plan" };
  }
}

export default async function PublicPlanPage({ params }: Routed<"planId">) {
  const { planId } = await params;
  const [{ plan, isOwn }, agents, market] = await Promise.all([
    readPublicPlan(planId),
    readPublic("getPlanAgents", { planId, limit: MOST_AGENTS }),
    readMarket(),
  ]);
  const agentIds = (agents?.items ?? []).map(({ agentId }) => agentId).join(",");
  const measured = await readPublic("listMarketFacts", { planIds: planId, agentIds });
  const agentFacts = verifiedFirst(measured?.agents ?? []);
  return (
    <>
      <Visited href={`/p/${planId}`} name={plan.metadata.main.name} kind="Plan" />
      <PublicPlan
        planId={planId}
        owner={plan.owner}
        isOwn={isOwn}
        isDraft={plan.state === "draft"}
        texts={plan.metadata.main}
        terms={termsOfPlan(plan)}
        market={market}
        agents={agentsOfPlan(planId, agents?.items ?? [], agentFacts)}
        isArchived={plan.archivedAt !== undefined}
        facts={measured?.plans[0]}
        agentFacts={agentFacts}
      />
    </>
  );
}

/** A plan as everyone sees it. Only the owner can open a draft here. */
const readPublicPlan = cache(async (planId: string): Promise<{ plan: Plan; isOwn: boolean }> => {
  const [plan, session] = await Promise.all([readPublic("getPlan", { planId }), readSession()]);
  const isOwn = plan !== null && session?.account.address === plan.owner;
  if (!plan || (plan.state === "draft" && !isOwn)) notFound();
  return { plan, isOwn };
});

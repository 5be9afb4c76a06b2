import { unstable_rethrow } from "next/navigation";
import { readPublic } from "@/app/_session/operations.ts";
import { readMarket } from "@/app/(dashboard)/plans/read-market.ts";
import { PublicPlan } from "@/components/plans/public-plan.tsx";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import { readPublicPlan } from "./read-public-plan.ts";

type PublicPlanPageProps = { params: Promise<{ planId: string }> };

const MOST_AGENTS = 50;

export async function generateMetadata({ params }: PublicPlanPageProps) {
  try {
    const { plan } = await readPublicPlan((await params).planId);
    const { name, description } = plan.metadata.main;
    return { title: name, description: description?.slice(0, 160) || `Buy ${name} on Turnpike.` };
  } catch (cause) {
    unstable_rethrow(cause);
    // The page itself reports the failure.
    return { title: "Plan" };
  }
}

export default async function PublicPlanPage({ params }: PublicPlanPageProps) {
  const { planId } = await params;
  const [{ plan, isOwn }, agents, market] = await Promise.all([
    readPublicPlan(planId),
    readPublic("getPlanAgents", { planId, limit: MOST_AGENTS }),
    readMarket(),
  ]);
  return (
    <PublicPlan
      planId={planId}
      owner={plan.owner}
      isOwn={isOwn}
      isDraft={plan.state === "draft"}
      texts={plan.metadata.main}
      terms={termsOfPlan(plan)}
      market={market}
      agents={agents?.items ?? []}
    />
  );
}

import { read } from "@/app/_session/operations.ts";
import { PlanOverview } from "@/components/plans/plan-overview.tsx";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import { readMarket } from "../read-market.ts";
import { readOwnPlan } from "../read-own-plan.ts";

const MOST_AGENTS = 100;

export async function OverviewTab({ planId }: { planId: string }) {
  const [{ plan }, agents, market] = await Promise.all([
    readOwnPlan(planId),
    read("getPlanAgents", { planId, limit: MOST_AGENTS }),
    readMarket(),
  ]);
  return (
    <PlanOverview
      planId={planId}
      texts={plan.metadata.main}
      terms={termsOfPlan(plan)}
      market={market}
      agents={agents.items}
      {...(plan.state !== "draft" && { publicUrl: `${market.origin}/p/${planId}` })}
    />
  );
}

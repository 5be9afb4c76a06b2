import { read } from "@/app/_session/operations.ts";
import { planFigures } from "@/components/business/business-figures.tsx";
import { LostCauses } from "@/components/business/lost-causes.tsx";
import { stateOf } from "@/components/plans/plan-list.ts";
import { PlanOverview } from "@/components/plans/plan-overview.tsx";
import type { PlanTabProps } from "@/components/plans/plan-tabs.tsx";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import { VersionHistory } from "@/components/plans/version-history.tsx";
import { Business } from "../../business.tsx";
import { readMarket } from "../read-market.ts";
import { readOwnPlan } from "../read-own-plan.ts";

const MOST_AGENTS = 100;

export async function OverviewTab({ planId, range, includeTest }: PlanTabProps) {
  const [{ plan }, agents, market, figures, series, versions] = await Promise.all([
    readOwnPlan(planId),
    read("getPlanAgents", { planId, limit: MOST_AGENTS }),
    readMarket(),
    read("getPlanFigures", { planId, range, includeTest }),
    read("getActivitySeries", { planId, range, includeTest, role: "builder" }),
    read("listPlanVersions", { planId }),
  ]);
  const state = stateOf(plan);
  const terms = termsOfPlan(plan);
  return (
    <>
      <Business
        path={`/plans/${planId}`}
        figures={planFigures(figures)}
        series={series}
        scope={{ planId }}
        includeTest={includeTest}
      />
      <LostCauses causes={figures.causes} />
      <VersionHistory versions={versions.items} terms={terms} market={market} />
      <PlanOverview
        planId={planId}
        texts={plan.metadata.main}
        terms={terms}
        market={market}
        agents={agents.items}
        {...(state !== "draft" && { publicUrl: `${market.origin}/p/${planId}` })}
      />
    </>
  );
}

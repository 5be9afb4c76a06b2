import { read } from "@/app/_session/operations.ts";
import { GateSamples } from "@/components/plans/plan-samples.tsx";
import { sampleAgentOf } from "@/components/plans/sample-agent.ts";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import { readMarket } from "../read-market.ts";
import { readOwnPlan } from "../read-own-plan.ts";

export async function CodeTab({ planId }: { planId: string }) {
  const [{ plan }, agents, market] = await Promise.all([
    readOwnPlan(planId),
    read("getPlanAgents", { planId, limit: 1 }),
    readMarket(),
  ]);
  return (
    <GateSamples
      planId={planId}
      terms={termsOfPlan(plan)}
      agent={sampleAgentOf(agents.items)}
      market={market}
    />
  );
}

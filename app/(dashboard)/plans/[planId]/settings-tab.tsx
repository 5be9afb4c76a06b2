import { read } from "@/app/_session/operations.ts";
import { PlanSettings } from "@/components/plans/plan-settings.tsx";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import { updatePlan } from "../actions.ts";
import { readOwnPlan } from "../read-own-plan.ts";

export async function SettingsTab({ planId }: { planId: string }) {
  const [{ plan, redeemers }, subscribers, agents] = await Promise.all([
    readOwnPlan(planId),
    read("listSubscribers", { planId, limit: 1 }),
    read("getPlanAgents", { planId, limit: 1 }),
  ]);
  const { name, description, author, license, tags, sampleLink } = plan.metadata.main;
  return (
    <PlanSettings
      planId={planId}
      texts={{ name, description, author, license, tags, sampleLink }}
      state={plan.state}
      version={plan.version}
      subscribers={subscribers.total}
      agents={agents.total}
      redemptionType={termsOfPlan(plan).credits.redemptionType}
      redeemers={redeemers}
      updatePlan={updatePlan}
    />
  );
}

import { confirmationOf } from "@/app/_session/confirmation-of.ts";
import { requireSession } from "@/app/_session/session.ts";
import { PlanBuilder } from "@/components/plans/builder/plan-builder.tsx";
import { createPlan } from "../actions.ts";
import { readMarket } from "../read-market.ts";

export const metadata = { title: "New plan" };

export default async function NewPlanPage() {
  const confirmation = await confirmationOf(await requireSession());
  return (
    <PlanBuilder market={await readMarket()} confirmation={confirmation} createPlan={createPlan} />
  );
}

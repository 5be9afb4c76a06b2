import "server-only";
import { read } from "@/app/_session/operations.ts";
import type { PlanChoice } from "@/components/agents/agent-types.ts";
import { choiceOf } from "@/components/agents/plan-choice.ts";
import { rowOfPlan } from "@/components/plans/plan-row.ts";
import { distinctNames } from "@/components/ui/values/distinct-names.ts";
import { readMarket } from "../plans/read-market.ts";
import { readAll } from "../read-all.ts";

/** The plans of the signed-in account, as an agent's pages show them. */
export async function readPlanChoices(): Promise<PlanChoice[]> {
  const [{ items: plans }, market] = await Promise.all([
    readAll((page) => read("listPlans", page)),
    readMarket(),
  ]);
  const names = distinctNames(
    plans.map(({ planId, metadata }) => [planId, metadata.main.name] as const),
  );
  return plans.map((plan) =>
    choiceOf(plan, {
      name: names.get(plan.planId) ?? "",
      price: rowOfPlan(plan, market).price,
    }),
  );
}

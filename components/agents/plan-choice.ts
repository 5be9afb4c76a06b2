import type { Plan } from "@turnpike/payments/protocol";
import type { PlanChoice } from "./agent-types.ts";

/** A plan as an agent's pages show it. */
export function choiceOf(
  plan: Plan,
  { name, price }: Pick<PlanChoice, "name" | "price">,
): PlanChoice {
  const { minAmount, maxAmount } = plan.registry.credits;
  const [min, max] = [String(minAmount), String(maxAmount)];
  const isTime = plan.metadata.plan.accessLimit === "time";
  return {
    planId: plan.planId,
    name,
    price,
    credits: isTime ? NO_CREDITS : min === max ? min : `${min} to ${max}`,
    minCredits: min,
    isDraft: plan.state === "draft",
    isArchived: plan.archivedAt !== undefined,
  };
}

export function usesText({ credits }: Pick<PlanChoice, "credits">): string {
  if (credits === NO_CREDITS) return "Calls use no credits.";
  return `${credits} ${credits === "1" ? "credit" : "credits"} per call.`;
}

const NO_CREDITS = "No credits";

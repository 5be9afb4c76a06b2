import { type Plan, PlanCreditsConfig, PlanPriceConfig } from "@turnpike/payments/protocol";
import type { PlanTerms } from "./plan-terms.ts";

/** The terms of a plan as the service answers it, whose amounts are decimal strings. */
export const termsOfPlan = (plan: Plan): PlanTerms => ({
  price: PlanPriceConfig.parse(plan.registry.price),
  credits: PlanCreditsConfig.parse(plan.registry.credits),
  accessLimit: plan.metadata.plan.accessLimit,
  isTrial: plan.metadata.plan.isTrialPlan,
});

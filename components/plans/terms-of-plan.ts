import { type Plan, PlanCreditsConfig, PlanPriceConfig } from "@turnpike/payments/protocol";
import type { PlanTerms } from "./plan-terms.ts";

/** Price and credits as the service answers them, whose amounts are decimal strings. */
export const readTerms = ({ price, credits }: Plan["registry"]) => ({
  price: PlanPriceConfig.parse(price),
  credits: PlanCreditsConfig.parse(credits),
});

export const termsOfPlan = (plan: Plan): PlanTerms => ({
  ...readTerms(plan.registry),
  accessLimit: plan.metadata.plan.accessLimit,
  isTrial: plan.metadata.plan.isTrialPlan,
});

import type { Plan } from "@turnpike/payments/protocol";
import { grantWords, priceWords } from "./describe-plan.ts";
import type { Market } from "./market.ts";
import { type PlanRow, stateOf } from "./plan-list.ts";
import { railOfPrice } from "./plan-terms.ts";
import { termsOfPlan } from "./terms-of-plan.ts";

/** A plan as a list row; made on the server, which has the protocol loaded. */
export function rowOfPlan(plan: Plan, market: Market): PlanRow {
  const terms = termsOfPlan(plan);
  return {
    planId: plan.planId,
    name: plan.metadata.main.name,
    price: priceWords(terms.price, market),
    grant: grantWords(terms),
    rail: railOfPrice(terms.price, market),
    state: stateOf(plan),
    isTrial: terms.isTrial,
    version: plan.version,
    createdAt: plan.createdAt,
  };
}

import { PlanCreditsConfig, PlanPriceConfig } from "@turnpike/payments/protocol";
import type { PlanPayload } from "../builder/payload-of-draft.ts";
import type { PlanTerms } from "../plan-terms.ts";

/** The terms of a payload, read as the service reads them. */
export const termsOfPayload = (payload: PlanPayload): PlanTerms => ({
  price: PlanPriceConfig.parse(payload.priceConfig),
  credits: PlanCreditsConfig.parse(payload.creditsConfig),
  accessLimit: payload.accessLimit ?? "credits",
  isTrial: payload.isTrialPlan ?? false,
});

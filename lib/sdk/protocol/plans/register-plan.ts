import * as z from "zod/mini";
import { Address, Uint256 } from "../primitives.ts";
import { PlanCreditsConfig } from "./credits.ts";
import { AccessLimit, PlanMetadata, PlanState } from "./plan.ts";
import { PlanPriceConfig } from "./price.ts";

/** The terms of a plan, and what it says of itself. */
export const PlanTerms = z.object({
  metadataAttributes: PlanMetadata,
  priceConfig: PlanPriceConfig,
  creditsConfig: PlanCreditsConfig,
  isTrialPlan: z.optional(z.boolean()),
  state: z.optional(PlanState),
  /** Accounts that may redeem, for `ONLY_PLAN_ROLE`. */
  redeemers: z.optional(z.array(Address).check(z.maxLength(50))),
});

/**
 * What a plan is registered with (§4.1), whichever way it gives access.
 *
 * @example const { error } = RegisterPlan.safeParse({ metadataAttributes, priceConfig, creditsConfig })
 */
export const RegisterPlan = z.extend(PlanTerms, {
  accessLimit: z._default(AccessLimit, "credits"),
  /** Makes registration safe to repeat: one account and nonce make one plan. */
  nonce: z.optional(Uint256),
});

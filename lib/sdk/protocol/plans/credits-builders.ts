import { PaymentsError } from "../errors.ts";
import { requireWhole, type Whole } from "../uint256.ts";
import type { PlanCreditsConfig } from "./credits.ts";
import { creditsErrors } from "./credits-rules.ts";
import { PlanRedemptionType } from "./plan-types.ts";

/** Every request uses the same number of credits (§2.11). */
export function getFixedCreditsConfig(
  creditsGranted: Whole,
  creditsPerRequest: Whole = 1n,
): PlanCreditsConfig {
  return creditsConfig({
    isRedemptionAmountFixed: true,
    amount: creditsGranted,
    minAmount: creditsPerRequest,
    maxAmount: creditsPerRequest,
  });
}

/** A request uses between a minimum and a maximum of credits (§2.11). */
export function getDynamicCreditsConfig(
  creditsGranted: Whole,
  minCreditsPerRequest: Whole = 1n,
  maxCreditsPerRequest: Whole = 1n,
): PlanCreditsConfig {
  return creditsConfig({
    isRedemptionAmountFixed: false,
    amount: creditsGranted,
    minAmount: minCreditsPerRequest,
    maxAmount: maxCreditsPerRequest,
  });
}

/** Access for a time, in seconds from the order (§2.11). */
export function getExpirableDurationConfig(durationOfPlan: Whole): PlanCreditsConfig {
  return creditsConfig({
    isRedemptionAmountFixed: false,
    amount: 1n,
    minAmount: 1n,
    maxAmount: 1n,
    durationSecs: durationOfPlan,
  });
}

/** Access without an end (§2.11). */
export const getNonExpirableDurationConfig = (): PlanCreditsConfig =>
  getExpirableDurationConfig(0n);

/** The same credits, redeemable by someone else; the given config is left as it is (§2.11). */
export const setRedemptionType = (
  credits: PlanCreditsConfig,
  redemptionType: PlanRedemptionType,
): PlanCreditsConfig => ({ ...credits, redemptionType });

/** The same credits, with or without a proof per redemption; the given config is left as it is (§2.11). */
export const setProofRequired = (
  credits: PlanCreditsConfig,
  proofRequired = true,
): PlanCreditsConfig => ({ ...credits, proofRequired });

/** The same credits, for tokens bound to a key alone, or for bearer tokens too; the given config is left as it is. */
export const setHolderRequired = (
  credits: PlanCreditsConfig,
  holderRequired = true,
): PlanCreditsConfig => ({ ...credits, holderRequired });

function creditsConfig(config: {
  isRedemptionAmountFixed: boolean;
  amount: Whole;
  minAmount: Whole;
  maxAmount: Whole;
  durationSecs?: Whole;
}): PlanCreditsConfig {
  const credits = {
    isRedemptionAmountFixed: config.isRedemptionAmountFixed,
    redemptionType: PlanRedemptionType.ONLY_SUBSCRIBER,
    durationSecs: requireWhole("durationSecs", config.durationSecs ?? 0n),
    amount: String(requireWhole("amount", config.amount)),
    minAmount: requireWhole("minAmount", config.minAmount),
    maxAmount: requireWhole("maxAmount", config.maxAmount),
    proofRequired: false,
    holderRequired: false,
  };
  const [error] = creditsErrors(credits);
  if (error) throw new PaymentsError("invalid_input", `${error.path}: ${error.message}`);
  return credits;
}

import { z } from "zod";
import { PlanRedemptionType } from "./enums.ts";
import { PaymentsError } from "./errors.ts";
import { Address, Uint256 } from "./primitives.ts";

/** One day, one week, a mean Gregorian month and year, in seconds. */
export const ONE_DAY_DURATION = 86_400n;
export const ONE_WEEK_DURATION = 604_800n;
export const ONE_MONTH_DURATION = 2_629_746n;
export const ONE_YEAR_DURATION = 31_557_600n;

const RedemptionType = z
  .union([z.literal(0), z.literal(1), z.literal(2), z.literal(4)])
  .default(PlanRedemptionType.ONLY_SUBSCRIBER);

/**
 * What an order grants and what a request uses (§2.11). `amount` stays a decimal string as the
 * specification has it; the other amounts are `bigint`. `durationSecs` 0 never expires.
 */
export const PlanCreditsConfig = z
  .object({
    isRedemptionAmountFixed: z.boolean(),
    redemptionType: RedemptionType,
    proofRequired: z.boolean().optional(),
    /** Another system's name for `proofRequired`. */
    onchainMirror: z.boolean().optional(),
    durationSecs: Uint256.default(0n),
    amount: Uint256.transform(String),
    minAmount: Uint256.default(1n),
    maxAmount: Uint256.default(1n),
    nftAddress: Address.optional(),
  })
  .transform(({ onchainMirror, proofRequired, ...credits }) => ({
    ...credits,
    proofRequired: proofRequired ?? onchainMirror ?? false,
  }))
  .refine(({ minAmount, maxAmount }) => minAmount <= maxAmount, {
    path: ["minAmount"],
    message: "The minimum is above the maximum.",
  })
  .refine(({ minAmount }) => minAmount >= 1n, {
    path: ["minAmount"],
    message: "A request uses at least one credit.",
  })
  .refine(({ durationSecs }) => durationSecs <= MAX_DURATION_SECS, {
    path: ["durationSecs"],
    message: "Longer than a thousand years.",
  });
export type PlanCreditsConfig = z.output<typeof PlanCreditsConfig>;

const MAX_DURATION_SECS = 1000n * ONE_YEAR_DURATION;

type Amount = bigint | number | string;

/** Every request uses the same number of credits (§2.11). */
export function getFixedCreditsConfig(
  creditsGranted: Amount,
  creditsPerRequest: Amount = 1n,
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
  creditsGranted: Amount,
  minCreditsPerRequest: Amount = 1n,
  maxCreditsPerRequest: Amount = 1n,
): PlanCreditsConfig {
  return creditsConfig({
    isRedemptionAmountFixed: false,
    amount: creditsGranted,
    minAmount: minCreditsPerRequest,
    maxAmount: maxCreditsPerRequest,
  });
}

/** Access for a time, in seconds from the order (§2.11). */
export function getExpirableDurationConfig(durationOfPlan: Amount): PlanCreditsConfig {
  return creditsConfig({
    isRedemptionAmountFixed: false,
    amount: 1n,
    minAmount: 1n,
    maxAmount: 1n,
    durationSecs: durationOfPlan,
  });
}

/** Access for ever (§2.11). */
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

function creditsConfig(config: {
  isRedemptionAmountFixed: boolean;
  amount: Amount;
  minAmount: Amount;
  maxAmount: Amount;
  durationSecs?: Amount;
}): PlanCreditsConfig {
  const parsed = PlanCreditsConfig.safeParse(config);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new PaymentsError("invalid_input", `${issue?.path.join(".")}: ${issue?.message}`);
}

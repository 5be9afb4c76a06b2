import * as z from "zod";
import { Address, Uint256 } from "../primitives.ts";
import { creditsErrors } from "./credits-rules.ts";
import { PlanRedemptionType } from "./plan-types.ts";

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
  .superRefine((credits, context) => {
    for (const { path, message } of creditsErrors(credits)) {
      context.addIssue({ code: "custom", path: [path], message });
    }
  });
export type PlanCreditsConfig = z.output<typeof PlanCreditsConfig>;

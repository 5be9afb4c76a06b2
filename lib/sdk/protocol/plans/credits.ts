import * as z from "zod/mini";
import { Address, Uint256 } from "../primitives.ts";
import { creditsErrors } from "./credits-rules.ts";
import { PlanRedemptionType } from "./plan-types.ts";

const RedemptionType = z._default(
  z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(4)]),
  PlanRedemptionType.ONLY_SUBSCRIBER,
);

/**
 * What an order grants and what a request uses (§2.11). `amount` stays a decimal string as the
 * specification has it; the other amounts are `bigint`. `durationSecs` 0 never expires.
 */
export const PlanCreditsConfig = z
  .pipe(
    z.object({
      isRedemptionAmountFixed: z.boolean(),
      redemptionType: RedemptionType,
      proofRequired: z.optional(z.boolean()),
      /** Whether only tokens bound to a key pay, whose holder signs each request. */
      holderRequired: z._default(z.boolean(), false),
      /** Another system's name for `proofRequired`. */
      onchainMirror: z.optional(z.boolean()),
      durationSecs: z._default(Uint256, 0n),
      amount: z.pipe(Uint256, z.transform(String)),
      minAmount: z._default(Uint256, 1n),
      maxAmount: z._default(Uint256, 1n),
      nftAddress: z.optional(Address),
    }),
    z.transform(({ onchainMirror, proofRequired, ...credits }) => ({
      ...credits,
      proofRequired: proofRequired ?? onchainMirror ?? false,
    })),
  )
  .check(
    z.superRefine((credits, context) => {
      for (const { path, message } of creditsErrors(credits)) {
        context.addIssue({ code: "custom", path: [path], message });
      }
    }),
  );
export type PlanCreditsConfig = z.output<typeof PlanCreditsConfig>;

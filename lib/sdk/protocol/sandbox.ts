import { z } from "zod";
import { Count, Decimal, PlanId, Uint256 } from "./primitives.ts";

/** A million test dollars: nobody needs more to try something. */
const MOST_TEST_DOLLARS = 1_000_000_000_000n;

/** What the faucet is to fill up; both when left out. */
export const FundRequest = z.object({
  usdc: z.boolean().optional(),
  native: z.boolean().optional(),
  /** The test dollars that are needed, in the smallest unit, when that is more than the faucet's usual. */
  usdcAtLeast: Uint256.refine(
    (amount) => amount <= MOST_TEST_DOLLARS,
    "The faucet gives at most 1,000,000.00 test dollars.",
  ).optional(),
});
export type FundRequest = z.output<typeof FundRequest>;

/** What the caller's account holds on chain, in the smallest unit. */
export const Funds = z.object({ account: z.string(), usdc: Decimal, native: Decimal });
export type Funds = z.output<typeof Funds>;

/** What can be made to go wrong. `down`: refused before any effect; `reply-lost`: the effect is there, the answer is not. */
export const FaultName = z.enum([
  "verify-down",
  "verify-slow",
  "settle-down",
  "settle-slow",
  "settle-reply-lost",
  "order-reply-lost",
  "chain-unreachable",
  "chain-paused",
  "card-request-lost",
  "card-reply-lost",
  "card-slow",
  "card-error",
  "card-error-after-effect",
  "card-rate-limited",
]);
export type FaultName = z.output<typeof FaultName>;

/** A fault to arm: it strikes so many calls, or for so long, whichever is over first. */
export const FaultRequest = z.object({
  fault: FaultName,
  times: Count.pipe(z.number().min(1).max(1_000)).default(1),
  durationSecs: Count.pipe(z.number().min(1).max(3_600)).default(300),
  /** How long the slow ones wait. */
  delayMs: Count.pipe(z.number().min(1).max(30_000)).default(2_000),
  /** Strike verify, settle and order calls about this plan only; every call when left out. */
  planId: PlanId.optional(),
});
export type FaultRequest = z.output<typeof FaultRequest>;

/** `left` is how many calls it will still strike; the chain's faults last until `endsAt`. */
export const ArmedFault = z.object({
  faultId: z.string(),
  fault: FaultName,
  left: z.number(),
  struck: z.number(),
  delayMs: z.number(),
  planId: PlanId.optional(),
  endsAt: z.string(),
});
export type ArmedFault = z.output<typeof ArmedFault>;

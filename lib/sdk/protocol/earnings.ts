import { z } from "zod";
import { FigureRange } from "./activity.ts";
import { Decimal } from "./primitives.ts";

export const EarningsQuery = z.object({
  range: FigureRange.default("30d"),
  /** Count also what the builder's own account paid. */
  includeOwn: z.union([z.boolean(), z.stringbool()]).default(false).meta({ wire: "flag" }),
});
export type EarningsQuery = z.output<typeof EarningsQuery>;

/**
 * An exact amount: `amount` in the smallest unit, `value` the same written out with its decimals.
 * `currency` is a lower-case code, or a token's address; a token with unknown decimals has no `value`.
 */
export const Money = z.object({
  currency: z.string(),
  amount: Decimal,
  decimals: z.number().optional(),
  value: z.string().optional(),
});
export type Money = z.output<typeof Money>;

/** What a plan sold and served in the range; `refunded` is part of what was sold. */
export const PlanEarnings = z.object({
  planId: z.string(),
  planName: z.string(),
  sold: z.array(Money.extend({ orders: z.number(), refunded: Decimal, refunds: z.number() })),
  creditsSettled: Decimal,
  requestsSettled: z.number(),
});
export type PlanEarnings = z.output<typeof PlanEarnings>;

/**
 * What an agent's requests took, by plan. `worth` is those credits at the price the plan has now, rounded
 * down: money is earned when a plan is sold, this says by whose work.
 */
export const AgentEarnings = z.object({
  agentId: z.string().optional(),
  agentName: z.string().optional(),
  creditsSettled: Decimal,
  requestsSettled: z.number(),
  worth: z.array(Money),
});
export type AgentEarnings = z.output<typeof AgentEarnings>;

/** A builder's earnings, in exact amounts per currency; `owed` is what a payout still has to bring. */
export const Earnings = z.object({
  range: FigureRange,
  since: z.string(),
  bucketSecs: z.number(),
  totals: z.array(Money.extend({ orders: z.number(), refunded: Decimal, refunds: z.number() })),
  owed: z.array(Money),
  plans: z.array(PlanEarnings),
  agents: z.array(AgentEarnings),
  /** Oldest first; every bucket is there. */
  buckets: z.array(
    z.object({
      at: z.string(),
      sold: z.array(Money.extend({ orders: z.number() })),
      creditsSettled: Decimal,
      requestsSettled: z.number(),
    }),
  ),
});
export type Earnings = z.output<typeof Earnings>;

/** The first page's figures, for both sides of an account. */
export const Home = z.object({
  now: z.string(),
  builder: z.object({
    plans: z.number(),
    agents: z.number(),
    settled24h: z.number(),
    creditsEarned24h: Decimal,
    unsettled: z.number(),
    /** Whether any agent ever answered 402 to a request without a token, or any request was settled. */
    hasChallenged: z.boolean(),
    hasSettled: z.boolean(),
  }),
  subscriber: z.object({
    subscriptions: z.number(),
    tokens: z.number(),
    settled24h: z.number(),
    creditsUsed24h: Decimal,
    unsettled: z.number(),
    activeDelegations: z.number(),
    delegationsEndingIn7Days: z.number(),
    hasSettled: z.boolean(),
  }),
});
export type Home = z.output<typeof Home>;

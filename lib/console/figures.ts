import {
  AgentId,
  Decimal,
  IncludeTest,
  Money,
  MoneyStatus,
  PlanId,
  Role,
  WhoActs,
} from "@turnpike/payments/protocol";
import * as z from "zod/mini";

/** How far back figures look; each has its own width of buckets: an hour, six hours, a day. */
export const FigureRange = z.enum(["24h", "7d", "30d"]);
export type FigureRange = z.output<typeof FigureRange>;

export const HomeQuery = z.object({ includeTest: IncludeTest });
export type HomeQuery = z.output<typeof HomeQuery>;

export const SeriesQuery = z.object({
  range: z._default(FigureRange, "24h"),
  role: z._default(Role, "builder"),
  planId: z.optional(PlanId),
  agentId: z.optional(AgentId),
  includeTest: IncludeTest,
});
export type SeriesQuery = z.output<typeof SeriesQuery>;

const Counts = z.record(MoneyStatus, z.number());

/** Requests by money status, oldest bucket first; every bucket is there, also the empty ones. */
export const ActivitySeries = z.object({
  range: FigureRange,
  bucketSecs: z.number(),
  buckets: z.array(z.object({ at: z.string(), counts: Counts })),
  totals: Counts,
});
export type ActivitySeries = z.output<typeof ActivitySeries>;

/** Calls that were not paid for one cause. `previous` counts a period of the same length before. */
export const CauseCount = z.object({
  cause: z.string(),
  moneyStatus: MoneyStatus,
  whoActs: z.optional(WhoActs),
  calls: z.number(),
  previous: z.number(),
  /** Payers that are known. */
  payers: z.number(),
  /** Different methods and paths, and one of them. */
  routes: z.number(),
  route: z.string(),
  lastAt: z.string(),
  /** The newest of them, and its agent and plan. */
  agentRequestId: z.string(),
  agentId: z.optional(z.string()),
  planId: z.optional(z.string()),
});
export type CauseCount = z.output<typeof CauseCount>;

/** What kept calls from being paid, most frequent first. */
export const CauseCounts = z.object({
  range: FigureRange,
  since: z.string(),
  causes: z.array(CauseCount),
});
export type CauseCounts = z.output<typeof CauseCounts>;

export const FunnelQuery = z.object({
  range: z._default(FigureRange, "30d"),
  planId: z.optional(PlanId),
  agentId: z.optional(AgentId),
  includeTest: IncludeTest,
});
export type FunnelQuery = z.output<typeof FunnelQuery>;

/** From the first 402 to the money; `refused` and `notCharged` are where requests left. */
export const Funnel = z.object({
  range: FigureRange,
  since: z.string(),
  challenged: z.number(),
  refused: z.number(),
  verified: z.number(),
  notCharged: z.number(),
  delivered: z.number(),
  settled: z.number(),
});
export type Funnel = z.output<typeof Funnel>;

export const EarningsQuery = z.object({
  range: z._default(FigureRange, "30d"),
  includeTest: IncludeTest,
});
export type EarningsQuery = z.output<typeof EarningsQuery>;

/** Sales in what they were paid in: USDC and dollars are two currencies. `refunded` is part of the amount, on the day of the sale. */
export const Sold = z.extend(Money, { orders: z.number(), refunded: Decimal, refunds: z.number() });
export type Sold = z.output<typeof Sold>;

/** Requests settled and the credits they took; `series` are the requests by bucket. */
const Served = z.object({
  creditsSettled: Decimal,
  requestsSettled: z.number(),
  series: z.array(z.number()),
});

/** What a plan sold and served in the range. */
export const PlanEarnings = z.extend(Served, {
  planId: z.string(),
  planName: z.string(),
  sold: z.array(Sold),
});
export type PlanEarnings = z.output<typeof PlanEarnings>;

/**
 * What an agent's requests took, by plan. `worth` is those credits at the price the plan has now, rounded
 * down: money is earned when a plan is sold, this says by whose work.
 */
export const AgentEarnings = z.extend(Served, {
  agentId: z.optional(z.string()),
  agentName: z.optional(z.string()),
  worth: z.array(Money),
});
export type AgentEarnings = z.output<typeof AgentEarnings>;

/** An account that paid a builder: what it used and ordered of all of their plans, ever. */
export const TopSubscriber = z.object({
  address: z.string(),
  plans: z.array(z.string()),
  orders: z.number(),
  lastOrderAt: z.string(),
  creditsUsed: Decimal,
});
export type TopSubscriber = z.output<typeof TopSubscriber>;

/** A builder's earnings, in exact amounts per currency. */
export const Earnings = z.object({
  range: FigureRange,
  since: z.string(),
  bucketSecs: z.number(),
  /** `previous` is what the period before sold, after refunds. */
  totals: z.array(z.extend(Sold, { previous: Decimal })),
  /** Over all agents, as are the orders, with their numbers in the period before. */
  worth: z.array(Money),
  orders: z.object({ count: z.number(), previous: z.number(), plans: z.number() }),
  creditsSettled: z.object({ amount: Decimal, previous: Decimal }),
  requestsSettled: z.object({ count: z.number(), previous: z.number() }),
  /** Card sales that no payout has taken yet, test calls included; below zero when refunds and chargebacks took more. */
  owed: z.array(z.extend(Money, { amount: z.string().check(z.regex(/^-?(0|[1-9]\d*)$/)) })),
  /** On its way to the bank. */
  pending: z.array(Money),
  payouts: z.enum(["active", "inactive", "not-offered"]),
  plans: z.array(PlanEarnings),
  agents: z.array(AgentEarnings),
  /** Those who used the most credits of all time, at most ten. */
  subscribers: z.array(TopSubscriber),
  /** Oldest first; every bucket is there. */
  buckets: z.array(
    z.object({
      at: z.string(),
      sold: z.array(Sold),
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
    /** The newest agent that is not archived. */
    agentId: z.optional(z.string()),
    settled24h: z.number(),
    creditsEarned24h: Decimal,
    unsettled: z.number(),
    /** The most that unsettled calls can still charge, and when the oldest was made. */
    creditsDue: Decimal,
    oldestUnsettledAt: z.optional(z.string()),
    /** Whether any agent ever answered 402 to a request without a token, or any request was settled. */
    hasChallenged: z.boolean(),
    hasSettled: z.boolean(),
  }),
  subscriber: z.object({
    subscriptions: z.number(),
    tokens: z.number(),
    /** Whether a delegation was ever made that can spend money. */
    hasLimit: z.boolean(),
    settled24h: z.number(),
    creditsUsed24h: Decimal,
    unsettled: z.number(),
    activeDelegations: z.number(),
    /** How many delegations have a problem that needs attention; one with two of them counts twice. */
    delegationAlerts: z.number(),
    hasSettled: z.boolean(),
  }),
  /** Chargebacks that need evidence, with their next deadline, and those that are late, so that the bank decides. */
  disputes: z.object({ open: z.number(), late: z.number(), until: z.optional(z.string()) }),
  /** What waits for a person. */
  inbox: z.object({ openAlerts: z.number(), waitingApprovals: z.number() }),
});
export type Home = z.output<typeof Home>;

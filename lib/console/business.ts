import {
  AccessLimit,
  AgentId,
  Decimal,
  IncludeTest,
  Money,
  PageQuery,
  PlanCreditsConfig,
  PlanId,
  PlanPriceConfig,
  plainText,
} from "@turnpike/payments/protocol";
import * as z from "zod/mini";
import { FigureRange, Sold } from "./figures.ts";

const Range = { range: z._default(FigureRange, "30d"), includeTest: IncludeTest };
export const PlanFiguresQuery = z.object({ planId: PlanId, ...Range });
export const AgentFiguresQuery = z.object({ agentId: AgentId, ...Range });

/** Requests that named a plan or came with a token, by what became of them; those that only asked are left out. */
const Calls = z.object({
  attempts: z.number(),
  settled: z.number(),
  /** Milliseconds from a request to its whole answer, as gates report them; absent without a report. */
  p50Ms: z.optional(z.number()),
  p95Ms: z.optional(z.number()),
});

/** One period of a plan. */
const PlanPeriod = z.extend(Calls, {
  sold: z.array(Sold),
  newSubscribers: z.number(),
  creditsSold: Decimal,
  creditsUsed: Decimal,
  creditsExpired: Decimal,
});

/** One period of an agent. `worth` is the credits its calls took, at the price their plan has now. */
const AgentPeriod = z.extend(Calls, {
  worth: z.array(Money),
  customers: z.number(),
  creditsUsed: Decimal,
});

/** Why calls were lost, most frequent first: at most ten causes. */
export const LostCause = z.object({ cause: z.string(), calls: z.number(), previous: z.number() });
export type LostCause = z.output<typeof LostCause>;

const Frame = { range: FigureRange, since: z.string(), causes: z.array(LostCause) };

export const PlanFigures = z.object({
  ...Frame,
  now: PlanPeriod,
  previous: PlanPeriod,
  /** Accounts whose access has not expired, and the credits they have left. */
  subscribers: z.number(),
  /** Of these, who renew automatically. A version with another price or time stops their renewals. */
  renewing: z.number(),
  creditsLeft: Decimal,
});
export type PlanFigures = z.output<typeof PlanFigures>;

export const AgentFigures = z.object({ ...Frame, now: AgentPeriod, previous: AgentPeriod });
export type AgentFigures = z.output<typeof AgentFigures>;

/** One version of a plan's terms, and how many accounts ordered it last. */
export const PlanVersion = z.object({
  version: z.number(),
  price: PlanPriceConfig,
  credits: PlanCreditsConfig,
  createdAt: z.string(),
  subscribers: z.number(),
});
export type PlanVersion = z.output<typeof PlanVersion>;

export const CustomersQuery = z.extend(PageQuery, {
  planId: z.optional(PlanId),
  /** A part of a name or address. */
  search: z.optional(plainText(100)),
});

/** What a customer has left of one of the builder's plans. */
const CustomerPlan = z.object({
  planId: z.string(),
  name: z.string(),
  accessLimit: AccessLimit,
  /** Whether something is left and has not expired. */
  isActive: z.boolean(),
  version: z.number(),
  available: Decimal,
  held: Decimal,
  used: Decimal,
  expiresAt: z.optional(z.string()),
});

/** An account that ordered one of the caller's plans; calls are those of the last 30 days. */
export const Customer = z.object({
  address: z.string(),
  name: z.optional(z.string()),
  /** The first `CUSTOMER_PLANS` of them. */
  plans: z.array(CustomerPlan),
  planCount: z.number(),
  orders: z.number(),
  calls: z.number(),
  lastSeenAt: z.string(),
});
export type Customer = z.output<typeof Customer>;
export type CustomerPlan = z.output<typeof CustomerPlan>;

export const CustomerRef = z.object({ address: z.string().check(z.maxLength(64)) });

const CustomerOrder = z.extend(Money, {
  orderId: z.string(),
  planId: z.string(),
  planName: z.string(),
  status: z.string(),
  /** What refunds took of it, in money and in credits. */
  refunded: z.optional(z.extend(Money, { credits: Decimal })),
  /** What a bank has of it. */
  disputed: z.optional(z.extend(Money, { credits: Decimal })),
  at: z.string(),
});

/** A token by the requests it paid for: more of it is not for the builder to see. */
const SeenToken = z.object({
  tokenId: z.string(),
  planName: z.string(),
  calls: z.number(),
  lastUsedAt: z.string(),
});

/** One customer, with the newest `CUSTOMER_ORDERS` and `CUSTOMER_TOKENS`. */
export const CustomerDetails = z.extend(Customer, {
  since: z.string(),
  spent: z.array(Sold),
  /** The last 30 days and the 30 before. */
  now: Calls,
  previous: Calls,
  causes: z.array(LostCause),
  recentOrders: z.array(CustomerOrder),
  tokens: z.array(SeenToken),
});
export type CustomerDetails = z.output<typeof CustomerDetails>;

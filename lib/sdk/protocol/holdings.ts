import * as z from "zod/mini";
import { DelegationSummary } from "./delegation.ts";
import { PageQuery } from "./listing.ts";
import { Money } from "./money.ts";
import { AccessLimit, OrderStatus } from "./plans/plan.ts";
import { AgentId, Decimal, Flag, PlanId } from "./primitives.ts";

/** What the caller has of one plan: `available` can be used, `held` is set aside for requests under way. */
export const Subscription = z.object({
  planId: z.string(),
  planName: z.string(),
  owner: z.string(),
  scheme: z.string(),
  accessLimit: AccessLimit,
  isTrial: z.boolean(),
  isActive: z.boolean(),
  available: Decimal,
  held: Decimal,
  endsAt: z.optional(z.string()),
  /** The most and the least one request takes, by the version ordered last. */
  minAmount: Decimal,
  maxAmount: Decimal,
  orders: z.number(),
  lastOrderAt: z.optional(z.string()),
  creditsGranted: Decimal,
  creditsUsed: Decimal,
  requests30d: z.number(),
  creditsUsed30d: Decimal,
  activeTokens: z.number(),
});
export type Subscription = z.output<typeof Subscription>;

/** Which of the caller's orders are listed, a page at a time. */
export const OrderQuery = z.extend(PageQuery, {
  planId: z.optional(PlanId),
  orderId: z.optional(z.string().check(z.maxLength(64))),
  status: z.optional(OrderStatus),
  /** Leaves out the orders that calls made. */
  withoutTopUps: Flag,
});
export type OrderQuery = z.output<typeof OrderQuery>;

const Back = z.extend(Money, { credits: Decimal });

/** One purchase of the caller's. `reference` is its transaction or payment; `failure` why it was refused. */
export const OrderSummary = z.object({
  orderId: z.string(),
  planId: z.string(),
  planName: z.string(),
  status: OrderStatus,
  scheme: z.string(),
  price: Money,
  creditsGranted: Decimal,
  /** What refunds took of both. Left out while there is none. */
  refunded: z.optional(Back),
  /** What the card's bank has of both, because its holder disputed the payment. Left out while it has nothing. */
  disputed: z.optional(Back),
  isTopUp: z.boolean(),
  delegationId: z.optional(z.string()),
  tokenId: z.optional(z.string()),
  providerPaymentMethodId: z.optional(z.string()),
  reference: z.optional(z.string()),
  failure: z.optional(z.object({ code: z.string(), message: z.string() })),
  createdAt: z.string(),
  /** When it was paid. Left out until then. */
  chargedAt: z.optional(z.string()),
  updatedAt: z.string(),
});
export type OrderSummary = z.output<typeof OrderSummary>;

/** What an access token is good for: only an `Active` one pays. */
export const TokenStatus = z.enum(["Active", "Revoked", "Expired", "Exhausted"]);
export type TokenStatus = z.output<typeof TokenStatus>;

/** An access token and what is left of its limits; never the token itself. */
export const TokenSummary = z.object({
  tokenId: z.string(),
  planId: PlanId,
  planName: z.string(),
  agentId: z.optional(z.string()),
  agentName: z.optional(z.string()),
  delegationId: z.string(),
  delegationName: z.optional(z.string()),
  status: TokenStatus,
  redemptionLimit: z.number(),
  redemptionsUsed: z.number(),
  redemptionsReserved: z.number(),
  redemptionsLeft: z.number(),
  orderLimit: Decimal,
  orderSpent: Decimal,
  orderReserved: Decimal,
  orderLeft: Decimal,
  issuedAt: z.string(),
  expiresAt: z.string(),
  revokedAt: z.optional(z.string()),
  /** When it last paid. */
  lastUsedAt: z.optional(z.string()),
});
export type TokenSummary = z.output<typeof TokenSummary>;

/** Which of the caller's tokens are listed, a page at a time. */
export const TokenQuery = z.extend(PageQuery, {
  planId: z.optional(PlanId),
  agentId: z.optional(AgentId),
  delegationId: z.optional(z.string().check(z.maxLength(64))),
});
export type TokenQuery = z.output<typeof TokenQuery>;

/** One token with its delegation. */
export const TokenDetails = z.extend(TokenSummary, { delegation: DelegationSummary });
export type TokenDetails = z.output<typeof TokenDetails>;

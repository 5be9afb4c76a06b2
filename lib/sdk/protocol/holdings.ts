import * as z from "zod";
import { DelegationSummary } from "./delegation.ts";
import { PageQuery } from "./listing.ts";
import { Money } from "./money.ts";
import { AccessLimit, OrderStatus } from "./plans/plan.ts";
import { AgentId, Decimal, PlanId } from "./primitives.ts";

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
  endsAt: z.string().optional(),
  /** The most and the least one request takes, by the version ordered last. */
  minAmount: Decimal,
  maxAmount: Decimal,
  orders: z.number(),
  lastOrderAt: z.string().optional(),
  creditsGranted: Decimal,
  creditsUsed: Decimal,
  requests30d: z.number(),
  creditsUsed30d: Decimal,
  activeTokens: z.number(),
});
export type Subscription = z.output<typeof Subscription>;

export const OrderQuery = PageQuery.extend({
  planId: PlanId.optional(),
  status: OrderStatus.optional(),
});
export type OrderQuery = z.output<typeof OrderQuery>;

/** One purchase of the caller's. `reference` is its transaction or payment; `failure` why it was refused. */
export const OrderSummary = z.object({
  orderId: z.string(),
  planId: z.string(),
  planName: z.string(),
  status: OrderStatus,
  scheme: z.string(),
  price: Money,
  creditsGranted: Decimal,
  isTopUp: z.boolean(),
  delegationId: z.string().optional(),
  tokenId: z.string().optional(),
  providerPaymentMethodId: z.string().optional(),
  reference: z.string().optional(),
  failure: z.object({ code: z.string(), message: z.string() }).optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type OrderSummary = z.output<typeof OrderSummary>;

export const TokenStatus = z.enum(["Active", "Revoked", "Expired", "Exhausted"]);
export type TokenStatus = z.output<typeof TokenStatus>;

/** An access token and what is left of its limits; never the token itself. */
export const TokenSummary = z.object({
  tokenId: z.string(),
  planId: PlanId,
  planName: z.string(),
  agentId: z.string().optional(),
  agentName: z.string().optional(),
  delegationId: z.string(),
  delegationName: z.string().optional(),
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
  revokedAt: z.string().optional(),
  /** When it last paid. */
  lastUsedAt: z.string().optional(),
});
export type TokenSummary = z.output<typeof TokenSummary>;

export const TokenQuery = PageQuery.extend({
  planId: PlanId.optional(),
  agentId: AgentId.optional(),
  delegationId: z.string().max(64).optional(),
});
export type TokenQuery = z.output<typeof TokenQuery>;

/** One token with its delegation. */
export const TokenDetails = TokenSummary.extend({ delegation: DelegationSummary });
export type TokenDetails = z.output<typeof TokenDetails>;

import * as z from "zod/mini";
import { AgentMetadata, ShownMetadata } from "../agent-metadata.ts";
import { Count, PlanId, Uint256 } from "../primitives.ts";
import { PlanCreditsConfig } from "./credits.ts";
import { PlanPriceConfig } from "./price.ts";

const planRules = {
  isTrialPlan: z.optional(z.boolean()),
  /** Requests to refund unused credits are granted automatically for this many days after an order; 0 for none. */
  refundUnusedDays: z.optional(z.pipe(Count, z.number().check(z.maximum(365)))),
  /** Requests to refund a settled call that was answered with a server error are granted automatically. */
  refundFailedCalls: z.optional(z.boolean()),
};

/** What people read about a plan, and whether it is a trial, which one account can order once (§2.9). */
export const PlanMetadata = z.extend(AgentMetadata, planRules);
export type PlanMetadata = z.output<typeof PlanMetadata>;

/** Whether credits are counted down or access runs for a time. */
export const AccessLimit = z.enum(["credits", "time"]);
export type AccessLimit = z.output<typeof AccessLimit>;

/** Who can find a plan: only its owner, everyone, or anyone with the link. Anyone who knows its id can read it. */
export const PlanState = z.enum(["draft", "listed", "unlisted"]);
export type PlanState = z.output<typeof PlanState>;

/**
 * What one order takes from a delegation's limit: `cents`, minor units of `currency`, rounded up; a stablecoin counts at
 * par. A plan priced in another token has none.
 */
export const OrderCost = z.object({ currency: z.string(), cents: Uint256 });
export type OrderCost = z.output<typeof OrderCost>;

/** A plan as the API answers it; `registry.price.isCrypto` decides its scheme (§1). */
export const Plan = z.object({
  id: PlanId,
  planId: PlanId,
  owner: z.string(),
  state: PlanState,
  version: z.number(),
  scheme: z.string(),
  metadata: z.object({
    main: z.extend(ShownMetadata, planRules),
    plan: z.object({
      accessLimit: AccessLimit,
      isTrialPlan: z.boolean(),
      currency: z.optional(z.string()),
      fiatPaymentProvider: z.optional(z.string()),
      orderCost: z.optional(OrderCost),
    }),
  }),
  registry: z.object({ price: PlanPriceConfig, credits: PlanCreditsConfig }),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Since when it sells nothing; its credits stay usable. */
  archivedAt: z.optional(z.string()),
});
export type Plan = z.output<typeof Plan>;

/** What an account has left on a plan (§2.13). `balance` counts credits and includes those on hold. */
export const PlanBalance = z.object({
  planId: PlanId,
  planName: z.string(),
  planType: AccessLimit,
  holderAddress: z.string(),
  balance: Uint256,
  held: Uint256,
  /** Credits that were used and whose payment went back; the next order's credits repay them first. */
  debt: z.optional(Uint256),
  isSubscriber: z.boolean(),
  expiresAt: z.optional(z.string()),
  creditsContract: z.string(),
  pricePerCredit: z.number(),
});
export type PlanBalance = z.output<typeof PlanBalance>;

/** One account that has ordered a plan, as the plan's owner sees it. */
export const Subscriber = z.object({
  address: z.string(),
  balance: Uint256,
  held: Uint256,
  orders: z.number(),
  creditsUsed: Uint256,
  firstOrderAt: z.string(),
  lastOrderAt: z.string(),
});
export type Subscriber = z.output<typeof Subscriber>;

/** How far an order came. `charging` means the charge was asked for and its outcome is not known yet. */
export const OrderStatus = z.enum([
  "reserved",
  "charging",
  "minted",
  "declined",
  "requires_action",
  "refunded",
]);
export type OrderStatus = z.output<typeof OrderStatus>;

/** With what a card's holder confirms a payment that waits for it; shown to the order's account alone. */
export const CardConfirmation = z.object({
  clientSecret: z.string(),
  publishableKey: z.string(),
  paymentMethodId: z.string(),
  /** A page of the processor's own where the holder confirms; where it has one. */
  confirmationUrl: z.optional(z.string()),
});
export type CardConfirmation = z.output<typeof CardConfirmation>;

/**
 * What an order answers: `success` exactly when the credits are there. When it was not paid, `code` says why for
 * programs, `message` for people, and `nextStep` what to do. One that waits for the card's holder carries
 * `confirmation`, until `confirmBy`.
 */
export const OrderReceipt = z.object({
  success: z.boolean(),
  orderId: z.string(),
  status: OrderStatus,
  txHash: z.optional(z.string()),
  creditsGranted: z.optional(Uint256),
  balance: z.optional(Uint256),
  code: z.optional(z.string()),
  message: z.optional(z.string()),
  nextStep: z.optional(z.string()),
  confirmBy: z.optional(z.string()),
  confirmation: z.optional(CardConfirmation),
});
export type OrderReceipt = z.output<typeof OrderReceipt>;

import * as z from "zod/mini";
import { CardConfirmation, OrderReceipt } from "./plans/plan.ts";
import { Flag, IdempotencyKey, PlanId } from "./primitives.ts";

/**
 * The state of saving a card, and what a page needs to send its number straight to the processor; `paymentMethodId`
 * once it is saved. Only for the account that adds it.
 */
export const CardSetup = z.extend(CardConfirmation, {
  setupIntentId: z.string(),
  status: z.enum([
    "requires_payment_method",
    "requires_confirmation",
    "requires_action",
    "processing",
    "canceled",
    "succeeded",
  ]),
  paymentMethodId: z.optional(z.string()),
});
export type CardSetup = z.output<typeof CardSetup>;

const cardId = z.string().check(z.minLength(1), z.maxLength(255));
/** A saved card, by its ID. */
export const CardRef = z.object({ paymentMethodId: cardId });
/** A card form that was begun, by the ID of the processor's setup intent. */
export const CardSetupRef = z.object({ setupIntentId: cardId });

/** In the sandbox a card may be saved by the name of one of the processor's test cards, such as `pm_card_visa`. */
export const AddPaymentMethod = z.object({
  testCard: z.optional(
    z.string().check(z.regex(/^pm_card_\w{1,80}$/, "Expected a test card such as pm_card_visa.")),
  ),
});

/** `dryRun` only returns what a removal would revoke. */
export const RemovePaymentMethod = z.extend(CardRef, { dryRun: Flag });

/** The live delegations and tokens that end with a card, or, when not `removed`, that would. */
export const CardRemoval = z.object({
  removed: z.boolean(),
  delegations: z.array(
    z.object({
      delegationId: z.string(),
      planIds: z.array(PlanId),
      currency: z.string(),
      remainingBudgetCents: z.string(),
    }),
  ),
  tokens: z.array(z.object({ tokenId: z.string(), planId: PlanId, delegationId: z.string() })),
});
export type CardRemoval = z.output<typeof CardRemoval>;

/** A card plan's purchase: immediate if a card or delegation is named, else by a link to the checkout. */
export const FiatOrder = z.object({
  planId: PlanId,
  sessionType: z.optional(z.string().check(z.maxLength(32))),
  idempotencyKey: z.optional(IdempotencyKey),
  providerPaymentMethodId: z.optional(cardId),
  delegationId: z.optional(z.string().check(z.maxLength(64))),
});

/** Where the purchase is finished, and how far it is; `order` when it was paid, or tried, at once. */
export const FiatOrderAnswer = z.object({
  result: z.object({
    stripeCheckoutSessionId: z.string(),
    checkoutLink: z.string(),
    clientReferenceId: z.string(),
    paymentStatus: z.enum(["paid", "unpaid"]),
    linkCreatedAt: z.string(),
    linkExpiresAt: z.string(),
  }),
  order: z.optional(OrderReceipt),
});
export type FiatOrderAnswer = z.output<typeof FiatOrderAnswer>;

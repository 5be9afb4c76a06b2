import * as z from "zod/mini";
import { PageQuery } from "./listing.ts";
import { Count, PlanId, plainLine, Uint256 } from "./primitives.ts";
import { wordOf } from "./word-of.ts";

/** A currency by its code, such as `usd`: ISO 4217, or `usdc`. Parsed to lower case. */
export const Currency = z
  .pipe(
    z.string().check(z.regex(/^[A-Za-z]{3,5}$/, "Expected a currency code such as usd or eur.")),
    z.transform((code) => code.toLowerCase()),
  )
  .register(z.globalRegistry, { wire: "text" });

/** Which rail a delegation spends on; `stripe` is another name for `card-processor`. */
export const DelegationProvider = wordOf(["erc4337", "card-processor"], (provider) =>
  provider === "stripe" ? "card-processor" : provider,
);
export type DelegationProvider = z.output<typeof DelegationProvider>;

const Duration = z.pipe(Count, z.number().check(z.minimum(1), z.maximum(10 * 31_557_600)));
const limits = {
  spendingLimitCents: z.optional(Uint256),
  durationSecs: z.optional(Duration),
  providerPaymentMethodId: z.optional(z.string().check(z.maxLength(255))),
  currency: z.optional(Currency),
  maxTransactions: z.optional(z.pipe(Count, z.number().check(z.minimum(1)))),
};

/**
 * The spending permission behind a token (§2.3): reuse one by `delegationId`, or have one made from
 * the limits. `spendingLimitCents` is in minor units of `currency`.
 */
export const DelegationConfig = z.object({
  delegationId: z.optional(
    z.string().check(z.minLength(1, "Leave it out to have a delegation made."), z.maxLength(64)),
  ),
  ...limits,
  /** The name of the delegation that is made. Only you see it. */
  name: z.optional(plainLine(80)),
  /** The plans it covers: the token's own without it, any plan when it is empty. */
  planIds: z.optional(z.array(PlanId).check(z.maxLength(50))),
  planId: z.optional(PlanId),
});
export type DelegationConfig = z.output<typeof DelegationConfig>;

/** A spending permission to create (§2.3). */
export const CreateDelegationPayload = z.object({
  provider: z._default(DelegationProvider, "erc4337"),
  ...limits,
  spendingLimitCents: Uint256,
  durationSecs: Duration,
  /** Its name in your lists. Only you see it. */
  name: z.optional(plainLine(80)),
  orderLimit: z.optional(Uint256),
  /** The delegation it renews, whose budgets it begins with. */
  renews: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
  planIds: z.optional(z.array(PlanId).check(z.maxLength(50))),
  planId: z.optional(PlanId),
});
export type CreateDelegationPayload = z.output<typeof CreateDelegationPayload>;

/** Which of your delegations to list. */
export const DelegationQuery = z.extend(PageQuery, {
  /** Those with this name. */
  name: z.optional(plainLine(80)),
  /** `live`: neither revoked nor expired. */
  state: z.optional(z.literal("live")),
});
export type DelegationQuery = z.output<typeof DelegationQuery>;

/**
 * A delegation's life: it ends by revocation, by time, or when a limit is used up. One of an account whose
 * owner is a person's own wallet begins when that wallet has signed its grant.
 */
export const DelegationStatus = z.enum([
  "AwaitingSignature",
  "Active",
  "Revoked",
  "Expired",
  "Exhausted",
]);
export type DelegationStatus = z.output<typeof DelegationStatus>;

/** A delegation as its owner sees it; money in minor units of `currency`. */
export const DelegationSummary = z.object({
  delegationId: z.string(),
  name: z.optional(z.string()),
  provider: DelegationProvider,
  providerPaymentMethodId: z.optional(z.string()),
  status: DelegationStatus,
  sessionKeyAddress: z.string(),
  planIds: z.array(PlanId),
  spendingLimitCents: Uint256,
  amountSpentCents: Uint256,
  amountReservedCents: Uint256,
  remainingBudgetCents: Uint256,
  currency: z.string(),
  transactionCount: z.number(),
  maxTransactions: z.optional(z.number()),
  /** Live tokens under it. */
  activeTokens: z.number(),
  /** API keys that create tokens under it on their own. */
  rootOf: z.array(z.string()),
  signBefore: z.optional(z.string()),
  expiresAt: z.string(),
  createdAt: z.string(),
  revokedAt: z.optional(z.string()),
});
export type DelegationSummary = z.output<typeof DelegationSummary>;

/** A saved card (§2.3); never more of its number than the last four digits. */
export const PaymentMethodSummary = z.object({
  id: z.string(),
  type: z._default(z.enum(["card", "crypto_wallet"]), "card"),
  brand: z.string(),
  last4: z.string(),
  expMonth: z.number(),
  expYear: z.number(),
  isDefault: z.optional(z.boolean()),
  isExpired: z.optional(z.boolean()),
});
export type PaymentMethodSummary = z.output<typeof PaymentMethodSummary>;

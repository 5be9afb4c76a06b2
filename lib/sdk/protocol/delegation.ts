import * as z from "zod";
import { Count, PlanId, plainLine, Uint256 } from "./primitives.ts";

const Currency = z
  .string()
  .regex(/^[A-Za-z]{3,5}$/, "Expected a currency code such as usd or eur.")
  .transform((code) => code.toLowerCase())
  .meta({ wire: "text" });

/** Which payment side a delegation spends on; `stripe` is another name for `card-processor`. */
export const DelegationProvider = z
  .string()
  .transform((provider) => (provider === "stripe" ? "card-processor" : provider))
  .pipe(z.enum(["erc4337", "card-processor"]))
  .meta({ wire: "text" });
export type DelegationProvider = z.output<typeof DelegationProvider>;

const limits = {
  spendingLimitCents: Uint256.optional(),
  durationSecs: Count.pipe(
    z
      .number()
      .min(1)
      .max(10 * 31_557_600),
  ).optional(),
  providerPaymentMethodId: z.string().max(255).optional(),
  currency: Currency.optional(),
  maxTransactions: Count.pipe(z.number().min(1)).optional(),
};

/**
 * The spending permission behind a token (§2.3): reuse one by `delegationId`, or have one made from
 * the limits. `spendingLimitCents` is in minor units of `currency`.
 */
export const DelegationConfig = z.object({
  delegationId: z.string().min(1, "Leave it out to have a delegation made.").max(64).optional(),
  ...limits,
  planId: PlanId.optional(),
});
export type DelegationConfig = z.output<typeof DelegationConfig>;

/** A spending permission to create (§2.3). */
export const CreateDelegationPayload = z.object({
  provider: DelegationProvider.default("erc4337"),
  ...limits,
  spendingLimitCents: Uint256,
  durationSecs: Count.pipe(
    z
      .number()
      .min(1)
      .max(10 * 31_557_600),
  ),
  /** Its name in your lists. Only you see it. */
  name: plainLine(80).optional(),
  orderLimit: Uint256.optional(),
  planIds: z.array(PlanId).max(50).optional(),
  planId: PlanId.optional(),
});
export type CreateDelegationPayload = z.output<typeof CreateDelegationPayload>;

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
  name: z.string().optional(),
  provider: DelegationProvider,
  providerPaymentMethodId: z.string().optional(),
  status: DelegationStatus,
  sessionKeyAddress: z.string(),
  planIds: z.array(PlanId),
  spendingLimitCents: Uint256,
  amountSpentCents: Uint256,
  amountReservedCents: Uint256,
  remainingBudgetCents: Uint256,
  currency: z.string(),
  transactionCount: z.number(),
  maxTransactions: z.number().optional(),
  /** Live tokens under it. */
  activeTokens: z.number(),
  /** API keys that create tokens under it on their own. */
  rootOf: z.array(z.string()),
  signBefore: z.string().optional(),
  expiresAt: z.string(),
  createdAt: z.string(),
  revokedAt: z.string().optional(),
});
export type DelegationSummary = z.output<typeof DelegationSummary>;

/** A saved card (§2.3); never more of its number than the last four digits. */
export const PaymentMethodSummary = z.object({
  id: z.string(),
  type: z.enum(["card", "crypto_wallet"]).default("card"),
  brand: z.string(),
  last4: z.string(),
  expMonth: z.number(),
  expYear: z.number(),
  isDefault: z.boolean().optional(),
  isExpired: z.boolean().optional(),
});
export type PaymentMethodSummary = z.output<typeof PaymentMethodSummary>;

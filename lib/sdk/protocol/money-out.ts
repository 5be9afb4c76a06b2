import * as z from "zod/mini";
import { Address, Decimal, IdempotencyKey, Instant, PlanId, Uint256 } from "./primitives.ts";

/** A currency's code or a stablecoin's symbol, in lower case: `usd`, `usdc`. */
const Currency = z.pipe(
  z.string(),
  z.pipe(
    z.transform((code: string) => code.toLowerCase()),
    z.string().check(z.regex(/^[a-z]{3,5}$/, "Expected a currency such as usd or usdc.")),
  ),
);

/** An amount that may be below zero, as a decimal string. */
const SignedDecimal = z.string().check(z.regex(/^-?(0|[1-9]\d*)$/));

/** What an account has, in smallest units: millionths, as prices have. No sum is taken across currencies. */
export const Balance = z.object({
  currencies: z.array(
    z.object({
      currency: z.string(),
      /** Can be withdrawn or paid out now. */
      available: Decimal,
      /** On its way to your bank. */
      pending: Decimal,
      /** Held for withdrawals and refunds that are under way. */
      reserved: Decimal,
      /** Collected for you and not payable yet; below zero after chargebacks, until later sales cover it. */
      owed: SignedDecimal,
    }),
  ),
  credits: z.array(z.object({ planId: PlanId, available: Decimal, reserved: Decimal })),
});
export type Balance = z.output<typeof Balance>;

export const WithdrawalInput = z.object({
  currency: Currency,
  /** In the stablecoin's smallest unit. */
  amount: Uint256,
  to: Address,
  idempotencyKey: z.optional(IdempotencyKey),
});

/** A withdrawal: `open` until its outcome is known. */
export const Withdrawal = z.object({
  withdrawalId: z.string(),
  status: z.enum(["open", "paid", "refused"]),
  /** Once it is sent. */
  txHash: z.optional(z.string()),
});
export type Withdrawal = z.output<typeof Withdrawal>;

export const PayoutAccountInput = z.object({ idempotencyKey: z.optional(IdempotencyKey) });

export const PayoutAccountStatus = z.enum(["onboarding", "active", "restricted"]);

/** Where a builder enters who they are and their bank, on the processor's own page. */
export const PayoutAccount = z.object({ onboardingUrl: z.string(), status: PayoutAccountStatus });
export type PayoutAccount = z.output<typeof PayoutAccount>;

export const PayoutInput = z.object({
  /** Pays out all that is available in it. */
  currency: Currency,
  idempotencyKey: z.optional(IdempotencyKey),
});

export const Payout = z.object({
  payoutId: z.string(),
  /** `open`: its outcome is unknown. `sent`: on its way to your bank. `returning`: failed, on its way back to you. */
  status: z.enum(["open", "sent", "paid", "returning", "failed"]),
  amount: Decimal,
  currency: z.string(),
  createdAt: Instant,
  arrivesAt: z.optional(Instant),
  /** Why it failed, in the processor's code and in words. */
  failure: z.optional(z.object({ code: z.string(), message: z.string() })),
});
export type Payout = z.output<typeof Payout>;

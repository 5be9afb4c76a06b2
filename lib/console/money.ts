import {
  Address,
  Instant,
  PageQuery,
  PayoutAccountStatus,
  PlanId,
  plainLine,
} from "@turnpike/payments/protocol";
import * as z from "zod/mini";

const SignedDecimal = z.string().check(z.regex(/^-?(0|[1-9]\d*)$/));

/** One amount that came or went; below zero when it went. */
export const Movement = z.object({
  movementId: z.string(),
  kind: z.enum([
    "sale",
    "fee",
    "refund",
    "chargeback",
    "chargeback-won",
    "payout",
    "payout-returned",
    "deposit",
    "test-funds",
    "order",
    "withdrawal",
  ]),
  at: Instant,
  currency: z.string(),
  amount: SignedDecimal,
  /** It was not sent yet, or its outcome is unknown. */
  isOpen: z.boolean(),
  planId: z.optional(PlanId),
  planName: z.optional(z.string()),
  orderId: z.optional(z.string()),
  /** Who paid or received it. */
  party: z.optional(z.string()),
  txHash: z.optional(z.string()),
});
export type Movement = z.output<typeof Movement>;

export const MovementQuery = z.extend(PageQuery, {
  currency: z.optional(z.string().check(z.maxLength(10))),
});
export type MovementQuery = z.output<typeof MovementQuery>;

/** The ledger beside the chain and the processor; a side that did not answer is left out. */
export const MoneyCheck = z.object({
  /** The caller's account, where stablecoin arrives, and the token it must be. */
  account: z.string(),
  token: z.optional(z.string()),
  checkedAt: Instant,
  items: z.array(
    z.object({
      currency: z.string(),
      /** `block 42`, or `processor`. */
      where: z.string(),
      ledger: SignedDecimal,
      outside: SignedDecimal,
      difference: SignedDecimal,
    }),
  ),
});
export type MoneyCheck = z.output<typeof MoneyCheck>;

export const WithdrawalAddress = z.object({
  address: Address,
  name: z.optional(plainLine(80)),
});

export const WithdrawalAddresses = z.object({
  items: z.array(
    z.object({
      address: z.string(),
      name: z.optional(z.string()),
      createdAt: Instant,
      usableAt: Instant,
      isUsable: z.boolean(),
      uses: z.number(),
      lastUsedAt: z.optional(Instant),
    }),
  ),
  /** How long a new address waits. */
  waitSecs: z.number(),
});
export type WithdrawalAddresses = z.output<typeof WithdrawalAddresses>;

export const PayoutScheduleInput = z.object({ schedule: z.enum(["manual", "daily", "weekly"]) });

export const PayoutSetup = z.object({
  /** Whether this deployment pays out card sales. */
  isOffered: z.boolean(),
  /** What the platform keeps of each card sale, in hundredths of a percent. */
  feeBps: z.number(),
  account: z.optional(
    z.object({
      processorAccount: z.string(),
      status: PayoutAccountStatus,
      /** What the processor asks for, in its own names. */
      missing: z.array(z.string()),
      schedule: z.enum(["manual", "daily", "weekly"]),
      nextPayoutAt: z.optional(Instant),
    }),
  ),
});
export type PayoutSetup = z.output<typeof PayoutSetup>;

export const WithdrawalAddressRef = z.object({ address: Address });

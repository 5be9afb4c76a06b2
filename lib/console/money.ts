import {
  Address,
  defineOperations,
  Instant,
  PageQuery,
  PlanId,
  pageOf,
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
    "refund-failed",
    "chargeback",
    "chargeback-won",
    "payout",
    "payout-returned",
    "transfer-returned",
    "deposit",
    "test-funds",
    "order",
    "withdrawal",
    "exact",
  ]),
  at: Instant,
  currency: z.string(),
  amount: SignedDecimal,
  /** It was not sent yet, its outcome is unknown, or it is a payout that has not arrived. */
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

const WithdrawalAddress = z.object({
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
  /** The least that can be withdrawn, in smallest units. */
  least: z.string(),
});
export type WithdrawalAddresses = z.output<typeof WithdrawalAddresses>;

const PayoutScheduleInput = z.object({ schedule: z.enum(["manual", "daily", "weekly"]) });

export const PayoutSetup = z.object({
  /** Whether this deployment pays out card sales. */
  isOffered: z.boolean(),
  /** What the platform keeps of each card sale, in hundredths of a percent. */
  feeBps: z.number(),
  account: z.optional(
    z.object({
      processorAccount: z.string(),
      status: z.enum(["onboarding", "active", "restricted"]),
      /** The processor gives no access to it any more; setting up payouts opens another. */
      isClosed: z.optional(z.literal(true)),
      /** What the processor asks for, in its own names. */
      missing: z.array(z.string()),
      schedule: z.enum(["manual", "daily", "weekly"]),
      nextPayoutAt: z.optional(Instant),
    }),
  ),
});
export type PayoutSetup = z.output<typeof PayoutSetup>;

const WithdrawalAddressRef = z.object({ address: Address });

/** The months that have statements, newest first, with what came and went of money in each currency. */
export const StatementMonths = z.object({
  items: z.array(
    z.object({
      month: z.string(),
      /** The month has been over for an hour in UTC, and its transfers were read; until then its statement can change. */
      isClosed: z.boolean(),
      sums: z.array(
        z.object({
          section: z.enum(["balance", "card-payments", "credits", "credits-sold"]),
          currency: z.string(),
          in: SignedDecimal,
          out: SignedDecimal,
          closing: SignedDecimal,
        }),
      ),
    }),
  ),
});
export type StatementMonths = z.output<typeof StatementMonths>;

export const money = /* @__PURE__ */ defineOperations(
  { name: "money", section: "Dashboard", scope: "money", audience: "console" },
  {
    listMovements: {
      route: "GET /movements",
      summary: "List what came to your balance and left it, newest first",
      sample: () => ({ limit: 5, page: 1, currency: "usd" }),
      input: MovementQuery,
      output: pageOf(Movement),
    },
    listStatements: {
      route: "GET /statements",
      summary: "List the months that have statements, newest first",
      input: z.object({}),
      output: StatementMonths,
    },
    /** Compares your balances in the ledger with the chain and the card processor. */
    checkMoney: {
      route: "GET /movements/check",
      summary: "Compare your balances with the chain and the card processor",
      input: z.object({}),
      output: MoneyCheck,
    },
    listWithdrawalAddresses: {
      route: "GET /withdrawal-addresses",
      summary: "List the addresses you can withdraw to",
      input: z.object({}),
      output: WithdrawalAddresses,
    },
    addWithdrawalAddress: {
      route: "POST /withdrawal-addresses",
      stepUp: true,
      repeatable: true,
      tenancy: "own rows",
      summary: "Add an address you can withdraw to after a wait",
      sample: ({ subscriber }) => ({ address: subscriber.address, name: "Treasury" }),
      input: WithdrawalAddress,
      output: WithdrawalAddresses,
    },
    removeWithdrawalAddress: {
      route: "DELETE /withdrawal-addresses/:address",
      summary: "Remove an address from the list you can withdraw to",
      tenancy: "own rows",
      sample: ({ subscriber }) => ({ address: subscriber.address }),
      input: WithdrawalAddressRef,
      output: WithdrawalAddresses,
    },
    /** Gets how far the onboarding of payouts is, their schedule and the platform's fee. */
    getPayoutSetup: {
      route: "GET /payout-accounts",
      summary: "Get the status of your payouts, their schedule and the platform's fee",
      input: z.object({}),
      output: PayoutSetup,
    },
    /** Sets when card sales are paid out on their own. */
    setPayoutSchedule: {
      route: "PUT /payout-accounts/schedule",
      summary: "Set when card sales are paid out automatically",
      sample: () => ({ schedule: "weekly" }),
      input: PayoutScheduleInput,
      output: PayoutSetup,
    },
  },
);

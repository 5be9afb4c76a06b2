import * as z from "zod/mini";
import { PageQuery, pageOf } from "../listing.ts";
import { Decimal, IdempotencyKey, Instant } from "../primitives.ts";
import { Currency } from "./balance.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";

const PROCESSOR_TIMEOUT_MS = 60_000;

const PayoutAccountInput = z.object({ idempotencyKey: z.optional(IdempotencyKey) });

const PayoutAccountStatus = z.enum(["onboarding", "active", "restricted"]);

/** Where a builder enters who they are and their bank, on the processor's own page. */
export const PayoutAccount = z.object({ onboardingUrl: z.string(), status: PayoutAccountStatus });
export type PayoutAccount = z.output<typeof PayoutAccount>;

const PayoutInput = z.object({
  /** Pays out everything available in it. */
  currency: Currency,
  idempotencyKey: z.optional(IdempotencyKey),
});

/** Money of your card sales on its way to your bank. `amount` is in the smallest unit of `currency`. */
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
export const payouts = /* @__PURE__ */ defineCalls({
  /** Sets up payouts of your card sales: a link to the processor's page, and how far onboarding is. */
  createPayoutAccount: {
    route: "POST /payout-accounts",
    timeoutMs: PROCESSOR_TIMEOUT_MS,
    repeatKey: "idempotencyKey",
    repeatKeyPrefix: "pa_",
    input: PayoutAccountInput,
    output: PayoutAccount,
  },
  /**
   * Pays out everything available in a currency, once per `idempotencyKey`. Throws `conflict` while payouts are not set
   * up or nothing is available.
   */
  createPayout: {
    route: "POST /payouts",
    timeoutMs: PROCESSOR_TIMEOUT_MS,
    repeatKey: "idempotencyKey",
    repeatKeyPrefix: "po_",
    input: PayoutInput,
    output: Payout,
  },
  /** Lists your payouts, newest first. */
  listPayouts: { route: "GET /payouts", input: PageQuery, output: pageOf(Payout) },
});

export const payoutOperations = /* @__PURE__ */ serveCalls(
  { name: "money", section: "Money", scope: "money" },
  payouts,
  {
    createPayoutAccount: {
      summary: "Set up payouts of your card sales; returns a link to the processor's page",
      stepUp: true,
      sample: ({ freshId }) => ({ idempotencyKey: freshId() }),
    },
    createPayout: {
      summary: "Pay out everything available in a currency",
      sample: () => ({ currency: "usd", idempotencyKey: "sample-payout" }),
    },
    listPayouts: { summary: "List your payouts, newest first", sample: () => samplePage },
  },
);

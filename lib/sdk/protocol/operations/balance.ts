import * as z from "zod/mini";
import { Decimal, PlanId } from "../primitives.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { Nothing } from "./shared.ts";

/** A currency's code or a stablecoin's symbol, in lower case: `usd`, `usdc`. */
export const Currency = z.pipe(
  z.string(),
  z.pipe(
    z.transform((code: string) => code.toLowerCase()),
    z.string().check(z.regex(/^[a-z]{3,5}$/, "Expected a currency such as usd or usdc.")),
  ),
);

/** An amount that may be below zero, as a decimal string. */
export const SignedDecimal = z.string().check(z.regex(/^-?(0|[1-9]\d*)$/));

/** What an account has, in smallest units: millionths, as prices have. No sum is taken across currencies. */
export const Balance = z.object({
  currencies: z.array(
    z.object({
      currency: z.string(),
      /** Can be withdrawn or paid out now. */
      available: Decimal,
      /** True while the card processor does not respond: a payout may be less than `available`. */
      isUnconfirmed: z.optional(z.boolean()),
      /** On its way to your bank. */
      pending: Decimal,
      /** Reserved for withdrawals and refunds in progress. */
      reserved: Decimal,
      /** Collected for you and not payable yet; below zero after chargebacks, until later sales cover it. */
      owed: SignedDecimal,
    }),
  ),
  /** Your credits, by plan id: of the first 1,000 plans. `listSubscriptions` lists all. */
  credits: z.array(
    z.object({
      planId: PlanId,
      planName: z.optional(z.string()),
      available: Decimal,
      reserved: Decimal,
    }),
  ),
  /** True when you have credits of more plans than `credits` lists. */
  hasMoreCredits: z.optional(z.boolean()),
});
export type Balance = z.output<typeof Balance>;

export const balance = /* @__PURE__ */ defineCalls({
  /** Gets what you have: per currency available, pending, reserved and owed, and your credits by plan. */
  getBalance: { route: "GET /balance", input: Nothing, output: Balance },
});

export const balanceOperations = /* @__PURE__ */ serveCalls(
  { name: "money", section: "Money", scope: "money" },
  balance,
  { getBalance: { summary: "Get what you have per currency, and your credits by plan" } },
);

import * as z from "zod/mini";
import { Decimal, Instant, PlanId } from "../primitives.ts";
import { SignedDecimal } from "./balance.ts";
import { defineCalls, serveCalls } from "./operation.ts";

/** A month of the calendar in UTC: `2026-11`. */
export const Month = z
  .string()
  .check(z.regex(/^20\d\d-(0[1-9]|1[0-2])$/, "Expected a month such as 2026-11."));

const StatementInput = z.object({
  month: Month,
  format: z._default(z.enum(["json", "csv", "pdf"]), "json"),
});

/** One change of a sum: money in smallest units, below zero when it went, or credits. */
const StatementEntry = z.object({
  entryId: z.string(),
  at: Instant,
  kind: z.string(),
  amount: SignedDecimal,
  currency: z.string(),
  orderId: z.optional(z.string()),
  planId: z.optional(PlanId),
  planName: z.optional(z.string()),
  /** Who paid, was paid, or used the credits. */
  party: z.optional(z.string()),
  partyName: z.optional(z.string()),
  /** The payment, transaction, settlement, refund or payout. */
  reference: z.optional(z.string()),
  invoiceNumber: z.optional(z.int()),
});
export type StatementEntry = z.output<typeof StatementEntry>;

/** A sum with all that changed it. `opening` and the entries add up to `closing`. */
export const StatementSection = z.object({
  /**
   * `balance`: your money. `card-payments`: what your cards paid, in all. `credits`: yours, of a plan. `credits-sold`:
   * those that subscribers of your plan can still use.
   */
  section: z.enum(["balance", "card-payments", "credits", "credits-sold"]),
  /** A currency's code; `credits` of `planId`, or `passes` where it is a time plan. */
  currency: z.string(),
  planId: z.optional(PlanId),
  planName: z.optional(z.string()),
  opening: SignedDecimal,
  entries: z.array(StatementEntry),
  closing: SignedDecimal,
});
export type StatementSection = z.output<typeof StatementSection>;

/** A month of an account, per currency; no sum is taken across currencies. Times are UTC. */
export const Statement = z.object({
  month: Month,
  from: Instant,
  /** Of a month that is not over: when the statement was made. */
  to: Instant,
  isClosed: z.boolean(),
  account: z.string(),
  accountName: z.optional(z.string()),
  sections: z.array(StatementSection),
});
export type Statement = z.output<typeof Statement>;

/** What one order cost, as its seller numbered it. */
export const Invoice = z.object({
  /** Counted per seller, without a gap. */
  number: z.int(),
  issuedAt: Instant,
  orderId: z.string(),
  seller: z.object({ address: z.string(), name: z.optional(z.string()) }),
  buyer: z.object({ address: z.string(), name: z.optional(z.string()) }),
  planId: PlanId,
  planName: z.string(),
  scheme: z.string(),
  currency: z.string(),
  amount: Decimal,
  refunded: Decimal,
  reference: z.optional(z.string()),
});
export type Invoice = z.output<typeof Invoice>;

export const statements = /* @__PURE__ */ defineCalls({
  /**
   * Gets your statement of a month in UTC, such as `2026-11`. Over HTTP, `format=csv` and `format=pdf` answer files.
   * Throws `invalid_input` for a month that has not begun.
   */
  getStatement: {
    route: "GET /statements/:month",
    timeoutMs: 60_000,
    args: (month: string) => ({ month }),
    input: StatementInput,
    output: Statement,
  },
  /** Gets the invoice of an order that you bought or sold. Throws `not_found`. */
  getInvoice: {
    route: "GET /orders/:orderId/invoice",
    args: (orderId: string) => ({ orderId }),
    input: z.object({ orderId: z.string().check(z.maxLength(128)) }),
    output: Invoice,
  },
});

export const statementOperations = /* @__PURE__ */ serveCalls(
  { name: "money", section: "Money", scope: "money" },
  statements,
  {
    getStatement: {
      summary: "Get your statement of a month, as JSON, CSV or PDF",
      tenancy: "own rows",
      isStreamed: true,
      sample: () => ({ month: "2026-01", format: "json" }),
    },
    getInvoice: {
      summary: "Get the invoice of an order you bought or sold",
      sample: ({ spare }) => ({ orderId: spare.cardOrderId }),
    },
  },
);

import * as z from "zod/mini";
import { PageQuery, pageOf } from "../listing.ts";
import { Decimal, IdempotencyKey, plainText } from "../primitives.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";

/** Whose turn it is in a chargeback, or how it ended for the seller. */
export const DisputeStatus = z.enum(["needs_response", "under_review", "won", "lost"]);
export type DisputeStatus = z.output<typeof DisputeStatus>;

/** A chargeback of one of your orders. `amount` is in the smallest unit of `currency`. */
export const Dispute = z.object({
  disputeId: z.string(),
  orderId: z.string(),
  planId: z.string(),
  planName: z.string(),
  subscriber: z.string(),
  amount: Decimal,
  currency: z.string(),
  /** The bank's word for it, such as `product_not_received`. */
  reason: z.string(),
  status: DisputeStatus,
  /** Until when evidence can be sent. */
  respondBy: z.optional(z.string()),
  submittedAt: z.optional(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Dispute = z.output<typeof Dispute>;

/** One piece of evidence, as the bank reads it. */
export const EvidencePart = z.object({ name: z.string(), title: z.string(), text: z.string() });
/** A chargeback with its evidence. */
export const DisputeDetails = z.extend(Dispute, {
  /** What was sent, or what would be sent now. */
  evidence: z.array(EvidencePart),
});
export type DisputeDetails = z.output<typeof DisputeDetails>;

const DisputeRef = z.object({ disputeId: z.string().check(z.maxLength(64)) });

export const disputes = /* @__PURE__ */ defineCalls({
  /** Lists chargebacks of your orders, newest first. */
  listDisputes: {
    route: "GET /disputes",
    input: z.extend(PageQuery, { status: z.optional(DisputeStatus) }),
    output: pageOf(Dispute),
  },
  /** Gets a chargeback with its evidence, put together from the order, its calls and their receipts. */
  getDispute: {
    route: "GET /disputes/:disputeId",
    args: (disputeId: string) => ({ disputeId }),
    input: DisputeRef,
    output: DisputeDetails,
  },
  /**
   * Sends the evidence to the bank, once: `summary` in place of the one that was put together. Throws `conflict` after
   * the deadline, or when a decision was made.
   */
  submitEvidence: {
    route: "POST /disputes/:disputeId/evidence",
    repeatable: true,
    input: z.extend(DisputeRef, {
      summary: z.optional(plainText(20_000)),
      idempotencyKey: z.optional(IdempotencyKey),
    }),
    output: DisputeDetails,
  },
});

export const disputeOperations = /* @__PURE__ */ serveCalls(
  { name: "money", section: "Refunds and disputes", scope: "money" },
  disputes,
  {
    listDisputes: {
      summary: "List chargebacks of your orders, newest first",
      sample: () => ({ ...samplePage, status: "needs_response" }),
    },
    getDispute: { summary: "Get a chargeback with its evidence" },
    submitEvidence: {
      summary: "Send the evidence of a chargeback to the bank",
      sample: ({ spare }) => ({ disputeId: spare.disputeId, summary: "Sample" }),
    },
  },
);

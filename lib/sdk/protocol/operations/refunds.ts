import * as z from "zod/mini";
import { GrantSignature, TypedData } from "../grants.ts";
import { PageQuery, pageOf } from "../listing.ts";
import { AgentRequestId, Decimal, IdempotencyKey, plainText, Uint256 } from "../primitives.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";

export const RefundStatus = z.enum(["requested", "declined", "open", "paid", "refused"]);
/** `open`: the credits were removed, and the money is on its way or its outcome is not known yet. */
export type RefundStatus = z.output<typeof RefundStatus>;

const Id = z.string().check(z.maxLength(64));
const Text = plainText(500);

/** Money or credits that go back to a subscriber. Amounts are in the smallest unit of `currency`. */
export const Refund = z.object({
  refundId: z.string(),
  /** Left out for a call that is refunded in credits. */
  orderId: z.optional(z.string()),
  agentRequestId: z.optional(z.string()),
  planId: z.string(),
  subscriber: z.string(),
  status: RefundStatus,
  amount: Decimal,
  currency: z.string(),
  /** What left the subscriber's balance; of a call that is refunded in credits, what comes back to it. */
  credits: Decimal,
  madeBy: z.enum(["builder", "subscriber", "rule", "processor"]),
  reason: z.optional(z.string()),
  /** The builder's answer. */
  message: z.optional(z.string()),
  reference: z.optional(z.string()),
  failure: z.optional(z.object({ code: z.string(), message: z.string() })),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Until when a request can be answered. */
  expiresAt: z.optional(z.string()),
});
export type Refund = z.output<typeof Refund>;

/** What an order can be refunded now. Amounts are in the smallest unit of `currency`. */
export const Refundable = z.object({
  orderId: z.string(),
  planId: z.string(),
  planName: z.string(),
  subscriber: z.string(),
  currency: z.string(),
  paid: Decimal,
  refunded: Decimal,
  /** The maximum refund: 0 when nothing is left, or the payment is disputed. */
  left: Decimal,
  /** What the unused credits, or the time that is left, cost. */
  unused: Decimal,
  /** The smallest refund; every other one is a multiple of it. */
  step: Decimal,
  /** The minimum refund, unless it refunds everything that is left. Absent in earlier releases. */
  least: z.optional(Decimal),
  /** Until when a rule of the plan refunds the unused part as soon as the subscriber asks. Left out without one. */
  promisedUntil: z.optional(z.string()),
  credits: z.object({ granted: Decimal, available: Decimal, held: Decimal, used: Decimal }),
  createdAt: z.string(),
});
export type Refundable = z.output<typeof Refundable>;

/** The payment of a refund, for the wallet that holds the builder's key. Nothing is paid by signing. */
export const RefundPayment = z.object({
  refundId: z.string(),
  /** Who has to sign: the owner of the builder's account. */
  signer: z.string(),
  to: z.string(),
  token: z.string(),
  /** In the token's smallest unit. */
  amount: Decimal,
  typedData: TypedData,
});
export type RefundPayment = z.output<typeof RefundPayment>;

const What = {
  orderId: z.optional(Id),
  /** A settled call, in place of an order. */
  agentRequestId: z.optional(AgentRequestId),
  /** The most there is to refund unless given. Of a call, its credits go back unless given. */
  amount: z.optional(Uint256),
};
const oneOf = z.refine<{ orderId?: string | undefined; agentRequestId?: string | undefined }>(
  ({ orderId, agentRequestId }) => (orderId === undefined) !== (agentRequestId === undefined),
  { path: ["orderId"], message: "Give an order or a call." },
);
const NewRefund = z
  .object({ ...What, reason: z.optional(Text), idempotencyKey: z.optional(IdempotencyKey) })
  .check(oneOf);
const RefundRef = z.object({ refundId: Id });
const repeatable = { repeatKey: "idempotencyKey", repeatKeyPrefix: "ref_" };

export const refunds = /* @__PURE__ */ defineCalls({
  /**
   * Refunds an order of one of your plans: everything that is left of it, or `amount`; or a settled call, in credits
   * or `amount`. Credits are removed immediately; the money follows, and `open` means that it may have left already.
   * Throws `conflict` when there is nothing left to refund or the payment is disputed. Where your own wallet holds
   * the key of your account, a refund on chain is `requested` until you accept it with the wallet's signature.
   *
   * @example await payments.money.createRefund({ orderId, reason: "Ordered twice" })
   */
  createRefund: {
    route: "POST /refunds",
    ...repeatable,
    input: NewRefund,
    output: Refund,
  },
  /** Lists refunds and requests of your plans, or your own with `role: "subscriber"`, newest first. */
  listRefunds: {
    route: "GET /refunds",
    input: z.extend(PageQuery, {
      role: z.optional(z.enum(["builder", "subscriber"])),
      status: z.optional(RefundStatus),
      orderId: z.optional(Id),
      /** Those of one settled call. */
      agentRequestId: z.optional(AgentRequestId),
    }),
    output: pageOf(Refund),
  },
  /** Gets one refund or request, of either side. */
  getRefund: {
    route: "GET /refunds/:refundId",
    args: (refundId: string) => ({ refundId }),
    input: RefundRef,
    output: Refund,
  },
  /** Gets what an order can be refunded now, for its builder and its subscriber. */
  getRefundable: {
    route: "GET /orders/:orderId/refundable",
    args: (orderId: string) => ({ orderId }),
    input: z.object({ orderId: Id }),
    output: Refundable,
  },
  /**
   * Asks the builder to refund one of your orders or settled calls. A rule of the plan may grant it immediately:
   * without an amount, such a request is for the unused part. A call whose credits have expired is refunded in money:
   * without an amount, all that it cost. Throws `conflict` while another request for the same is open.
   */
  requestRefund: {
    route: "POST /refund-requests",
    ...repeatable,
    input: z
      .object({ ...What, reason: Text, idempotencyKey: z.optional(IdempotencyKey) })
      .check(oneOf),
    output: Refund,
  },
  /** Gets the payment of a requested refund, of `amount` or what it asks for, for your own wallet to sign. */
  getRefundPayment: {
    route: "GET /refund-requests/:refundId/payment",
    input: z.extend(RefundRef, { amount: z.optional(Uint256) }),
    output: RefundPayment,
  },
  /**
   * Accepts a request, with the amount it asks for or another. Accepting twice refunds once. Throws
   * `signature_required` where your own wallet has to sign the payment: see getRefundPayment.
   */
  acceptRefundRequest: {
    route: "POST /refund-requests/:refundId/accept",
    repeatable: true,
    input: z.extend(RefundRef, {
      amount: z.optional(Uint256),
      message: z.optional(Text),
      /** Of the payment, by the wallet that holds the key of your account. */
      signature: z.optional(GrantSignature),
      idempotencyKey: z.optional(IdempotencyKey),
    }),
    output: Refund,
  },
  /** Declines a request. Throws `conflict` if it was already accepted. */
  declineRefundRequest: {
    route: "POST /refund-requests/:refundId/decline",
    repeatable: true,
    input: z.extend(RefundRef, {
      message: z.optional(Text),
      idempotencyKey: z.optional(IdempotencyKey),
    }),
    output: Refund,
  },
});

export const refundOperations = /* @__PURE__ */ serveCalls(
  { name: "money", section: "Refunds and disputes", scope: "money" },
  refunds,
  {
    createRefund: {
      summary: "Refund an order of your plan, or a settled call",
      tenancy: "not found",
      sample: ({ spare }) => ({
        orderId: spare.cardOrderId,
        amount: "10000",
        reason: "Sample",
        idempotencyKey: "sample-refund",
      }),
    },
    listRefunds: {
      summary: "List refunds and requests, newest first",
      sample: ({ spare }) => ({
        ...samplePage,
        role: "builder",
        status: "requested",
        orderId: spare.soldOrderId,
      }),
    },
    getRefund: { summary: "Get a refund or request" },
    getRefundable: {
      summary: "Get what an order can be refunded now",
      sample: ({ spare }) => ({ orderId: spare.soldOrderId }),
    },
    requestRefund: {
      summary: "Ask the builder to refund an order or a settled call",
      tenancy: "not found",
      sample: ({ spare }) => ({
        orderId: spare.cardOrderId,
        amount: "10000",
        reason: "Sample",
        idempotencyKey: "sample-request",
      }),
    },
    getRefundPayment: {
      summary: "Get the payment of a refund for your wallet to sign",
      sample: ({ spare }) => ({ refundId: spare.chainRefundId, amount: "10000" }),
    },
    acceptRefundRequest: {
      summary: "Accept a refund request",
      sample: ({ spare }) => ({ refundId: spare.refundId, message: "Sample" }),
    },
    declineRefundRequest: {
      summary: "Decline a refund request",
      sample: ({ spare }) => ({ refundId: spare.refundToDeclineId, message: "Sample" }),
    },
  },
);

import type { PageQuery, RefundStatus } from "@turnpike/payments/protocol";
import type { AuditNote, OrderRecord, Page } from "../records.ts";

/** How long a builder has to answer a request. */
export const ANSWER_WITHIN_SECS = 14 * 86_400;

/** Money or credits that go back to a subscriber. */
export type RefundRecord = {
  refundId: string;
  /** Null for a call that is refunded in credits. */
  orderId: string | null;
  /** `builder/agentRequestId` of the settled call it is for. */
  requestKey: string | null;
  account: string;
  owner: string;
  planId: string;
  scheme: string;
  currency: string;
  /** In the price's smallest unit; 0 when credits go back. */
  amount: bigint;
  /** What left the balance for it; of a call that is refunded in credits, what the balance gets. */
  credits: bigint;
  state: RefundStatus;
  madeBy: "builder" | "subscriber" | "rule" | "processor";
  reason: string | null;
  message: string | null;
  idempotencyKey: string | null;
  fingerprint: string;
  reference: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  createdAt: Date;
  updatedAt: Date;
  expiresAt: Date | null;
  /** Of the payment, where the builder's own wallet holds the key of their account. */
  signature: string | null;
  dueAt: Date | null;
  checks: number;
};

/** A refund as the processor has it; `refundId` when it was made here. */
export type PaymentRefund = {
  reference: string;
  refundId: string | null;
  /** In the price's smallest unit. */
  amount: bigint;
  state: "open" | "paid" | "refused";
};

/** What can currently be refunded of an order. */
export type Refundable = {
  order: OrderRecord;
  owner: string;
  planName: string;
  /** What refunds and a chargeback left of the price. */
  left: bigint;
  refunded: bigint;
  /** What the order granted, and what of it can be used, is reserved, or was used. */
  granted: bigint;
  available: bigint;
  held: bigint;
  used: bigint;
  /** Of a time plan, how much of the order's time is left, of `duration`; of all other plans both are 0. */
  secsLeft: bigint;
  duration: bigint;
  /** For how many days the version that was bought promises a refund of unused credits. */
  unusedDays: number;
};

/** As whom an account looks for a call. The plan's owner pays for refunds; the account that settled it may be another. */
type CallSide = "owner" | "owner-or-redeemer" | "subscriber";

/** A settled call that may be refunded; `orderId` is the last paid order before it. */
export type SettledCall = {
  requestKey: string;
  account: string;
  /** The plan's owner, also where a redeemer settled the call. */
  owner: string;
  planId: string;
  scheme: string;
  amount: bigint;
  orderId: string | null;
  /** Whether the version that was bought promises a refund of calls that failed. */
  refundsFailed: boolean;
  /** Whether its balance has expired, so that credits that come back to it would expire at once. */
  hasExpired: boolean;
  /** What the gate reported that the agent answered. */
  httpStatus: number | null;
  /** Whether its credits were written to be burned outside, which holds while their rail is left out, too; not by `exact`. */
  isMirrored: boolean;
};

/** Why a refund was not opened, or the refund. */
export type RefundOpening =
  | { outcome: "opened" | "existing"; refund: RefundRecord }
  /**
   * `used`: what the refund is for was used meanwhile. `expired`: credits would return to a balance that has expired.
   * `full`: the balance cannot hold them.
   */
  | { outcome: "disputed" | "unpaid" | "call-refunded" | "used" | "expired" | "full" }
  /** The builder made so many refunds in a day, and may make more only of all that is left of a payment. */
  | { outcome: "many"; mostADay: number }
  /** `paid-out`: the rest was paid out to the builder, and nothing would bring it back. */
  | { outcome: "too-much" | "paid-out"; left: bigint }
  /** A request that was answered, or that someone made for the same before. */
  | { outcome: "decided" | "requested"; refund: RefundRecord };

export interface Refunds {
  find(refundId: string): Promise<RefundRecord | null>;
  findByKey(idempotencyKey: string): Promise<RefundRecord | null>;
  list(
    query: PageQuery & {
      account: string;
      role: "builder" | "subscriber";
      status?: RefundStatus | undefined;
      orderId?: string | undefined;
      agentRequestId?: string | undefined;
    },
  ): Promise<Page<RefundRecord>>;
  findRefundable(orderId: string): Promise<Refundable | null>;
  findCall(account: string, agentRequestId: string, side: CallSide): Promise<SettledCall | null>;
  findCallByKey(requestKey: string): Promise<SettledCall | null>;
  /**
   * Writes the refund and takes its credits, or returns why not: under the order's lock, once per id. One that was
   * requested is opened by its decision. `isUnused` is asked under the balance's lock, before credits are taken.
   */
  open(
    refund: RefundRecord,
    audit: AuditNote,
    terms: {
      /** Whether the builder's sales go on to them with the charge, and so cover none of their debts. */
      isSentOn: boolean;
      /** How many refunds the builder may make on this rail in a day, before one that leaves a part; 0 is unlimited. */
      mostADay?: number;
      isUnused?: ((now: Refundable) => boolean) | undefined;
    },
  ): Promise<RefundOpening>;
  /** Writes a request; one at a time for each order and call. */
  request(refund: RefundRecord, audit: AuditNote): Promise<RefundOpening>;
  /** Declines a request; false when it was answered before. */
  decline(refundId: string, message: string | null, audit: AuditNote): Promise<boolean>;
  /** Notes how the processor names an open refund, or ends it; credits of a refused one return. Idempotent. */
  note(
    refundId: string,
    news: Omit<PaymentRefund, "refundId" | "amount"> & {
      failure?: { code: string; message: string };
    },
  ): Promise<void>;
  /** Writes a refund that was made in the processor's dashboard and takes its part of the credits, once. */
  adopt(order: OrderRecord, found: PaymentRefund & { refundId: string }): Promise<void>;
  /** Whether an order has refunds whose outcome the processor may still change. */
  hasSent(orderId: string): Promise<boolean>;
  /** Takes open refunds that are due for a look; no other replica gets them for a minute. */
  takeDue(limit: number): Promise<RefundRecord[]>;
  putOff(refundId: string): Promise<void>;
  /** Declines requests that were not answered in time; how many that were. */
  expire(): Promise<number>;
}

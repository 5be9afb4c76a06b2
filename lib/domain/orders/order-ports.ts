import type { CardConfirmation, DisputeStatus } from "@turnpike/payments/protocol";
import type { AccountPayment } from "../money/account-payments.ts";
import type { PaymentRefund, RefundRecord } from "../money/refund-ports.ts";
import type { RenewalRecord } from "../money/renewal-ports.ts";
import type { Cause } from "../permissions/causes.ts";
import type { AuditNote, DelegationRecord, OrderRecord } from "../records.ts";

/** Why an order was not paid, and what its buyer can do about it. */
export type OrderFailure = { code: string; message: string; nextStep?: string };

/**
 * The outcome of a payment: paid, refused, or paid and returned. An unknown outcome is thrown, never returned.
 * `isPaidOut`: the receivers have the money already.
 */
export type ChargeOutcome =
  | ({ status: "paid"; reference: string | null; isPaidOut?: boolean } & PaymentNews)
  | (OrderFailure & { status: "refused"; requiresAction?: boolean })
  | (OrderFailure & { status: "returned"; code: "refunded" | "disputed" } & PaymentNews);

/** What happened to a payment after it was made. */
type PaymentNews = {
  /** A part of it was refunded, or all. */
  hasRefunds?: boolean;
  disputes?: PaymentDispute[];
};

/** An order as it is now, and the balance once it is minted. */
export type PaidOrder = { order: OrderRecord; balance?: bigint };

/** A chargeback as the processor has it; `amount` in the price's smallest unit. */
export type PaymentDispute = {
  disputeId: string;
  amount: bigint;
  reason: string;
  status: DisputeStatus;
  respondBy: Date | null;
};

/** The outcome of a refund. An unknown outcome is thrown. */
export type RefundOutcome =
  | { status: "refunded" | "pending"; reference: string }
  | { status: "not-charged" }
  | { status: "refused"; code: string; message: string };

/** What a rail knows and does about an order's payment after charging it. */
export interface PaymentControl {
  /** The payment's outcome, without charging: null when none was made. */
  lookUp?(order: OrderRecord): Promise<ChargeOutcome | null>;
  /** What the card's holder needs to confirm a waiting payment; for the holder only. */
  confirmationOf?(order: OrderRecord): Promise<CardConfirmation | null>;
  /** Cancels a payment that is still open, so that it cannot go through later; returns its outcome. */
  abandon?(order: OrderRecord): Promise<ChargeOutcome | null>;
  /** Refunds the whole payment, once, however often it is called. */
  refund?(order: OrderRecord): Promise<RefundOutcome>;
  /** Sends the money of one refund, once, however often it is called. Left out where payments cannot be refunded. */
  refundPart?(
    order: OrderRecord,
    refund: Pick<RefundRecord, "refundId" | "amount" | "owner" | "signature">,
  ): Promise<RefundOutcome>;
  /** The payment that a refund is, where the money comes from the builder's account. */
  refundPayment?(
    order: OrderRecord,
    refund: Pick<RefundRecord, "refundId" | "amount" | "owner">,
  ): Promise<AccountPayment>;
  /** What every refund is a multiple of, in the price's smallest unit. */
  refundStep?(currency: string): bigint;
  /** The refunds that leave a part of a payment, whose gas the service pays: of so much at least, and so many of a builder in a day; 0 is no limit. */
  refundParts?(currency: string): { least: bigint; mostADay: number };
  /** Refunds of the order's payment, those that were not made here included. */
  listRefunds?(order: OrderRecord): Promise<PaymentRefund[]>;
  /**
   * Takes a chargeback back from the builder's account where the money went on there with the charge, once; what came back
   * from there in all, and why the rest could not be taken.
   */
  takeBackTransfer?(
    order: OrderRecord,
    sentOn: SentOn,
  ): Promise<{ returned: bigint; failure?: OrderFailure }>;
  /** Whether the sales of a builder go on to their account with the charge. */
  sendsOn?(owner: string): boolean;
  /** Sends the evidence of a dispute to the bank, once; the refusal when it is certain that the bank has none. */
  submitEvidence?(
    disputeId: string,
    evidence: Record<string, string>,
  ): Promise<OrderFailure | undefined>;
}

/**
 * Of money that went on to the builder with its charge: what banks have of it, and what is due back for all causes. Of an order
 * that was declined both are its price.
 */
export type SentOn = { disputed: bigint; due: bigint; isRefunding: boolean };

/** What of a delegation or a token forbids an order: a limit, or that it ended. */
export type OrderLimit =
  | "spendingLimitCents"
  | "maxTransactions"
  | "revoked"
  | "expired"
  | "orderLimit"
  | "tokenRevoked";

/** The result of a reservation: reserved, or the limit that forbids it. */
export type Reservation =
  | { outcome: "reserved" }
  | { outcome: "existing"; order: OrderRecord }
  | { outcome: "trial-taken" }
  /** The balance could not hold it with the orders under way: more than 2^256-1 credits, or time beyond the year 9999. */
  | { outcome: "full" }
  | { outcome: "limit"; limit: OrderLimit }
  /** A budget refuses it, or it waits for a person. */
  | { outcome: "budget"; cause: Cause };

/** The request that a top-up is for: what it takes, what it is for, and its `builder/agentRequestId`. */
type TopUp = { amount: bigint; subject: string; request: string };

/** A payment that buys credits. `isPaidOut`: the receivers have the money already. `isCollected`: the service holds it. */
export type MintedPayment = { reference: string | null; isPaidOut?: boolean; isCollected: boolean };

export interface Orders {
  find(orderId: string): Promise<OrderRecord | null>;
  findByKey(account: string, idempotencyKey: string): Promise<OrderRecord | null>;
  /**
   * Writes the order and reserves its price on its budgets, delegation and token, or returns what forbids it. An order
   * without a key is a signed-in person's, and needs no approval. `created` is a new delegation it pays under, written with it.
   */
  reserve(
    order: OrderRecord,
    audit: AuditNote,
    created?: DelegationRecord | null,
  ): Promise<Reservation>;
  /**
   * Writes an order that was paid at its `chargedAt`, and grants its credits in the same transaction, so that a crash leaves
   * nothing behind; or returns what forbids it. Budgets do not: its money is spent. One that is known as `requires_action`,
   * as repairs of earlier releases wrote it first, is finished.
   */
  restore(order: OrderRecord, payment: MintedPayment, audit: AuditNote): Promise<Reservation>;
  /** Reserves an order of a renewal; `changed` when it was switched or moved on since it was read. */
  reserveRenewal(
    order: OrderRecord,
    renewal: RenewalRecord,
    audit: AuditNote,
  ): Promise<Reservation | { outcome: "changed" }>;
  /**
   * The same for a top-up; `filled` when the balance has `amount` by now or another top-up is under way, or one of the
   * same delegation waits for its holder, so that requests with insufficient credits buy once.
   */
  reserveTopUp(
    order: OrderRecord,
    topUp: TopUp,
    audit: AuditNote,
  ): Promise<Reservation | { outcome: "filled" }>;
  /** The top-up of a balance by a delegation that waits for its holder. */
  findWaiting(
    of: Pick<OrderRecord, "account" | "planId"> & { delegationId: string },
  ): Promise<OrderRecord | null>;
  /** Records, before charging, that the outcome is unknown from now on; null when the order has ended or waits for its holder. */
  markCharging(orderId: string): Promise<OrderRecord | null>;
  /**
   * Grants the credits once and turns the reservation into spending; returns the balance. `declined`: the order had
   * ended and released its reservation, or ends now because the balance cannot hold its credits, so the payment buys
   * nothing.
   */
  mint(
    orderId: string,
    payment: MintedPayment,
  ): Promise<{ outcome: "minted"; balance: bigint } | { outcome: "declined" }>;
  /**
   * Declines an order and releases its reservation; `requires_action` keeps it until the holder confirms. `isDue` has one that
   * was declined looked at again.
   */
  decline(
    orderId: string,
    status: "declined" | "requires_action",
    failure: OrderFailure,
    next?: { isDue: boolean },
  ): Promise<void>;
  /** Records, before refunding, that a declined order's payment has to be refunded. */
  oweRefund(orderId: string): Promise<void>;
  /** Ends a refund that is owed. */
  closeRefund(orderId: string, state: "done" | "refused", reference: string | null): Promise<void>;
  /** The payment of a declined order went back otherwise: no refund is owed. `isDue` has the order looked at again. */
  closeReturned(orderId: string, next: { isDue: boolean }): Promise<void>;
  /**
   * Takes a minted order's credits back. With `revokes`, in the same transaction, also revokes what may have been
   * bought by fraud: the delegations on its card and the tokens of its plan. Idempotent.
   */
  reverse(
    orderId: string,
    failure: OrderFailure,
    options: { revokes: boolean; audit: AuditNote },
  ): Promise<void>;
  /** Undoes a reversal, because the money came back. What was revoked stays revoked. */
  reinstate(orderId: string, audit: AuditNote): Promise<void>;
  /** What is due back of an order's money that went on to the builder with the charge; null where none did, as far as is known. */
  findSentOn(orderId: string): Promise<SentOn | null>;
  /** Notes what came back of it in all; ends the order's looks when that is done and nothing changed since it was read. */
  noteReturned(
    orderId: string,
    news: { returned: bigint; isDone: boolean; sentOn: SentOn },
  ): Promise<void>;
  /** Takes open orders that are due for a check; no other replica gets them for a minute. */
  takeDue(limit: number): Promise<OrderRecord[]>;
  /** Schedules the next check, with backoff; past `stuckAfterSecs` of age the order is stuck. Whether it just became so. */
  putOff(orderId: string, stuckAfterSecs: number): Promise<boolean>;
  /** How many orders are stuck: open past their deadline, so that a person has to look at them. */
  countStuck(): Promise<number>;
}

import type { CardConfirmation } from "@turnpike/payments/protocol";
import type { AuditNote } from "../ports.ts";
import type { OrderRecord } from "../records.ts";

/** Why an order was not paid, and what its buyer can do about it. */
export type OrderFailure = { code: string; message: string; nextStep?: string };

/**
 * What became of a payment: it went through, was refused, or went through and went back. Not knowing is thrown,
 * never returned. `isPaidOut`: the receivers have the money already.
 */
export type ChargeOutcome =
  | { status: "paid"; reference: string | null; isPaidOut?: boolean }
  | (OrderFailure & { status: "refused"; requiresAction?: boolean })
  | (OrderFailure & { status: "returned"; code: "refunded" | "disputed" });

/** What became of giving a payment back. Not knowing is thrown. */
export type RefundOutcome =
  | { status: "refunded" | "pending"; reference: string }
  | { status: "not-charged" }
  | { status: "refused"; code: string; message: string };

/** What a rail can tell and do about an order's payment once it was asked for. */
export interface PaymentControl {
  /** What became of the payment, without asking for one: null when none was made. */
  lookUp?(order: OrderRecord): Promise<ChargeOutcome | null>;
  /** With what its holder confirms a payment that waits for it; for the holder alone. */
  confirmationOf?(order: OrderRecord): Promise<CardConfirmation | null>;
  /** Ends a payment that is still open, so that it cannot go through later; what became of it. */
  abandon?(order: OrderRecord): Promise<ChargeOutcome | null>;
  /** Gives the whole payment back, once, however often it is asked for. */
  refund?(order: OrderRecord): Promise<RefundOutcome>;
}

/** What a reservation met: it stands, or the limit that forbids it. */
export type Reservation =
  | { outcome: "reserved" }
  | { outcome: "existing"; order: OrderRecord }
  | { outcome: "trial-taken" }
  | {
      outcome: "limit";
      limit: "spendingLimitCents" | "maxTransactions" | "orderLimit" | "revoked";
    };

export interface Orders {
  find(orderId: string): Promise<OrderRecord | null>;
  findByKey(account: string, idempotencyKey: string): Promise<OrderRecord | null>;
  /** Writes the order and sets its price aside on its delegation and token, or says what forbids it. */
  reserve(order: OrderRecord, audit: AuditNote): Promise<Reservation>;
  /**
   * The same for a top-up; `filled` when the balance holds `amount` by now or another top-up is under
   * way, so that a crowd of short requests buys once.
   */
  reserveTopUp(
    order: OrderRecord,
    amount: bigint,
    audit: AuditNote,
  ): Promise<Reservation | { outcome: "filled" }>;
  /** Records, before the charge is asked for, that its outcome is unknown from now on. */
  markCharging(orderId: string): Promise<void>;
  /**
   * Grants the credits once and turns the reservation into spending; the balance after it. `declined`: the
   * order had ended, its reservation was given back, and such a payment buys nothing.
   */
  mint(
    orderId: string,
    payment: { reference: string | null; isPaidOut?: boolean },
  ): Promise<{ outcome: "minted"; balance: bigint } | { outcome: "declined" }>;
  /** Ends a refused order and gives its reservation back; `requires_action` keeps it until the holder confirms. */
  decline(
    orderId: string,
    status: "declined" | "requires_action",
    failure: OrderFailure,
  ): Promise<void>;
  /** Writes down, before a refund is asked for, that a declined order's payment has to go back. */
  oweRefund(orderId: string): Promise<void>;
  closeRefund(orderId: string, state: "done" | "refused", reference: string | null): Promise<void>;
  /**
   * Takes a minted order's credits back, in one transaction with the end of what may have been bought by
   * fraud when `revokes`: the delegations on its card and the tokens of its plan. Twice is the same as once.
   */
  reverse(
    orderId: string,
    failure: OrderFailure,
    options: { revokes: boolean; audit: AuditNote },
  ): Promise<void>;
  /** Undoes a reversal, because the money came back after all. What was revoked stays revoked. */
  reinstate(orderId: string, audit: AuditNote): Promise<void>;
  /** Takes open orders that are due to be looked at; for a minute nobody else gets them. */
  takeDue(limit: number): Promise<OrderRecord[]>;
  /** Looks again later, and later each time; past `stuckAfter` of its age it is stuck. Whether it newly is. */
  putOff(orderId: string, stuckAfterSecs: number): Promise<boolean>;
  /** How many orders are stuck: open past their deadline, for a person to look at. */
  countStuck(): Promise<number>;
}

import { type ForeignOffer, PaymentsError } from "@turnpike/payments/protocol";

/** Refuses a payment out of an account whose owner key is in a person's wallet; `hint` says what to do instead. */
export const walletHolds = ({ path, hint }: { path: string; hint: string }): PaymentsError =>
  new PaymentsError(
    "signature_required",
    "Your own wallet holds the key of this account, so the service cannot send from it. Nothing was sent.",
    { hint, details: [{ path, message: "owner_signature" }] },
  );

/** What was signed for a seller (EIP-3009), beside account, recipient and amount; times in epoch seconds. */
export type SentAuthorization = {
  /** The offer it answers. */
  offer: ForeignOffer;
  /** The address it pays for. */
  resource: string;
  validAfter: string;
  validBefore: string;
  nonce: string;
  signature: string;
};

/**
 * One payment out of an account: `amount` in the token's smallest unit, the zero address for the chain's own coin. One of
 * kind `exact` is sent by its recipient, who has its authorization.
 */
export type AccountPayment = {
  paymentId: string;
  kind: "withdrawal" | "refund" | "exact";
  account: string;
  token: string;
  to: string;
  amount: bigint;
};

/**
 * What became of a payment. `paid` and `refused` are final, and a refused one took nothing. `open` is unknown: pay again
 * with the same id, which never pays twice.
 */
export type AccountPaymentOutcome =
  | { status: "paid"; txHash: string }
  | { status: "refused"; code: string; message: string }
  | { status: "open"; txHash: string | null };

/** Pays out of accounts: the service signs where it keeps the owner key. */
export interface AccountPayments {
  /**
   * Pays once, however often and by however many replicas it is called; with the owner's signature where their own
   * wallet made it.
   *
   * @throws when the id names another payment.
   * @example const { status } = await ports.accountPayments.pay({ paymentId, kind: "refund", account, token, to, amount });
   */
  pay(payment: AccountPayment, signature?: string | null): Promise<AccountPaymentOutcome>;
}

/** The transaction that carried a payment last: unless its nonce is used, it can still be included. */
type SentTransaction = { sender: string; nonce: number; hash: string };

export type AccountPaymentRecord = AccountPayment & {
  state: "open" | "paid" | "refused";
  operationHash: string | null;
  sinceBlock: bigint | null;
  sent: SentTransaction | null;
  txHash: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  authorization: SentAuthorization | null;
  delegationId: string | null;
  createdAt: Date;
  closedAt: Date | null;
};

/** Where payments are written before, while and after they are sent. */
export interface AccountPaymentJournal {
  find(paymentId: string): Promise<AccountPaymentRecord | null>;
  /** Writes the payment, or returns the one that is there; the first operation hash and block stay. */
  open(
    payment: AccountPayment,
    known: { operationHash: string; sinceBlock: bigint },
  ): Promise<AccountPaymentRecord>;
  /** Notes a transaction before it is sent; false when the payment is closed, or a withdrawal of a stopped account. */
  noteSending(paymentId: string, sent: SentTransaction): Promise<boolean>;
  /**
   * Ends an open payment. A refusal counts only when nothing was sent since `seen`; false when something was, or
   * when it was closed before. What a delegation set aside for it is spent, or given back.
   */
  close(
    paymentId: string,
    outcome: Exclude<AccountPaymentOutcome, { status: "open" }>,
    seen?: SentTransaction | null,
  ): Promise<boolean>;
  /** Takes open payments that are due for another look; refunds have a queue of their own. Accounts take turns. No other replica gets them for a minute. */
  takeDue(kind: "withdrawal" | "exact", limit: number): Promise<AccountPaymentRecord[]>;
  /** Open payments of an account, the largest first. */
  listLargest(
    kind: AccountPayment["kind"],
    account: string,
    limit: number,
  ): Promise<AccountPaymentRecord[]>;
}

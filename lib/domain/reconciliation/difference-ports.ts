import type { PayoutRecord } from "../money/payout-ports.ts";

/** How ledger and card processor can differ, and rules of the ledger that are broken. */
export type DifferenceKind =
  | "payment_without_order"
  | "order_without_payment"
  | "paid_twice"
  | "amount_differs"
  | "currency_differs"
  | "paid_but_open"
  | "paid_but_declined"
  | "refund_unknown"
  | "refund_not_sent"
  | "dispute_unknown"
  | "dispute_ended"
  | "payout_unknown"
  | "payout_differs"
  | "payout_not_sent"
  | "payout_sent_twice"
  | "rule_broken"
  | "rule_late";

/** One difference. It stays `open` until both sides agree (`resolved`) or a person has explained it. */
export type Difference = {
  /** The kind and the subject. */
  differenceId: string;
  kind: DifferenceKind;
  /** The order, the transfer, or what breaks the rule. */
  subject: string;
  /** The payment or transfer at the processor, where there is one. */
  reference: string | null;
  /** What happened, for a person. */
  detail: string;
};

export type DifferenceRecord = Difference & { foundAt: Date };

/** A card order as the comparison needs it. Amounts are in the unit of prices. */
export type LedgerPayment = {
  orderId: string;
  status: "reserved" | "charging" | "minted" | "declined" | "requires_action" | "refunded";
  price: bigint;
  currency: string;
  reference: string | null;
  /** Of an order that was declined and paid. */
  refundState: "owed" | "done" | "refused" | null;
  /** What refunds take of the price, and what of that was sent. */
  refunded: bigint;
  refundedPaid: bigint;
  /** What a chargeback took. */
  reversed: bigint;
};

export type LedgerPayout = Pick<
  PayoutRecord,
  "payoutId" | "state" | "currency" | "amount" | "transferReference"
>;

/** Up to when something was compared: the ledger and its rules in its time, the processor in its own. */
export type Watermarks = { ledger: Date; processor: Date; rules: Date };

/** What a comparison found. `judged` are all subjects that were looked at. */
type Findings = {
  judged: string[];
  found: Difference[];
  /** Found, and gone once the order or payout was read again. */
  healed: Difference[];
};

/** Where differences are kept, and the ledger's side of the comparison. */
export interface Differences {
  /** Before the first comparison, the time of the first order. */
  readWatermarks(): Promise<Watermarks>;
  /** Paid orders of a scheme by id, and those that changed since. */
  readPayments(query: {
    scheme: string;
    orderIds: string[];
    since: Date;
  }): Promise<LedgerPayment[]>;
  readPayouts(query: { payoutIds: string[]; since: Date }): Promise<LedgerPayout[]>;
  /** Which of these accounts at the processor are builders' of this ledger. */
  listPayoutAccounts(among: string[]): Promise<string[]>;
  /**
   * Writes what was found, resolves what no longer differs, and moves the watermarks; in one transaction. Returns
   * what was not known before.
   */
  save(findings: Findings, watermarks: Partial<Watermarks>): Promise<Difference[]>;
  listOpen(): Promise<DifferenceRecord[]>;
  /** The subjects of late work that is open or explained: it is looked at again until it is no longer late. */
  listLate(): Promise<string[]>;
  /** A person explained an open difference. How many that were. */
  explain(differenceId: string, note: string): Promise<number>;
  /** What breaks a rule of the ledger among what changed since, up to `until` if given, and all work that is late. */
  checkRules(since: Date, until?: Date | null): Promise<Difference[]>;
  /** Checks every rule for everything that there is: minutes at millions of rows. Returns how many rows break each. */
  checkAllRules(): Promise<{ rule: string; broken: number }[]>;
  /** Money of card sales per currency: what came in, went out, and is held for builders and as fees. */
  sumMoney(): Promise<{ currency: string; received: bigint; sent: bigint; held: bigint }[]>;
}

/** Whether sales stop for it. Work that is late is degraded alone: no credits are worth less for it. */
export const stopsSales = ({ kind }: Pick<Difference, "kind">): boolean => kind !== "rule_late";

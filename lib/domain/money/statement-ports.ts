import type { Statement } from "@turnpike/payments/protocol";

type SectionName = Statement["sections"][number]["section"];

/** Whose statement, and from when to when, the end left out. */
export type StatementScope = { account: string; token: string | null; from: Date; to: Date };

/** What moves one sum: money in a currency, or credits of a plan. `unit` is the currency or the plan's id. */
export type StatementSection = {
  section: SectionName;
  unit: string;
  planName: string | null;
  /** Whether the plan is paid for a time; null without a plan. */
  isTime: boolean | null;
  opening: bigint;
  closing: bigint;
  entries: number;
};

export type StatementEntryRow = {
  unit: string;
  entryId: string;
  at: Date;
  kind: string;
  /** Below zero when it went. */
  amount: bigint;
  orderId: string | null;
  planId: string | null;
  planName: string | null;
  party: string | null;
  partyName: string | null;
  reference: string | null;
  invoiceNumber: number | null;
  /** `at` in microseconds, to go on from. */
  micros: string;
};

/** What came and went of a currency in a month. */
export type MonthSum = {
  month: string;
  section: SectionName;
  unit: string;
  in: bigint;
  out: bigint;
};

/** Statements as the ledger has them. */
export interface Statements {
  listSections(scope: StatementScope): Promise<StatementSection[]>;
  /** A page of the entries of sections of one name, in the order of the sections and then oldest first. */
  listEntries(
    scope: StatementScope,
    of: { section: SectionName; units: string[] },
    page: { after: StatementEntryRow | undefined; limit: number },
  ): Promise<StatementEntryRow[]>;
  /** Money only, oldest first. */
  listMonths(account: string, token: string | null): Promise<MonthSum[]>;
  /** Sellers with at least so many sales since theirs were summed. */
  listBusy(token: string, from: number): Promise<string[]>;
  /** Sums up a seller's closed sales, so that `listMonths` reads the rest alone. */
  sumSales(account: string, token: string, closedUntil: Date): Promise<void>;
  /** When the first credits of the account or of its plans were granted. */
  firstCredits(account: string): Promise<Date | null>;
  /** Since when a payment on chain that the account makes or receives is under way; null when none is. */
  underWaySince(account: string, token: string | null): Promise<Date | null>;
}

/** An order's invoice; names are as they were when it was paid. */
export type InvoiceRecord = {
  number: number;
  issuedAt: Date;
  orderId: string;
  owner: string;
  ownerName: string | null;
  buyer: string;
  buyerName: string | null;
  planId: string;
  planName: string;
  scheme: string;
  currency: string;
  price: bigint;
  /** What went back of the price, by refunds and a chargeback. */
  refunded: bigint;
  reference: string | null;
};

export interface Invoices {
  /** The invoice of an order, or of the order with this payment reference, that the account sold or bought. */
  find(account: string, orderIdOrReference: string): Promise<InvoiceRecord | null>;
}

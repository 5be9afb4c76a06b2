import type { PageQuery } from "@turnpike/payments/protocol";
import type { AuditNote, Page } from "../records.ts";

export type PayoutSchedule = "manual" | "daily" | "weekly";

/** A builder's account at the card processor. */
export type PayoutAccountRecord = {
  account: string;
  processorAccount: string;
  /** `onboarding`: nothing was submitted yet. `restricted`: the processor pays nothing out until it has what is missing. */
  status: "onboarding" | "active" | "restricted";
  /** What the processor asks for, in its own names. */
  missing: string[];
  schedule: PayoutSchedule;
  nextPayoutAt: Date | null;
};

/** The account as the processor has it now. */
export type PayoutAccountState = Pick<PayoutAccountRecord, "status" | "missing"> & {
  /** What it can be paid out in without a conversion; null where the processor does not say. */
  currencies: string[] | null;
  /** The processor gives no access to it any more: its owner closed it, or left the platform. */
  isClosed?: boolean;
  /** Why it pays nothing out, in its own words, where it asks for nothing. */
  disabledReason?: string;
};

export type PayoutRecord = {
  payoutId: string;
  account: string;
  processorAccount: string;
  currency: string;
  /** In the smallest unit that prices have: millionths. */
  amount: bigint;
  state: "open" | "sent" | "paid" | "returning" | "failed";
  transferReference: string | null;
  payoutReference: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  arrivesAt: Date | null;
  createdAt: Date;
};

/** When the money of a sale is available at the processor, and in which currency it arrives there. */
type Clearing = { currency: string; availableOn: Date };

type OwedRecord = { currency: string; amount: bigint; cleared: bigint; converted: bigint };

/** `reason` is the processor's own, for the log. */
export type PayoutFailure = {
  code: string;
  message: string;
  reason?: string;
  /** Every payout of the account would be refused until its owner has changed something. */
  isOfAccount?: boolean;
  /** It is not known what the builder could do. */
  isOperators?: boolean;
};

/** The card processor as what pays builders. Each step may be repeated and happens once; an unknown outcome is thrown. */
export interface PayoutProcessor {
  /** Opens the builder's account, or finds the one of an earlier attempt; its id there. `instead` is one that was closed. */
  openAccount(account: string, instead: string | null): Promise<string>;
  /** The processor's own page, where the builder enters who they are; valid for minutes. */
  onboardingUrl(processorAccount: string, returnUrl: string): Promise<string>;
  readAccount(processorAccount: string): Promise<PayoutAccountState>;
  /** What every payout in a currency is a multiple of, in the unit of prices. */
  step(currency: string): bigint;
  /** What the service's own account there can pay out in a currency now; null where sales in it are converted into another. */
  cleared(currency: string): Promise<bigint | null>;
  /** When the payment with this reference clears; null while the processor does not know it. */
  clearingOf(reference: string): Promise<Clearing | null>;
  /** Moves the money to the builder's account there. */
  transfer(payout: PayoutRecord): Promise<{ reference: string } | { failure: PayoutFailure }>;
  /** Sends it from there to their bank. */
  payOut(
    payout: PayoutRecord,
  ): Promise<{ reference: string; arrivesAt: Date } | { failure: PayoutFailure }>;
  /** What became of it at the bank. */
  readPayout(
    payout: PayoutRecord,
  ): Promise<{ status: "sent" | "paid" } | { failure: PayoutFailure }>;
  /** Takes back all that was transferred for it. */
  takeBack(payout: PayoutRecord): Promise<void>;
  /** What was transferred to an account and not taken back, per currency, in the unit of prices. */
  transferredTo(processorAccount: string): Promise<{ currency: string; amount: bigint }[]>;
}

/** The ledger's book of card money and what was paid out of it. */
export interface Payouts {
  /**
   * Collected and not paid out yet, per currency, and what of it the account's own cleared sales cover; below zero when
   * chargebacks took more. The processor holds what was converted in another currency.
   */
  owed(account: string): Promise<OwedRecord[]>;
  /**
   * Sales, of an account or of all, whose clearing is to be asked for now, each for one replica and ten minutes. An urgent
   * caller also gets the account's sales that were taken and not answered.
   */
  takeUnclear(
    account: string | null,
    limit: number,
    options?: { isUrgent?: boolean },
  ): Promise<{ orderId: string; reference: string }[]>;
  /**
   * Whether the processor has not answered yet about sales of an account: they wait to be asked about, or failed to be read,
   * for at most a day. Sales of the last minute don't count: they can't have cleared, and a busy account always has some.
   */
  hasUnanswered(account: string): Promise<boolean>;
  /** Notes when sales clear; those without a time are asked about again later. */
  writeClearings(clearings: ({ orderId: string } & Partial<Clearing>)[]): Promise<void>;
  /** Sums up card money that stays as it is, so that `owed` reads the rest alone; how many rows. */
  sumCleared(): Promise<number>;
  /** Payouts that are neither paid nor failed. */
  underWay(account: string): Promise<{ currency: string; amount: bigint }[]>;
  /** What the ledger says was transferred to the account's present one at the processor and not taken back. */
  transferred(account: string): Promise<{ currency: string; amount: bigint }[]>;
  findAccount(account: string): Promise<PayoutAccountRecord | null>;
  /** Writes a new account, in the place of `instead` where that is given, or leaves the one that is there. */
  openAccount(
    account: string,
    processorAccount: string,
    instead: string | null,
    audit: AuditNote,
  ): Promise<void>;
  updateAccount(
    account: string,
    changes: Partial<Pick<PayoutAccountRecord, "status" | "missing" | "schedule" | "nextPayoutAt">>,
    audit?: AuditNote,
  ): Promise<void>;
  /** What the builder changed since `read` stays, and so does what another replica began. */
  setNextPayout(read: PayoutAccountRecord, nextPayoutAt: Date | null): Promise<void>;
  /**
   * Begins a payout of all that is owed in a currency and has cleared, in whole multiples of `unit` and at most `most`, and
   * takes it out of the book in the same transaction. `owed` is what there was, when that is less than one unit.
   */
  begin(
    payout: Pick<PayoutRecord, "payoutId" | "account" | "processorAccount" | "currency"> & {
      idempotencyKey: string | null;
      unit: bigint;
      most: bigint | null;
    },
    audit: AuditNote,
  ): Promise<{ payout: PayoutRecord } | { owed: bigint }>;
  findPayout(payoutId: string): Promise<PayoutRecord | null>;
  findPayoutByKey(account: string, idempotencyKey: string): Promise<PayoutRecord | null>;
  listPayouts(account: string, query: PageQuery): Promise<Page<PayoutRecord>>;
  /** Notes the transfer; false when the payout has failed meanwhile. */
  noteTransfer(payoutId: string, reference: string): Promise<boolean>;
  /** The bank was asked to pay, or has paid. */
  moveOn(
    payoutId: string,
    to: { state: "sent"; reference: string; arrivesAt: Date } | { state: "paid" },
  ): Promise<void>;
  /**
   * The payout failed after its transfer, which is to be taken back. With `withoutSchedule` the account's schedule ends too,
   * and the failure has that message if there was one.
   */
  beginReturn(
    payoutId: string,
    failure: PayoutFailure,
    withoutSchedule?: { message: string },
  ): Promise<void>;
  /** The payout failed and its money is owed again; once. */
  fail(payoutId: string, failure?: PayoutFailure): Promise<void>;
  /** Payouts to look at, each for one replica and a minute. */
  takeDuePayouts(limit: number): Promise<PayoutRecord[]>;
  /** Accounts whose schedule pays out now. */
  listDueAccounts(limit: number): Promise<PayoutAccountRecord[]>;
}

/** What the platform keeps of card sales, in hundredths of a percent: by fee controller (§2.10) and owner of the plan, `0x…/0x…` in lower case, else by default. */
export type PlatformFee = { defaultBps: number; byController: ReadonlyMap<string, number> };

import type { PageQuery } from "@turnpike/payments/protocol";
import type { Movement } from "@/lib/console/money.ts";
import type { OrderLimit } from "../orders/order-ports.ts";
import type { BudgetCause } from "../permissions/causes.ts";
import type { AuditNote, DelegationRecord, Page } from "../records.ts";
import type {
  AccountPayment,
  AccountPaymentRecord,
  SentAuthorization,
} from "./account-payments.ts";

/** The stablecoin of this deployment, on chain. */
export interface Stablecoin {
  /** Its contract, with its checksum. */
  token: string;
  /** `usdc`. */
  currency: string;
  /** What an account holds, in its smallest unit, and the block it was read at. */
  balanceOf(account: string): Promise<{ amount: bigint; block: bigint }>;
  /**
   * Reads the transfers to an account since the last look. The time of the block up to which they are read; null while there
   * are more blocks than one look reads.
   */
  readDeposits(account: string): Promise<Date | null>;
  /** Reads those to every account that wants to hear of them; whether all were read. */
  followDeposits(): Promise<boolean>;
  /** The withdrawals whose gas the service pays: of at least `least`, and `mostADay` of one account; all by default, and where 0. */
  withdrawals?: { least: bigint; mostADay: number };
  /** Whether an address is one of this service's contracts, where money would be lost. */
  isOwnContract(address: string): boolean;
}

/** An incoming transfer as the chain's events tell it. */
export type DepositRow = {
  txHash: string;
  logIndex: number;
  account: string;
  token: string;
  sender: string;
  amount: bigint;
  block: bigint;
  createdAt: Date;
};

/** The transfers to some accounts in some blocks, both included. */
export type DepositRange = { accounts: string[]; token: string; from: bigint; to: bigint };

/** Incoming transfers that were read, and up to which block. */
export interface Deposits {
  /**
   * Where a reader is: an account, or one name for the reading of many. `first` is the block that was the latest when it
   * began; null where that is not known.
   */
  cursor(reader: string, token: string): Promise<{ block: bigint; first: bigint | null } | null>;
  /** Accounts that were read before or have a webhook, the latter first, then those that were read last. */
  listFollowed(token: string): Promise<string[]>;
  /** An account whose first reading has not ended. */
  findBehind(token: string): Promise<string | null>;
  list(range: DepositRange): Promise<DepositRow[]>;
  /**
   * Makes what is kept of these blocks what was read, and moves the cursor of `reader`, if any, to the last one. New
   * transfers after block `first` are told of, and older ones only when they are of the last hour.
   */
  replace(
    range: DepositRange & { reader: string | null; first: bigint },
    rows: DepositRow[],
  ): Promise<void>;
}

/** One line of the balance page: an amount that came or went. */
export type MovementRow = {
  movementId: string;
  kind: Movement["kind"];
  createdAt: Date;
  currency: string;
  /** Below zero when it went. */
  amount: bigint;
  /** Of a withdrawal or refund that is under way. */
  isOpen: boolean;
  planId: string | null;
  planName: string | null;
  orderId: string | null;
  /** Who paid or received it. */
  party: string | null;
  txHash: string | null;
};

/** An address that an account may withdraw to. */
export type WithdrawalAddressRecord = {
  address: string;
  name: string | null;
  createdAt: Date;
  usableAt: Date;
  /** How often and when it was paid. */
  uses: number;
  lastUsedAt: Date | null;
};

/** What an account has and may send, as the ledger knows it. */
export interface MoneyBook {
  /** The first by plan id. */
  credits(
    account: string,
    limit: number,
  ): Promise<{ planId: string; planName: string; available: bigint; reserved: bigint }[]>;
  /** Payments out of the account in a token that are under way. */
  reserved(account: string, token: string): Promise<bigint>;
  /** What arrived, less what was paid out and spent on orders. */
  chainSum(account: string, token: string): Promise<bigint>;
  listMovements(
    account: string,
    token: string | null,
    query: PageQuery & { currency?: string | undefined },
  ): Promise<Page<MovementRow>>;
  listAddresses(account: string): Promise<WithdrawalAddressRecord[]>;
  /** Adds an address that becomes usable after a wait; adding it again changes nothing. */
  addAddress(
    account: string,
    address: { address: string; name: string | null; waitSecs: number },
    audit: AuditNote,
  ): Promise<void>;
  removeAddress(account: string, address: string, audit: AuditNote): Promise<void>;
  findPayment(account: string, idempotencyKey: string): Promise<AccountPaymentRecord | null>;
  /**
   * Writes a payment unless those under way and it come to more than `balance`, what is available then, its
   * delegation has too little left, or it is a withdrawal to an address that is not on the account's list. One of an account is written at a time.
   */
  beginPayment(
    payment: AccountPayment & {
      idempotencyKey: string | null;
      balance: bigint;
      /** Before the balance was read: what was paid since then may not have left it. */
      balanceAt: Date;
      /** How many of its kind the account may make in a day, failed ones included where they were sent; 0 is unlimited. */
      mostADay?: number;
    },
    audit: AuditNote,
    authorized?: PaymentUnderDelegation,
  ): Promise<
    | { outcome: "begun" }
    | { outcome: "short" | "many" | "unlisted"; available: bigint }
    | { outcome: "limit"; limit: OrderLimit | BudgetCause }
  >;
}

/** An authorization for a seller, and the part of a delegation's limit that it takes. */
export type PaymentUnderDelegation = {
  authorization: SentAuthorization;
  delegation: DelegationRecord;
  /** The delegation is still to be written. */
  isNew: boolean;
  cents: bigint;
  sinceBlock: bigint;
};

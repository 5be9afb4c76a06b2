import type { PageQuery } from "@turnpike/payments/protocol";
import type { Cause } from "../permissions/causes.ts";
import type { AuditNote, DelegationRecord, OrderRecord, Page, PlanRecord } from "../records.ts";

/** A time plan that is ordered again before its time ends, and what the subscriber agreed to. */
export type RenewalRecord = {
  account: string;
  planId: string;
  planName: string;
  /** `stopped`: it ended on its own, with a failure. */
  state: "on" | "off" | "stopped";
  delegationId: string;
  /** The API key that switched it on, as which it orders; null for a person. */
  keyId: string | null;
  /** The price, in the smallest unit of its currency, and the time that were agreed to. */
  price: bigint;
  currency: string;
  durationSecs: bigint;
  /** The end of the period that the next order prolongs, and which attempt at it is next: they name the order. */
  periodEnd: Date;
  attempt: number;
  failureCode: string | null;
  failureMessage: string | null;
  dueAt: Date | null;
  /** When it was switched or moved on last. */
  updatedAt: Date;
  /** As the balance has it now; null without one. */
  endsAt: Date | null;
  /** Whether the time that was paid for was left to the subscriber: it was not refunded. */
  hasAccess: boolean;
};

type RenewalKey = Pick<RenewalRecord, "account" | "planId">;

/** A renewal, and what its next order depends on. */
export type ListedRenewal = RenewalRecord & {
  /** The order that `orderKeyOf` names, once it was made. */
  order: Pick<OrderRecord, "orderId" | "status"> | null;
  delegation: DelegationRecord;
  plan: PlanRecord;
  /** Whether the plan's owner is stopped. */
  isStopped: boolean;
  /** Why the current budgets would refuse the next order; null if they would not. */
  cause: Cause | null;
};

type NewRenewal = Pick<
  RenewalRecord,
  "account" | "planId" | "delegationId" | "keyId" | "price" | "currency" | "durationSecs"
> & {
  periodEnd: Date;
  /** The first that may make a new order. */
  attempt: number;
  dueAt: Date;
};

/** What an attempt led to. `stopped` ends the renewal. */
export type RenewalStep =
  | { state: "on"; periodEnd: Date; attempt: number; dueAt: Date; failure: null }
  | { state: "on"; attempt: number; dueAt: Date; failure: RenewalFailure | null }
  | { state: "stopped"; failure: RenewalFailure };

export type RenewalFailure = { code: string; message: string };

export interface Renewals {
  /** The time that an account has of a plan; null where it never ordered it. */
  findPeriod(
    account: string,
    planId: string,
  ): Promise<Pick<RenewalRecord, "endsAt" | "hasAccess"> | null>;
  /** First the one that comes first. */
  list(
    account: string,
    query: PageQuery & { planId?: string | undefined },
  ): Promise<Page<ListedRenewal>>;
  /** Those that are on and pay with a delegation of the account. */
  listPaidBy(of: { account: string; delegationId: string }): Promise<RenewalRecord[]>;
  /**
   * Switches it on, or changes what was agreed to. Only after it stopped does the period get another attempt: an order
   * of the last one may be under way otherwise.
   */
  switchOn(renewal: NewRenewal, audit: AuditNote): Promise<void>;
  /** Leaves one that stopped as it is. */
  switchOff(account: string, planId: string, audit: AuditNote): Promise<void>;
  /** Takes renewals that are due; no other replica gets them for a minute. */
  takeDue(limit: number): Promise<RenewalKey[]>;
  /** As it is now; null unless it is on. */
  findOn(of: RenewalKey): Promise<RenewalRecord | null>;
  /** Writes what an attempt led to, unless the renewal was switched or moved on since it was read. */
  moveOn(taken: RenewalRecord, step: RenewalStep): Promise<void>;
}

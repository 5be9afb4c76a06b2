import type {
  MoneyStatus,
  PageQuery,
  ReportedRequest,
  RequestRecord,
  Role,
} from "@turnpike/payments/protocol";
import type { CauseCount, Funnel } from "@/lib/console/figures.ts";
import type { RailPrice } from "../rails/rail.ts";
import type { Page } from "../records.ts";
import type { EventStatus, RefusedAttempt } from "./refusals.ts";

/** Which requests of an account; instants as `Date`. */
export type RequestFilter = {
  role: Role;
  planId?: string | undefined;
  agentId?: string | undefined;
  moneyStatus?: readonly MoneyStatus[] | undefined;
  /** `402` or `4xx`. */
  httpStatus?: string | undefined;
  payer?: string | undefined;
  tokenId?: string | undefined;
  cause?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  search?: string | undefined;
  /** Leave out requests that are under way: reserved, and no gate has reported how they ended. */
  hasEnded?: boolean;
  /** As a builder, also what test customers called; always with `payer`. */
  includeTest?: boolean | undefined;
};

/** A reported request, named. */
export type RequestSighting = ReportedRequest & { agentRequestId: string };

export type FigureScope = {
  role: Role;
  since: Date;
  planId?: string | undefined;
  agentId?: string | undefined;
  /** As a builder, also what test customers called. */
  includeTest: boolean;
};

export type FunnelCounts = Omit<Funnel, "range" | "since">;

/** Orders of one plan, currency and bucket. */
export type SalesRow = {
  planId: string;
  planName: string;
  scheme: string;
  currency: string;
  bucket: number;
  orders: number;
  amount: bigint;
  refunds: number;
  refunded: bigint;
};

/** Settled requests of one plan, agent and bucket, with the plan's current price. */
export type ServedRow = {
  planId: string;
  planName: string;
  agentId: string | null;
  agentName: string | null;
  bucket: number;
  requests: number;
  credits: bigint;
  price: RailPrice;
  granted: bigint;
};

/** Calls that ended for one cause, now and in a period of the same length before. */
export type CauseRow = Omit<CauseCount, "whoActs" | "lastAt" | "agentId" | "planId"> & {
  lastAt: Date;
  agentId: string | null;
  planId: string | null;
};

/** What an account used and ordered of a builder's plans, of all time. */
export type SubscriberRow = {
  address: string;
  plans: string[];
  orders: number;
  lastOrderAt: Date;
  used: bigint;
};

export type HomeCounts = {
  plans: number;
  agents: number;
  agentId: string | null;
  hasChallenged: boolean;
  served: SideCounts;
  used: SideCounts;
  subscriptions: number;
  tokens: number;
  hasLimit: boolean;
  activeDelegations: number;
  openAlerts: number;
  waitingApprovals: number;
  openDisputes: number;
  lateDisputes: number;
  evidenceUntil: Date | null;
};

export type SideCounts = {
  settled: number;
  credits: bigint;
  unsettled: number;
  hasSettled: boolean;
};

export interface Activity {
  /** A request the account served, or made; with `asBuilder` only one it served. */
  find(account: string, agentRequestId: string, asBuilder?: boolean): Promise<RequestRecord | null>;
  list(account: string, filter: RequestFilter, query: PageQuery): Promise<Page<RequestRecord>>;
  /**
   * Keeps the sightings of plans and agents the account owns, merged by request id; how many these were, and how many of
   * them were refused to a payer who is known. Unpaid ones are events, unless their status is `silent`.
   */
  report(
    account: string,
    sightings: RequestSighting[],
    silent?: readonly EventStatus[],
  ): Promise<{ accepted: number; declined: number }>;
  /** Keeps who was refused and why, beside what gates report under the same request ids. */
  recordRefusals(attempts: RefusedAttempt[]): Promise<void>;
  /** When each account last served or was refused a request that a gate reported; a text that changes with it. */
  newestReports(accounts: readonly string[]): Promise<Map<string, string>>;
}

export interface Figures {
  /** Adds what changed to the sums that these figures are read from, a bounded part at a time; above 0 there is more. Accounts are summed up once they had `busyFrom` requests. */
  sumRequests(busyFrom?: number): Promise<number>;
  /** Counts by bucket number (seconds since 1970 over `bucketSecs`) and money status. */
  series(
    account: string,
    scope: FigureScope,
    bucketSecs: number,
  ): Promise<{ bucket: number; status: MoneyStatus; n: number }[]>;
  /** What kept calls from being paid, since an instant and between `before` and it; written-off calls are left out. */
  causes(account: string, scope: FigureScope, before: Date): Promise<CauseRow[]>;
  funnel(account: string, scope: FigureScope): Promise<FunnelCounts>;
  sales(
    account: string,
    since: Date,
    bucketSecs: number,
    includeTest: boolean,
  ): Promise<SalesRow[]>;
  served(
    account: string,
    since: Date,
    bucketSecs: number,
    includeTest: boolean,
  ): Promise<ServedRow[]>;
  /** Settled requests and their credits are counted since an instant. */
  home(
    account: string,
    scope: { now: Date; since: Date; includeTest: boolean },
  ): Promise<HomeCounts>;
  /** Those who used the most credits, at most ten. */
  topSubscribers(account: string, includeTest: boolean): Promise<SubscriberRow[]>;
  /** The most that a builder's unsettled calls can still charge, and when the oldest was made. */
  creditsDue(
    account: string,
    now: Date,
    includeTest: boolean,
  ): Promise<{ credits: bigint; oldestAt: Date | null }>;
}

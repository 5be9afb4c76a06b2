import type { PageQuery } from "@turnpike/payments/protocol";
import type { Customer, CustomerDetails, CustomerPlan, LostCause } from "@/lib/console/business.ts";
import type { Page, PlanRecord } from "../records.ts";
import type { SalesRow } from "./activity-ports.ts";
import type { OrderBack } from "./holdings-ports.ts";

/** Two periods: from `before` to `since`, and from `since` on. */
type Periods = { before: Date; since: Date };

/** Which of a builder's requests; `includeTest` counts those of test customers too. */
export type CallScope = Periods & {
  planId?: string;
  agentId?: string;
  payer?: string;
  includeTest?: boolean;
};

/** Requests under way and those that only asked for the price are left out. */
export type CallCounts = {
  attempts: number;
  settled: number;
  customers: number;
  credits: bigint;
  p50Ms: number | null;
  p95Ms: number | null;
};

export type PlanCounts = { newSubscribers: number; creditsSold: bigint; creditsExpired: bigint };

type Both<T> = { now: T; previous: T };

export type CustomerOrderRow = OrderBack & {
  orderId: string;
  planId: string;
  planName: string;
  status: string;
  price: bigint;
  scheme: string;
  currency: string;
  at: Date;
};

/** Orders of one currency. */
export type SpentRow = Pick<
  SalesRow,
  "scheme" | "currency" | "orders" | "amount" | "refunds" | "refunded"
>;

/** Calls of a plan or an agent in a day, numbered from 1970; of all days where `day` is null. */
export type FactRow = Pick<CallCounts, "settled" | "customers" | "p50Ms" | "p95Ms"> & {
  id: string;
  day: number | null;
  calls: number;
};

/** A builder's plans, agents and customers in figures. */
/** A customer as the ledger knows them. */
export type CustomerRow = Omit<Customer, "plans"> & {
  plans: Omit<CustomerPlan, "isActive">[];
};

export interface Business {
  calls(account: string, scope: CallScope): Promise<Both<CallCounts> & { causes: LostCause[] }>;
  planCounts(
    planId: string,
    scope: Periods & { includeTest: boolean },
  ): Promise<Both<PlanCounts> & { subscribers: number; renewing: number; creditsLeft: bigint }>;
  /** What the ledger saw of these plans, drafts and archived ones left out; a row of zeros for a plan without calls. */
  planFacts(planIds: readonly string[], since: Date): Promise<FactRow[]>;
  /** The same of agents, which the caller has chosen. */
  agentFacts(agentIds: readonly string[], since: Date): Promise<FactRow[]>;
  /**
   * Agents on sale that a call, a check or the proof of their domain reached, at most `each` of a seller and `all`: those with
   * the most settled calls, not those that their sellers changed last.
   */
  reachedAgents(since: Date, most: { each: number; all: number }): Promise<string[]>;
  /** Newest first, each with the number of accounts that ordered it last. */
  versions(
    planId: string,
  ): Promise<
    (Pick<PlanRecord, "version" | "price" | "credits" | "createdAt"> & { subscribers: number })[]
  >;
  /** Who ordered a plan of the account, last seen first. */
  customers(
    account: string,
    query: PageQuery & {
      planId?: string | undefined;
      search?: string | undefined;
      address?: string;
    },
  ): Promise<Page<CustomerRow>>;
  /** What a customer ordered and which tokens they paid with. */
  customerHistory(
    account: string,
    customer: string,
  ): Promise<{
    spent: SpentRow[];
    since: Date;
    orders: CustomerOrderRow[];
    tokens: CustomerDetails["tokens"];
  }>;
}

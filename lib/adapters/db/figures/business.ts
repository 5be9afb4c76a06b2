import type { MoneyStatus } from "@turnpike/payments/protocol";
import { desc, eq, sql } from "drizzle-orm";
import type { LostCause } from "@/lib/console/business.ts";
import type {
  Business,
  CallCounts,
  CallScope,
  PlanCounts,
} from "@/lib/domain/figures/business-ports.ts";
import type { Database } from "../client.ts";
import { chargedAt } from "../order-rows.ts";
import { fromStoredPrice, readCredits } from "../plan-rows.ts";
import { readRow } from "../rows.ts";
import { planVersions } from "../schema.ts";
import { isCharged } from "./charged-reports.ts";
import { createCustomers } from "./customers.ts";
import { createMarketFacts } from "./market-facts.ts";
import { type Bind, statementOf } from "./request-rows.ts";
import { sumsStatement } from "./request-sums.ts";
import { customersServed, newestServed, percentilesOf } from "./served-calls.ts";
import { isTestPayer } from "./test-payers.ts";
import { UNPAID, unpaidStatement } from "./unpaid-causes.ts";

const PAID_OR_LOST: readonly MoneyStatus[] = ["settled", ...UNPAID];

/** Each of the two periods, as `start`, `stop` and `is_now`. */
const PERIODS = `(values ($2::timestamptz, $3::timestamptz, false), ($3::timestamptz, timestamptz 'infinity', true)) period (start, stop, is_now)`;

/** How long the newest settled calls of a plan or an agent took by their reports, and of an agent who made any, in each period. */
const served = (of: "plan_id" | "agent_id") => {
  const scope = {
    ...{ seller: "$1", of, id: "$5", since: "period.start", before: "period.stop" },
    includesTest: "$4::boolean",
    believesReports: true,
  };
  return `
  select is_now as "isNow", ${of === "plan_id" ? 0 : customersServed(scope)} as customers, times."p50Ms", times."p95Ms"
  from ${PERIODS}, lateral (
    select ${percentilesOf("coalesce(r.verify_ms, 0) + r.work_ms + coalesce(r.settle_ms, 0)")}
    from ${newestServed(scope)}, lateral (select * from request_reports q where q.request_key = newest.request_key and ${isCharged("q")} offset 0) r
  ) times`;
};

/** A customer's calls, counted one by one: sums are not kept by payer. */
const callsOfPayer = (account: string, { before, since, ...scope }: CallScope) =>
  statementOf(
    account,
    { ...scope, role: "builder", since: before, moneyStatus: PAID_OR_LOST },
    (requests, bind) => `
      select at >= ${bind(since.toISOString())}::timestamptz as "isNow", count(*) as attempts, count(*) filter (where status = 'settled') as settled,
        0 as customers, coalesce(sum(credits) filter (where status = 'settled'), 0) as credits, ${percentilesOf("ms")}
      from ${requests} group by 1`,
  );

/** A builder's paid and lost calls since `before`; what happened since `since` is the newer period. */
const countsOf = (account: string, { before, since, ...scope }: CallScope) =>
  sumsStatement(
    account,
    { ...scope, role: "builder", since: before, moneyStatus: PAID_OR_LOST },
    (requests, bind) => `
      select at >= ${bind(since.toISOString())}::timestamptz as "isNow", coalesce(sum(n), 0)::bigint as attempts,
        coalesce(sum(n) filter (where status = 'settled'), 0)::bigint as settled,
        coalesce(sum(credits) filter (where status = 'settled'), 0) as credits
      from ${requests} group by 1`,
  );

/** The same by cause: a customer's one by one, all others by sums. */
const causesOf = (account: string, { before, since, ...scope }: CallScope) => {
  const filter = { ...scope, role: "builder" as const, since: before };
  const write = (requests: string, bind: Bind) => {
    const isNow = `at >= ${bind(since.toISOString())}::timestamptz`;
    return `select cause, coalesce(sum(n) filter (where ${isNow}), 0)::bigint as calls, coalesce(sum(n) filter (where not ${isNow}), 0)::bigint as previous
      from ${requests} where cause <> 'written_off' group by 1
      having sum(n) filter (where ${isNow}) > 0 order by 2 desc, 1 limit 10`;
  };
  if (scope.payer === undefined)
    return unpaidStatement(account, filter, ({ counts }, bind) => write(counts, bind));
  return statementOf(account, { ...filter, moneyStatus: UNPAID }, (requests, bind) =>
    write(`(select cause, at, 1 as n from ${requests}) one`, bind),
  );
};

const PLAN = `
  with sold as (select o.account, ${chargedAt("o")} as at, t.amount from orders o join transfers t on t.ref = o.order_id and t.kind = 'mint' where o.plan_id = $1 and ($4::boolean or not ${isTestPayer("o.account")})),
    first_orders as (select min(at) as at from sold group by account),
    live as (select account, available + held as credits from balances where plan_id = $1 and seq > 0 and (expires_at is null or expires_at > app_now()) and ($4::boolean or not ${isTestPayer("account")})),
    expired as (select created_at, amount from transfers where plan_id = $1 and kind = 'expire' and created_at >= $2::timestamptz and ($4::boolean or not ${isTestPayer("account")}))
  select
    (select count(*) from first_orders where at >= $3::timestamptz) as "newSubscribers",
    (select count(*) from first_orders where at >= $2::timestamptz and at < $3::timestamptz) as "newBefore",
    (select coalesce(sum(amount), 0) from sold where at >= $3::timestamptz) as "creditsSold",
    (select coalesce(sum(amount), 0) from sold where at >= $2::timestamptz and at < $3::timestamptz) as "soldBefore",
    (select coalesce(sum(amount), 0) from expired where created_at >= $3::timestamptz) as "creditsExpired",
    (select coalesce(sum(amount), 0) from expired where created_at < $3::timestamptz) as "expiredBefore",
    (select count(*) from live) as subscribers,
    (select count(*) from live join renewals r using (account) where r.plan_id = $1 and r.state = 'on') as renewing,
    (select coalesce(sum(credits), 0) from live) as "creditsLeft"`;

type PlanRow = PlanCounts & {
  newBefore: number;
  soldBefore: bigint;
  expiredBefore: bigint;
  subscribers: number;
  renewing: number;
  creditsLeft: bigint;
};
type CallRow = CallCounts & { isNow: boolean };

/** Plans, agents and customers in figures. */
export const createBusiness = (database: Database): Business => ({
  async calls(account, scope) {
    const [rows, lost] = await Promise.all([
      readCalls(database, account, scope),
      database.query<LostCause>(...causesOf(account, scope)),
    ]);
    const of = (isNow: boolean) =>
      Object.assign({ ...NO_CALLS }, ...rows.filter((row) => row.isNow === isNow)) as CallCounts;
    return { now: of(true), previous: of(false), causes: lost };
  },
  async planCounts(planId, { before, since, includeTest }) {
    const scope = [planId, before.toISOString(), since.toISOString(), includeTest];
    const { newBefore, soldBefore, expiredBefore, subscribers, renewing, creditsLeft, ...now } =
      await readRow(database.query<PlanRow>(PLAN, scope));
    const previous = {
      newSubscribers: newBefore,
      creditsSold: soldBefore,
      creditsExpired: expiredBefore,
    };
    return { now, previous, subscribers, renewing, creditsLeft };
  },
  ...createMarketFacts(database),
  async versions(planId) {
    const rows = await database.orm
      .select({
        terms: planVersions,
        n: sql<string>`(select count(*) from balances b where b.plan_id = ${planVersions}.plan_id and b.plan_version = ${planVersions}.version and b.seq > 0 and (b.expires_at is null or b.expires_at > app_now()) and not ${sql.raw(isTestPayer("b.account"))})`,
      })
      .from(planVersions)
      .where(eq(planVersions.planId, planId))
      .orderBy(desc(planVersions.version))
      .limit(100);
    return rows.map(({ terms, n }) => ({
      version: terms.version,
      price: fromStoredPrice(terms.price),
      credits: readCredits(terms),
      createdAt: terms.createdAt,
      subscribers: Number(n),
    }));
  },
  ...createCustomers(database),
});

const NO_CALLS: CallCounts = {
  attempts: 0,
  settled: 0,
  customers: 0,
  credits: 0n,
  p50Ms: null,
  p95Ms: null,
};

/** Rows of both periods, which may each say a part. */
async function readCalls(
  { query }: Database,
  account: string,
  scope: CallScope,
): Promise<Partial<CallRow>[]> {
  const { before, since, planId, agentId, payer, includeTest = false } = scope;
  if (payer !== undefined) return query(...callsOfPayer(account, scope));
  const [counts, times] = await Promise.all([
    query<Partial<CallRow>>(...countsOf(account, scope)),
    query<Partial<CallRow>>(served(planId === undefined ? "agent_id" : "plan_id"), [
      account,
      before.toISOString(),
      since.toISOString(),
      includeTest,
      planId ?? agentId,
    ]),
  ]);
  return [...counts, ...times];
}

import type { MoneyStatus } from "@turnpike/payments/protocol";
import { desc, eq, sql } from "drizzle-orm";
import type { Business, CallCounts, PlanCounts } from "@/lib/domain/figures/business-ports.ts";
import type { Database } from "../client.ts";
import { fromStoredPrice, readCredits } from "../plan-rows.ts";
import { planVersions } from "../schema.ts";
import { createCustomers } from "./customers.ts";
import { statementOf } from "./request-rows.ts";
import type { Texts } from "./texts.ts";

/** Requests that tried to pay. */
const TRIED: readonly MoneyStatus[] = [
  "settled",
  "refused",
  "not-charged",
  "delivered-unsettled",
  "unknown",
];

const MS = "coalesce(r.verify_ms, 0) + r.work_ms + coalesce(r.settle_ms, 0)";
const CALLS = `
  select count(*)::text as attempts, count(*) filter (where status = 'settled')::text as settled,
    count(distinct account)::text as customers, coalesce(sum(amount) filter (where status = 'settled'), 0)::text as credits,
    round(percentile_cont(0.5) within group (order by ${MS}))::text as "p50Ms",
    round(percentile_cont(0.95) within group (order by ${MS}))::text as "p95Ms"`;

const PLAN = `
  with sold as (select o.account, o.created_at, t.amount from orders o join transfers t on t.ref = o.order_id and t.kind = 'mint' where o.plan_id = $1),
    first_orders as (select min(created_at) as at from sold group by account),
    live as (select available + held as credits from balances where plan_id = $1 and (expires_at is null or expires_at > app_now())),
    expired as (select created_at, amount from transfers where plan_id = $1 and kind = 'expire' and created_at >= $2::timestamptz)
  select
    (select count(*) from first_orders where at >= $3::timestamptz)::text as "newSubscribers",
    (select count(*) from first_orders where at >= $2::timestamptz and at < $3::timestamptz)::text as "newBefore",
    (select coalesce(sum(amount), 0) from sold where created_at >= $3::timestamptz)::text as "creditsSold",
    (select coalesce(sum(amount), 0) from sold where created_at >= $2::timestamptz and created_at < $3::timestamptz)::text as "soldBefore",
    (select coalesce(sum(amount), 0) from expired where created_at >= $3::timestamptz)::text as "creditsExpired",
    (select coalesce(sum(amount), 0) from expired where created_at < $3::timestamptz)::text as "expiredBefore",
    (select count(*) from live)::text as subscribers, (select coalesce(sum(credits), 0) from live)::text as "creditsLeft"`;

type PlanRow = Texts<
  PlanCounts & {
    newBefore: number;
    soldBefore: bigint;
    expiredBefore: bigint;
    subscribers: number;
    creditsLeft: bigint;
  }
>;
type CallRow = { isNow: boolean } & { [K in keyof CallCounts]: string | null };

/** Plans, agents and customers in figures. */
export const createBusiness = (database: Database): Business => ({
  async calls(account, { before, since, planId, agentId, payer }) {
    const filter = {
      role: "builder",
      since: before,
      moneyStatus: TRIED,
      planId,
      agentId,
      payer,
    } as const;
    const run = <Row extends object>(write: Parameters<typeof statementOf>[2]) => {
      const { text, parameters } = statementOf(account, filter, write);
      return database.query<Row>(text, parameters);
    };
    const isNow = (bind: (value: unknown) => string) =>
      `at >= ${bind(since.toISOString())}::timestamptz`;
    const [rows, causes] = await Promise.all([
      run<CallRow>(
        (requests, bind) =>
          `${CALLS}, is_now as "isNow" from (select *, ${isNow(bind)} as is_now from ${requests}) a
           left join request_reports r using (request_key) group by is_now`,
      ),
      run<{ cause: string; calls: number; previous: number }>(
        (requests, bind) =>
          `select cause, count(*) filter (where is_now)::int as calls, count(*) filter (where not is_now)::int as previous
           from (select *, ${isNow(bind)} as is_now from ${requests}) a where status <> 'settled' and cause <> 'written_off'
           group by 1 having count(*) filter (where is_now) > 0 order by calls desc, 1 limit 10`,
      ),
    ]);
    const of = (isNow: boolean) => readCalls(rows.find((row) => row.isNow === isNow));
    return { now: of(true), previous: of(false), causes };
  },
  async planCounts(planId, { before, since }) {
    const [row] = await database.query<PlanRow>(PLAN, [
      planId,
      before.toISOString(),
      since.toISOString(),
    ]);
    const amount = (name: keyof PlanRow) => BigInt(row?.[name] ?? 0);
    return {
      now: {
        newSubscribers: Number(row?.newSubscribers ?? 0),
        creditsSold: amount("creditsSold"),
        creditsExpired: amount("creditsExpired"),
      },
      previous: {
        newSubscribers: Number(row?.newBefore ?? 0),
        creditsSold: amount("soldBefore"),
        creditsExpired: amount("expiredBefore"),
      },
      subscribers: Number(row?.subscribers ?? 0),
      creditsLeft: amount("creditsLeft"),
    };
  },
  async versions(planId) {
    const rows = await database.orm
      .select({
        terms: planVersions,
        n: sql<string>`(select count(*) from balances b where b.plan_id = ${planVersions}.plan_id and b.plan_version = ${planVersions}.version)`,
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

const readCalls = (row: CallRow | undefined): CallCounts => ({
  attempts: Number(row?.attempts ?? 0),
  settled: Number(row?.settled ?? 0),
  customers: Number(row?.customers ?? 0),
  credits: BigInt(row?.credits ?? 0),
  p50Ms: row?.p50Ms ? Number(row.p50Ms) : null,
  p95Ms: row?.p95Ms ? Number(row.p95Ms) : null,
});

import { desc, eq, sql } from "drizzle-orm";
import type { Business, CallCounts, PlanCounts } from "@/lib/domain/figures/business-ports.ts";
import type { Database } from "../client.ts";
import { fromStoredPrice, readCredits } from "../plan-rows.ts";
import { planVersions } from "../schema.ts";
import { createCustomers } from "./customers.ts";
import { HAS_NO_SETTLEMENT, HELD_STATUS, IS_UNKNOWN_TO_LEDGER } from "./request-rows.ts";
import { isTestPayer, isTestReport } from "./test-payers.ts";
import type { Texts } from "./texts.ts";

const scope = (alias: string, at: string, payer = `${alias}.account`) =>
  `${alias}.builder = $1 and ${at} >= $2::timestamptz and ($4::text is null or ${alias}.plan_id = $4)
    and ($5::text is null or ${alias}.agent_id = $5) and ($6::text is null or ${payer} = $6)`;

/** Attempts of a scope since $2, each with its period: $1 builder, $3 where the newer one begins, $4 plan, $5 agent, $6 payer. */
const ATTEMPTS = `
  select s.request_key, s.created_at >= $3::timestamptz as is_now, 'settled' as status, s.account, s.amount, null as reason
    from settlements s where ${scope("s", "s.created_at")} and not ${isTestPayer("s.account")}
  union all
  select h.request_key, h.created_at >= $3::timestamptz, ${HELD_STATUS.replaceAll("s.settlement_id", "null::text")}, h.account, 0, r.reason
    from holds h left join request_reports r on r.request_key = h.request_key
    where ${scope("h", "h.created_at")} and h.state not in ('held', 'posted') and ${HAS_NO_SETTLEMENT("h")} and not ${isTestPayer("h.account")}
  union all
  select r.request_key, r.at >= $3::timestamptz, r.money_status, null, 0, r.reason
    from request_reports r where ${scope("r", "r.at", "null::text")} and ${IS_UNKNOWN_TO_LEDGER} and r.money_status not in ('challenged', 'free')
      and not ${isTestReport("r")}`;

const MS = "coalesce(r.verify_ms, 0) + r.work_ms + coalesce(r.settle_ms, 0)";
const CALLS = `
  select a.is_now as "isNow", count(*)::text as attempts, count(*) filter (where a.status = 'settled')::text as settled,
    count(distinct a.account)::text as customers, coalesce(sum(a.amount), 0)::text as credits,
    round(percentile_cont(0.5) within group (order by ${MS}))::text as "p50Ms",
    round(percentile_cont(0.95) within group (order by ${MS}))::text as "p95Ms"
  from (${ATTEMPTS}) a left join request_reports r on r.request_key = a.request_key group by 1`;

const CAUSES = `
  select coalesce(reason, status) as cause, count(*) filter (where is_now)::text as calls, count(*) filter (where not is_now)::text as previous
  from (${ATTEMPTS}) a where status <> 'settled' group by 1 having count(*) filter (where is_now) > 0
  order by count(*) filter (where is_now) desc, 1 limit 10`;

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
    const parameters = [
      account,
      before.toISOString(),
      since.toISOString(),
      planId ?? null,
      agentId ?? null,
      payer ?? null,
    ];
    const [rows, causes] = await Promise.all([
      database.query<CallRow>(CALLS, parameters),
      database.query<{ cause: string; calls: string; previous: string }>(CAUSES, parameters),
    ]);
    const of = (isNow: boolean) => readCalls(rows.find((row) => row.isNow === isNow));
    return {
      now: of(true),
      previous: of(false),
      causes: causes.map(({ cause, calls, previous }) => ({
        cause,
        calls: Number(calls),
        previous: Number(previous),
      })),
    };
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

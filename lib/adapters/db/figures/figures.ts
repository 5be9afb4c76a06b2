import type { MoneyStatus } from "@turnpike/payments/protocol";
import type {
  CauseRow,
  FigureScope,
  Figures,
  FunnelCounts,
  ServedRow,
} from "@/lib/domain/figures/activity-ports.ts";
import type { Database } from "../client.ts";
import { fromStoredPrice } from "../plan-rows.ts";
import type { StoredPrice } from "../schema.ts";
import { GONE_BACK } from "./gone-back.ts";
import { createHomeFigures } from "./home-figures.ts";
import { type Statement, statementOf } from "./request-rows.ts";
import { isTestPayer } from "./test-payers.ts";
import { createTopSubscribers } from "./top-subscribers.ts";

const FUNNEL = `
  select count(*) filter (where status = 'challenged')::int as challenged,
    count(*) filter (where status = 'refused')::int as refused,
    count(*) filter (where status in ('settled', 'not-charged', 'delivered-unsettled', 'unknown'))::int as verified,
    count(*) filter (where status = 'not-charged')::int as "notCharged",
    count(*) filter (where status in ('settled', 'delivered-unsettled') or (status = 'unknown' and http_status between 200 and 299))::int as delivered,
    count(*) filter (where status = 'settled')::int as settled`;

const NOT_PAID: readonly MoneyStatus[] = [
  "refused",
  "not-charged",
  "delivered-unsettled",
  "unknown",
];

const SALES = `
  select o.plan_id as "planId", p.metadata->>'name' as "planName", o.scheme, o.currency,
    floor(extract(epoch from o.created_at) / $3::int)::bigint as bucket,
    count(*) as orders, sum(o.price) as amount,
    count(back.amount) as refunds, coalesce(sum(back.amount), 0) as refunded
  from plans p join orders o on o.plan_id = p.plan_id ${GONE_BACK}
  where p.owner = $1 and o.created_at >= $2::timestamptz and o.status in ('minted', 'refunded') and o.price > 0
    and ($4::boolean or not ${isTestPayer("o.account")})
  group by 1, 2, 3, 4, 5`;

const SERVED = `
  with served as (
    select s.plan_id, s.agent_id, floor(extract(epoch from s.created_at) / $3::int)::bigint as bucket,
      count(*) as requests, sum(s.amount) as credits
    from settlements s where s.builder = $1 and s.created_at >= $2::timestamptz and ($4::boolean or not ${isTestPayer("s.account")})
    group by 1, 2, 3
  )
  select s.plan_id as "planId", p.metadata->>'name' as "planName", s.agent_id as "agentId", a.metadata->>'name' as "agentName",
    s.bucket, s.requests, s.credits, v.price, v.granted
  from served s join plans p on p.plan_id = s.plan_id
    join plan_versions v on v.plan_id = p.plan_id and v.version = p.version
    left join agents a on a.agent_id = s.agent_id`;

function causesStatement(account: string, { since, ...scope }: FigureScope, before: Date) {
  const filter = { ...scope, since: before, moneyStatus: NOT_PAID };
  return statementOf(account, filter, (requests, bind) => {
    const isNow = `at >= ${bind(since.toISOString())}::timestamptz`;
    const newest = (column: string) => `(array_agg(${column} order by at desc))[1]`;
    return `select cause, status as "moneyStatus", count(*) filter (where ${isNow})::int as calls,
        count(*) filter (where not ${isNow})::int as previous, count(distinct account) filter (where ${isNow})::int as payers,
        count(distinct route) filter (where ${isNow})::int as routes, coalesce(${newest("route")}, '') as route, max(at) as "lastAt",
        ${newest("agent_request_id")} as "agentRequestId", ${newest("agent_id")} as "agentId", ${newest("plan_id")} as "planId"
      from ${requests} where cause <> 'written_off' group by 1, 2
      having count(*) filter (where ${isNow}) > 0 order by calls desc, max(at) desc limit 100`;
  });
}

export function createFigures(database: Database): Figures {
  const { query } = database;
  const run = <Row>({ text, parameters }: Statement) => query<Row>(text, parameters);
  return {
    series: (account, scope, bucketSecs) =>
      run(
        statementOf(
          account,
          scope,
          (requests, bind) =>
            `select floor(extract(epoch from at) / ${bind(bucketSecs)}::int)::int as bucket, status, count(*)::int as n
             from ${requests} group by 1, 2`,
        ),
      ),
    async funnel(account, scope) {
      const [counts] = await run<FunnelCounts>(
        statementOf(account, scope, (requests) => `${FUNNEL} from ${requests}`),
      );
      if (!counts) throw new Error("A count has a row.");
      return counts;
    },
    causes: (account, scope, before) => run<CauseRow>(causesStatement(account, scope, before)),
    sales: (account, since, bucketSecs, includeTest) =>
      query(SALES, [account, since.toISOString(), bucketSecs, includeTest]),
    async served(account, since, bucketSecs, includeTest) {
      const rows = await query<Omit<ServedRow, "price"> & { price: StoredPrice }>(SERVED, [
        account,
        since.toISOString(),
        bucketSecs,
        includeTest,
      ]);
      return rows.map((row) => ({ ...row, price: fromStoredPrice(row.price) }));
    },
    ...createHomeFigures(database),
    ...createTopSubscribers(database),
  };
}

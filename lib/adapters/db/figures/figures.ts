import type {
  FigureScope,
  Figures,
  FunnelCounts,
  ServedRow,
} from "@/lib/domain/figures/activity-ports.ts";
import type { Database } from "../client.ts";
import { fromStoredPrice } from "../plan-rows.ts";
import type { StoredPrice } from "../schema.ts";
import { createHomeFigures } from "./home-figures.ts";
import { HAS_NO_SETTLEMENT, HELD_STATUS, IS_UNKNOWN_TO_LEDGER } from "./request-rows.ts";
import { isTestPayer, isTestReport } from "./test-payers.ts";
import { createTopSubscribers } from "./top-subscribers.ts";

/**
 * Every request of a scope with its money status, each source read by its index and only where the others do not know
 * it: the settled ones, by far the most, are never joined to anything. $1 account, $2 since, $3 plan, $4 agent.
 */
function requestsOf({ role, includeTest }: Pick<FigureScope, "role" | "includeTest">): string {
  const column = role === "builder" ? "builder" : "account";
  const without = (isTest: string) =>
    role === "builder" && !includeTest ? `and not ${isTest}` : "";
  const scope = (alias: string, at: string) =>
    `${alias}.${column} = $1 and ${at} >= $2::timestamptz and ($3::text is null or ${alias}.plan_id = $3) and ($4::text is null or ${alias}.agent_id = $4)`;
  const seen =
    role === "builder"
      ? `union all select r.at, r.money_status, r.http_status
         from request_reports r where ${scope("r", "r.at")} and ${IS_UNKNOWN_TO_LEDGER}
           ${without(isTestReport("r"))}`
      : "";
  return `select s.created_at as at, 'settled' as status, 200 as http_status
      from settlements s where ${scope("s", "s.created_at")} ${without(isTestPayer("s.account"))}
    union all
    select h.created_at, ${HELD_STATUS.replaceAll("s.settlement_id", "null::text")}, r.http_status
      from holds h left join request_reports r on r.request_key = h.request_key
      where ${scope("h", "h.created_at")} and h.state <> 'posted' and ${HAS_NO_SETTLEMENT("h")} ${without(isTestPayer("h.account"))}
    ${seen}`;
}

const funnelOf = (scope: FigureScope) => `
  select count(*) filter (where status = 'challenged') as challenged,
    count(*) filter (where status = 'refused') as refused,
    count(*) filter (where status in ('settled', 'not-charged', 'delivered-unsettled', 'unknown')) as verified,
    count(*) filter (where status = 'not-charged') as "notCharged",
    count(*) filter (where status in ('settled', 'delivered-unsettled') or (status = 'unknown' and http_status between 200 and 299)) as delivered,
    count(*) filter (where status = 'settled') as settled
  from (${requestsOf(scope)}) requests`;

const SALES = `
  select o.plan_id as "planId", p.metadata->>'name' as "planName", o.scheme, o.currency,
    floor(extract(epoch from o.created_at) / $3::int)::bigint as bucket,
    count(*) as orders, sum(o.price) as amount,
    count(*) filter (where o.status = 'refunded') as refunds,
    coalesce(sum(o.price) filter (where o.status = 'refunded'), 0) as refunded
  from plans p join orders o on o.plan_id = p.plan_id
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

export function createFigures(database: Database): Figures {
  const { query } = database;
  const scopeOf = ({ since, planId, agentId }: FigureScope) => [
    since.toISOString(),
    planId ?? null,
    agentId ?? null,
  ];
  return {
    series: (account, scope, bucketSecs) =>
      query(
        `select floor(extract(epoch from at) / $5::int)::bigint as bucket, status, count(*) as n
         from (${requestsOf(scope)}) requests group by 1, 2`,
        [account, ...scopeOf(scope), bucketSecs],
      ),
    async funnel(account, scope) {
      const [row] = await query<FunnelCounts>(funnelOf(scope), [account, ...scopeOf(scope)]);
      return row as FunnelCounts;
    },
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

import type { Business, FactRow } from "@/lib/domain/figures/business-ports.ts";
import type { Database } from "../client.ts";
import { isTestPayer } from "./test-payers.ts";

const DAY_SECS = 86_400;
const COUNTS = `count(*) as calls, count(*) filter (where is_settled) as settled, count(distinct account) as customers,
  round(percentile_cont(0.5) within group (order by ms)) as "p50Ms", round(percentile_cont(0.95) within group (order by ms)) as "p95Ms"`;

// The ledger's word alone: what a gate reports is its seller's. A call under way has no outcome yet.
const callsOf = (of: "plan_id" | "agent_id") => `
  sellers as (select t.${of} as id, t.owner from ${of === "plan_id" ? "plans" : "agents"} t where t.${of} = any($1)
    ${of === "plan_id" ? "and t.state <> 'draft' and t.archived_at is null" : ""}),
  calls as (
    select ${of === "plan_id" ? "s.plan_id" : "coalesce(s.agent_id, h.agent_id)"} as id, s.builder, s.account, s.created_at as at,
      true as is_settled, extract(epoch from s.created_at - h.created_at) * 1000 as ms
    from settlements s left join holds h on h.request_key = s.request_key and h.requests is null
    where s.builder = any(array(select owner from sellers)) and s.created_at >= $2::timestamptz
    union all
    select h.${of}, h.builder, h.account, h.created_at, false, null from holds h
    where h.builder = any(array(select owner from sellers)) and h.created_at >= $2::timestamptz and h.state in ('released', 'expired') and h.requests is null
      and not exists (select 1 from settlements s where s.request_key = h.request_key))`;

const facts = (of: "plan_id" | "agent_id") => `
  with ${callsOf(of)}
  select g.id, c.day, coalesce(c.calls, 0) as calls, coalesce(c.settled, 0) as settled, coalesce(c.customers, 0) as customers, c."p50Ms", c."p95Ms"
  from sellers g left join (
    select id, builder, day, ${COUNTS}
    from (select *, floor(extract(epoch from at) / ${DAY_SECS})::int as day from calls where account <> builder and not ${isTestPayer("account")}) c
    group by grouping sets ((id, builder), (id, builder, day))
  ) c on c.id = g.id and c.builder = g.owner`;

/** What everyone may know of a seller's calls. */
export const createMarketFacts = ({
  query,
}: Database): Pick<Business, "planFacts" | "agentFacts"> => {
  const read = (of: "plan_id" | "agent_id") => async (ids: readonly string[], since: Date) =>
    ids.length === 0 ? [] : query<FactRow>(facts(of), [ids, since.toISOString()]);
  return { planFacts: read("plan_id"), agentFacts: read("agent_id") };
};

import { ENOUGH_CALLS } from "@/lib/console/market-facts.ts";
import type { Business, FactRow } from "@/lib/domain/figures/business-ports.ts";
import type { Database } from "../client.ts";
import { settledSince } from "./request-sums.ts";
import { customersServed, newestServed, percentilesOf } from "./served-calls.ts";
import { isTestPayer } from "./test-payers.ts";

type Of = "plan_id" | "agent_id";

// The ledger's word alone: what a gate reports is its seller's. A call under way has no outcome yet.
const SELLERS = {
  plan_id:
    "select plan_id as id, owner from plans where plan_id = any($1) and state <> 'draft' and archived_at is null",
  agent_id: "select agent_id as id, owner from agents where agent_id = any($1)",
} as const;

/** Settled calls of each seller, without their own, and calls that were reserved and not settled. */
const callsOf = (of: Of) => `
  calls as (
    select g.id, settled.at, settled.requests as settled, 0 as lost
    from sellers g, lateral ${settledSince("builder", { account: "g.owner", includesTest: "false" })} where settled.${of} = g.id
    union all
    select g.id, s.created_at, -1, 0
    from sellers g, lateral (select * from settlements where account = g.owner and created_at >= $2::timestamptz offset 0) s
    where s.builder = g.owner and s.${of} = g.id
    union all
    select g.id, u.at, 0, u.n from sellers g, lateral unpaid_sums_of(g.owner, 'builder', (select unpaid_since(g.owner, 'builder', $2::timestamptz))) u
    where u.${of} = g.id and u.is_public and not u.is_test${of === "agent_id" ? " and u.is_agent_proven" : ""}
    union all
    select g.id, h.created_at, 0, 1 from sellers g join holds h on h.builder = g.owner and h.${of} = g.id
    where h.created_at >= $2::timestamptz and h.created_at < (select unpaid_since(g.owner, 'builder', $2::timestamptz)) and h.state in ('released', 'expired') and h.requests is null
      and h.account <> g.owner and not ${isTestPayer("h.account")}
      and (h.state = 'released' or not exists (select 1 from settlements s where s.request_key = h.request_key offset 0)))`;

const facts = (of: Of) => {
  const scope = {
    seller: "g.owner",
    of,
    id: "g.id",
    since: "$2::timestamptz",
    includesOwn: false,
  };
  return `
  with sellers as materialized (${SELLERS[of]}), ${callsOf(of)}, days as (
    select id, (at at time zone 'UTC')::date - date '1970-01-01' as day, sum(settled + lost)::bigint as calls, sum(settled)::bigint as settled
    from calls group by 1, 2
  ), totals as (select id, sum(calls)::bigint as calls, sum(settled)::bigint as settled from days group by 1)
  select id, day, calls, settled, 0 as customers, null as "p50Ms", null as "p95Ms" from days
  union all
  select g.id, null, coalesce(c.calls, 0), coalesce(c.settled, 0), ${customersServed(scope)}, times."p50Ms", times."p95Ms"
  from sellers g left join totals c on c.id = g.id, lateral (
    select ${percentilesOf("extract(epoch from newest.created_at - h.created_at) * 1000")}
    from ${newestServed(scope)} join holds h on h.request_key = newest.request_key and h.requests is null
    where c.calls >= ${ENOUGH_CALLS}
  ) times`;
};

/**
 * The agents on sale that were reached, at most `$2` of a seller and `$3` in all: those with the most settled calls first, without
 * their seller's own, then those with a proof of their domain, then those whose 402 offers their plan, then the oldest.
 */
const REACHED = `
  with shown as materialized (
    select a.agent_id, a.owner, a.created_at,
      a.domain_proof is not null and a.domain_proof ->> 'lostAt' is null
        and (a.domain_proof ->> 'seenAt')::timestamptz > (select app_now()) - interval '3 days' as is_proved,
      a.doctor_run is not null and exists (select 1 from agent_plans l, jsonb_each(a.doctor_run -> 'offers') o
        where l.agent_id = a.agent_id and o.value ? l.plan_id) as is_offered
    from agents a where a.archived_at is null and exists (select 1 from agent_plans l join plans p on p.plan_id = l.plan_id
      where l.agent_id = a.agent_id and p.state = 'listed' and p.archived_at is null)
  ), sellers as materialized (
    select owner, exists (select 1 from summed_accounts where account = owner and role = 'builder' and covered_from < 'infinity') as is_summed
    from (select distinct owner from shown) o
    where exists (select 1 from settlements s where s.builder = o.owner and s.created_at >= $1::timestamptz offset 0)
  ), counts as (
    select agent_id, sum(n) as n from (
      select s.agent_id, 1 as n from sellers o, lateral (
        select * from settlements where builder = o.owner and created_at >= $1::timestamptz offset 0) s
      where not o.is_summed and s.account <> o.owner and not ${isTestPayer("s.account")}
      union all
      select settled.agent_id, settled.requests
      from sellers o, lateral ${settledSince("builder", { account: "o.owner", since: "$1::timestamptz", includesTest: "false" })}
      where o.is_summed
      union all
      select s.agent_id, -1 from sellers o, lateral (
        select * from settlements where account = o.owner and created_at >= $1::timestamptz offset 0) s
      where o.is_summed and s.builder = o.owner
    ) calls group by 1
  ), reached as (
    select s.*, greatest(c.n, 0) as n from shown s left join counts c on c.agent_id = s.agent_id
    where c.n > 0 or s.is_proved or s.is_offered
  )
  select agent_id as id from (
    select *, row_number() over (partition by owner order by n desc, is_proved desc, is_offered desc, created_at, agent_id) as place from reached
  ) placed where place <= $2::int order by n desc, is_proved desc, is_offered desc, created_at, agent_id limit $3::int`;

/** What everyone may know of a seller's calls. */
export const createMarketFacts = ({
  query,
}: Database): Pick<Business, "planFacts" | "agentFacts" | "reachedAgents"> => {
  const read = (of: Of) => async (ids: readonly string[], since: Date) =>
    ids.length === 0 ? [] : query<FactRow>(facts(of), [ids, since.toISOString()]);
  return {
    planFacts: read("plan_id"),
    agentFacts: read("agent_id"),
    async reachedAgents(since, { each, all }) {
      const rows = await query<{ id: string }>(REACHED, [since.toISOString(), each, all]);
      return rows.map(({ id }) => id);
    },
  };
};

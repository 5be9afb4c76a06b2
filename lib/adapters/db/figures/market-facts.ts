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
    select g.id, u.at, 0, u.n from sellers g, lateral (select unpaid_since(g.owner, 'builder', $2::timestamptz) as since) s,
      lateral unpaid_sums_of(g.owner, 'builder', s.since) u
    where s.since < 'infinity' and u.${of} = g.id and u.is_public and not u.is_test${of === "agent_id" ? " and u.is_agent_proven" : ""}
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

const IS_ON_SALE = `a.archived_at is null and exists (select 1 from agent_plans l join plans p on p.plan_id = l.plan_id
  where l.agent_id = a.agent_id and p.state = 'listed' and p.archived_at is null)`;
const IS_PROVED = `(a.domain_proof is not null and a.domain_proof ->> 'lostAt' is null
  and (a.domain_proof ->> 'seenAt')::timestamptz > (select app_now()) - interval '3 days')`;
const IS_OFFERED = `(a.doctor_run is not null and exists (select 1 from agent_plans l, jsonb_each(a.doctor_run -> 'offers') o
  where l.agent_id = a.agent_id and o.value ? l.plan_id))`;

/** The agents on sale with settled calls, without their seller's own: at most `$2` of a seller and `$3` in all, those with the most first. */
const CALLED = `
  with recursive builders as (
    (select builder from settlements order by builder limit 1)
    union all
    select (select builder from settlements where builder > b.builder order by builder limit 1) from builders b where b.builder is not null
  ), sellers as materialized (
    select builder as owner from builders b
    where exists (select 1 from settlements s where s.builder = b.builder and s.created_at >= $1::timestamptz offset 0)
  ), counts as (
    select agent_id, sum(n) as n from (
      select settled.agent_id, settled.requests as n
      from sellers o, lateral ${settledSince("builder", { account: "o.owner", since: "$1::timestamptz", includesTest: "false" })}
      union all
      select s.agent_id, -1 from sellers o, lateral (
        select * from settlements where account = o.owner and created_at >= $1::timestamptz offset 0) s
      where s.builder = o.owner
    ) calls group by 1 having sum(n) > 0
  ), called as (
    select a.agent_id, a.owner, a.created_at, c.n, ${IS_PROVED} as is_proved, ${IS_OFFERED} as is_offered
    from counts c join agents a on a.agent_id = c.agent_id where ${IS_ON_SALE}
  )
  select agent_id as id, owner from (
    select *, row_number() over (partition by owner order by n desc, is_proved desc, is_offered desc, created_at, agent_id) as place from called
  ) placed where place <= $2::int order by n desc, is_proved desc, is_offered desc, created_at, agent_id limit $3::int`;

/** What else reaches an agent, in the order of their places. Each is read by an index, the oldest first, until there are enough. */
const REACHED = [
  `a.domain_proof is not null and ${IS_PROVED} and ${IS_OFFERED}`,
  `a.domain_proof is not null and ${IS_PROVED} and not ${IS_OFFERED}`,
  `a.doctor_run is not null and ${IS_OFFERED} and not ${IS_PROVED}`,
].map(
  (isReached) => `
  select a.agent_id as id, a.owner, a.created_at::text as at from agents a
  where (a.created_at, a.agent_id) > ($1::timestamptz, $2::text) and a.owner <> all($3::text[]) and ${isReached} and ${IS_ON_SALE}
  order by a.created_at, a.agent_id limit $4::int`,
);

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
      type Row = { id: string; owner: string; at: string };
      const chosen = new Set<string>();
      const counts = new Map<string, number>();
      const choose = (rows: Row[]) => {
        for (const { id, owner } of rows) {
          const count = counts.get(owner) ?? 0;
          if (chosen.size === all || count === each || chosen.has(id)) continue;
          chosen.add(id);
          counts.set(owner, count + 1);
        }
      };
      choose(await query<Row>(CALLED, [since.toISOString(), each, all]));
      for (const reached of REACHED) {
        let rows: Row[] = [{ id: "", owner: "", at: "-infinity" }];
        for (let last = rows.at(-1); last && chosen.size < all; last = rows.at(-1)) {
          const full = [...counts].filter(([, count]) => count === each).map(([owner]) => owner);
          rows = await query<Row>(reached, [last.at, last.id, full, all]);
          choose(rows);
        }
      }
      return [...chosen];
    },
  };
};

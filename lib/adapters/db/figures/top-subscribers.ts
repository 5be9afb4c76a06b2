import type { CreditsDue, Figures } from "@/lib/domain/figures/activity-ports.ts";
import type { Database } from "../client.ts";
import { isTestPayer, isTestReport } from "./test-payers.ts";

const TOP_SUBSCRIBERS = `
  select b.account as address, array_agg(p.metadata->>'name' order by p.metadata->>'name') as plans,
    sum(o.n)::int as orders, max(o.last) as "lastOrderAt", sum(t.used) as used
  from plans p join balances b on b.plan_id = p.plan_id
  cross join lateral (select count(*) as n, max(q.created_at) as last from orders q
    where q.account = b.account and q.plan_id = b.plan_id and q.status = 'minted') o
  cross join lateral (select coalesce(sum(q.amount), 0) as used from transfers q
    where q.account = b.account and q.plan_id = b.plan_id and q.kind in ('post', 'burn')) t
  where p.owner = $1 and ($2::boolean or not ${isTestPayer("b.account")})
  group by 1 having max(o.last) is not null order by sum(t.used) desc, 1 limit 10`;

/** The unsettled calls that Home counts: holds that ran out, and what gates reported of requests without one. */
const OPEN_CREDITS = `
  select coalesce(sum(credits), 0) as credits, min(at) as "oldestAt" from (
    select h.amount as credits, h.created_at as at from holds h left join request_reports r on r.request_key = h.request_key
      where h.builder = $1 and h.state = 'expired' and h.created_at >= $2::timestamptz - interval '30 days'
        and not exists (select 1 from settlements s where s.request_key = h.request_key)
        and coalesce(r.money_status, 'unknown') <> 'not-charged' and ($3::boolean or not ${isTestPayer("h.account")})
    union all
    select 0, r.at from request_reports r where r.builder = $1 and r.money_status in ('delivered-unsettled', 'unknown')
      and not exists (select 1 from holds h where h.request_key = r.request_key)
      and not exists (select 1 from settlements s where s.request_key = r.request_key)
      and ($3::boolean or not ${isTestReport("r")})
  ) open`;

/** Who uses a builder's plans most, and what unsettled calls may still charge. */
export const createTopSubscribers = ({
  query,
}: Database): Pick<Figures, "topSubscribers" | "creditsDue"> => ({
  topSubscribers: (account, includeTest) => query(TOP_SUBSCRIBERS, [account, includeTest]),
  async creditsDue(account, now, includeTest) {
    const [row] = await query<CreditsDue>(OPEN_CREDITS, [account, now.toISOString(), includeTest]);
    return row as CreditsDue;
  },
});

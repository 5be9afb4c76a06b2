import type { Figures } from "@/lib/domain/figures/activity-ports.ts";
import type { Database } from "../client.ts";
import { isTestPayer } from "./test-payers.ts";

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

/** Who uses a builder's plans most. */
export const createTopSubscribers = ({ query }: Database): Pick<Figures, "topSubscribers"> => ({
  topSubscribers: (account, includeTest) => query(TOP_SUBSCRIBERS, [account, includeTest]),
});

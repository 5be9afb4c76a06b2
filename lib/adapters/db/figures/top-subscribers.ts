import type { Figures, SubscriberRow } from "@/lib/domain/figures/activity-ports.ts";
import { openRequests } from "@/lib/domain/figures/open-requests.ts";
import type { Database } from "../client.ts";
import { chargedAt } from "../order-rows.ts";
import { statementOf } from "./request-rows.ts";
import { sumsStatement } from "./request-sums.ts";
import { isTestPayer } from "./test-payers.ts";
import { USED_CREDITS } from "./used-credits.ts";

const TOP_SUBSCRIBERS = `
  select b.account as address, array_agg(p.metadata->>'name' order by p.metadata->>'name') as plans,
    sum(o.n)::bigint as orders, max(o.last) as "lastOrderAt", sum(${USED_CREDITS}) as used
  from plans p join balances b on b.plan_id = p.plan_id
  cross join lateral (select count(*) filter (where q.price > 0) as n, max(${chargedAt("q")}) as last from orders q
    where q.account = b.account and q.plan_id = b.plan_id and q.status in ('minted', 'refunded')) o
  where p.owner = $1 and ($2::boolean or not ${isTestPayer("b.account")})
  group by 1 having max(o.last) is not null order by used desc, 1 limit 10`;

const dueOf = (requests: string) => `
  select coalesce(sum(credits), 0) as credits, min(hour) as hour
  from (select date_trunc('hour', at, 'UTC') as hour, sum(credits) as credits from ${requests} group by 1 having sum(n) <> 0) h`;

/** Who uses a builder's plans most, and what unsettled calls may still charge. */
export const createTopSubscribers = ({
  query,
}: Database): Pick<Figures, "topSubscribers" | "creditsDue"> => ({
  topSubscribers: (account, includeTest) =>
    query<SubscriberRow>(TOP_SUBSCRIBERS, [account, includeTest]),
  async creditsDue(account, now, includeTest) {
    const open = { ...openRequests("builder", now), includeTest };
    const sums = sumsStatement(account, open, (requests) => dueOf(requests));
    const [due] = await query<{ credits: bigint; hour: Date | null }>(sums.text, sums.parameters);
    if (!due?.hour) return { credits: due?.credits ?? 0n, oldestAt: null };
    // Of that hour, which the sums name, the first request.
    const since = new Date(Math.max(due.hour.getTime(), open.since.getTime()));
    const until = new Date(due.hour.getTime() + 3_600_000);
    const first = statementOf(
      account,
      { ...open, since, until },
      (requests) => `select min(at) as at from ${requests}`,
    );
    const [oldest] = await query<{ at: Date | null }>(first.text, first.parameters);
    return { credits: due.credits, oldestAt: oldest?.at ?? since };
  },
});

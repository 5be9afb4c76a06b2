import type { Figures, SubscriberRow } from "@/lib/domain/figures/activity-ports.ts";
import { openRequests } from "@/lib/domain/figures/open-requests.ts";
import type { Database } from "../client.ts";
import { chargedAt } from "../order-rows.ts";
import { readValue } from "../rows.ts";
import { statementOf } from "./request-rows.ts";
import { sumsStatement } from "./request-sums.ts";
import { isTestPayer } from "./test-payers.ts";
import { OTHER_AMOUNT, OTHER_TRANSFERS } from "./used-credits.ts";

// What was used is summed at once over all plans. Orders and names are read in the order of the rank until ten have ordered.
const TOP_SUBSCRIBERS = `
  with mine as materialized (select plan_id, metadata->>'name' as name from plans where owner = $1)
  select r.account as address, (select array_agg(m.name order by m.name) from balances b join mine m on m.plan_id = b.plan_id
      where b.account = r.account) as plans, o.n as orders, o.last as "lastOrderAt", r.used
  from (select account, sum(credits) as used from (
      select b.account, -b.available - b.held as credits from mine m join balances b on b.plan_id = m.plan_id
      union all
      select q.account, ${OTHER_AMOUNT} from mine m join transfers q on q.plan_id = m.plan_id and ${OTHER_TRANSFERS}
    ) moved where $2::boolean or not ${isTestPayer("account")} group by 1 order by 2 desc, 1) r
  cross join lateral (select count(*) filter (where q.price > 0) as n, max(${chargedAt("q")}) as last from orders q
    where q.account = r.account and q.plan_id in (select plan_id from mine) and q.status in ('minted', 'refunded')) o
  where o.last is not null order by r.used desc, 1 limit 10`;

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
    const sums = sumsStatement(account, open, dueOf);
    const [due] = await query<{ credits: bigint; hour: Date | null }>(...sums);
    if (!due?.hour) return { credits: due?.credits ?? 0n, oldestAt: null };
    // Of that hour, which the sums name, the first request.
    const since = new Date(Math.max(due.hour.getTime(), open.since.getTime()));
    const until = new Date(due.hour.getTime() + 3_600_000);
    const first = statementOf(
      account,
      { ...open, since, until },
      (requests) => `select min(at) as at from ${requests}`,
    );
    const oldest = await readValue<Date | null>(query(...first));
    return { credits: due.credits, oldestAt: oldest ?? since };
  },
});

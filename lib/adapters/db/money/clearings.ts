import type { Payouts } from "@/lib/domain/money/payout-ports.ts";
import type { Database } from "../client.ts";

// Without an answer each is due again after ten minutes.
const take = (which: string) => `
  update clearings c set due_at = app_now() + interval '10 minutes' from orders o
  where o.order_id = c.order_id and c.order_id in (
    select d.order_id from clearings d join orders using (order_id)
    where reference is not null and ${which})
  returning c.order_id as "orderId", o.reference`;
const DUE = "d.due_at <= app_now()";
const OF_ACCOUNT =
  "d.order_id in (select order_id from payables where owner = $2 and kind = 'earned')";
const FIRST = "order by d.due_at, d.order_id limit $1 for update of d";
const TAKE_DUE = take(`${DUE} ${FIRST} skip locked`);
const TAKE_DUE_OF = take(`${DUE} and ${OF_ACCOUNT} ${FIRST} skip locked`);
// Someone waits for these, so they are also asked about while another does: the answer is written once.
const TAKE_OF = take(
  `(${DUE} or d.due_at is not null and d.absent_since is null) and ${OF_ACCOUNT} ${FIRST}`,
);
// What was taken and is not due again is being asked about now, or failed.
const HAS_UNANSWERED = `
  select 1 from clearings c join orders o using (order_id) cross join (select app_now() as now) t
  where c.due_at is not null and c.absent_since is null and o.reference is not null
    and o.created_at < t.now - interval '1 minute' and (c.due_at <= t.now or o.created_at > t.now - interval '1 day')
    and c.order_id in (select order_id from payables where owner = $1 and kind = 'earned')
  limit 1`;

const SUMMED_A_ROUND = 5_000;

/** When the money of sales is available, on SQL. */
export const createClearings = ({
  query,
}: Database): Pick<Payouts, "takeUnclear" | "hasUnanswered" | "writeClearings" | "sumCleared"> => ({
  async takeUnclear(account, limit, { isUrgent = false } = {}) {
    if (account === null) return query(TAKE_DUE, [limit]);
    return query(isUrgent ? TAKE_OF : TAKE_DUE_OF, [limit, account]);
  },
  async hasUnanswered(account) {
    return (await query(HAS_UNANSWERED, [account])).length > 0;
  },
  async writeClearings(clearings) {
    await query("select write_clearings($1::jsonb)", [JSON.stringify(clearings)]);
  },
  async sumCleared() {
    const [row] = await query<{ n: number }>("select sum_payables($1) as n", [SUMMED_A_ROUND]);
    return row?.n ?? 0;
  },
});

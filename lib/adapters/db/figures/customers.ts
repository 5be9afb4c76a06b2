import { CUSTOMER_ORDERS, CUSTOMER_PLANS, CUSTOMER_TOKENS } from "@/lib/console/customer-limits.ts";
import type {
  Business,
  CustomerOrderRow,
  CustomerRow,
  SpentRow,
} from "@/lib/domain/figures/business-ports.ts";
import type { Database } from "../client.ts";
import { chargedAt } from "../order-rows.ts";
import { extentOf, pageOf, readPlace, writePlace } from "../paging.ts";
import { backColumnsOf, GONE_BACK } from "./gone-back.ts";
import { isTestPayer } from "./test-payers.ts";
import { USED_CREDITS } from "./used-credits.ts";

type Query = Parameters<Business["customers"]>[1];

/** When a customer was last seen, in microseconds, and their address. */
const PLACE = /^(\d{1,17}) (0x[0-9A-Fa-f]{40})$/;

/**
 * The customers of a page, with the number of all. Only what is asked for is a condition: a plan for any values took a search
 * for a few rows, and looked through all orders for each customer. Rows are compared with an array of the plans, which is
 * read once; as a join, it took a third of the time. A balance that nothing ever came to is that of a wallet whose payment by
 * `exact` was reserved and not taken.
 */
function pageStatement(account: string, query: Query, extent: { limit: number; offset: number }) {
  const parameters: unknown[] = [account];
  const bind = (value: unknown, kind = "text") => `$${parameters.push(value)}::${kind}`;
  const { planId, search, address, cursor } = query;
  const ofPlan = planId === undefined ? "" : `and plan_id = ${bind(planId)}`;
  const one = address === undefined ? undefined : bind(address);
  const of = (column: string) => (one ? `and ${column} = ${one}` : "");
  const part = search === undefined ? undefined : `lower(${bind(search)})`;
  const found = part
    ? `where position(${part} in lower(a.name)) > 0 or position(${part} in lower(h.account)) > 0`
    : "";
  const after = cursor === undefined ? undefined : readPlace(cursor, PLACE);
  const isAfter = after
    ? `where (last, account) < (timestamptz 'epoch' + ${bind(after[0], "bigint")} * interval '1 microsecond', ${bind(after[1])})`
    : "";
  const text = `
  with mine as (select plan_id, metadata->>'name' as name, access_limit from plans where owner = $1 ${ofPlan}),
    holders as (select distinct b.account from mine m join balances b on b.plan_id = m.plan_id and b.seq > 0
      where not ${isTestPayer("b.account")} ${of("b.account")}),
    bought as (select o.account, count(*) as n, max(${chargedAt("o")}) as last from mine m join orders o on o.plan_id = m.plan_id
      where o.status in ('minted', 'refunded') ${of("o.account")} group by 1),
    month as (select app_now() - interval '30 days' as start),
    seen as (select h.account, a.name, coalesce(b.n, 0) as orders,
        coalesce(greatest(b.last, (select s.created_at from settlements s where s.account = h.account and s.created_at > month.start
          and s.plan_id = any (array(select plan_id from mine)) order by s.created_at desc limit 1)), 'epoch') as last
      from month, holders h left join bought b on b.account = h.account left join accounts a on a.address = h.account ${found}),
    page as materialized (
      select seen.*, month.start, sums_since(account, 'subscriber', month.start) as summed from seen, month ${isAfter}
      order by last desc, account desc limit ${bind(extent.limit + 1, "int")} offset ${bind(extent.offset, "int")}),
  ${CALLED}
  select total, account as address, name, orders, coalesce(called.n, 0) as calls, last as "lastSeenAt",
    (extract(epoch from last) * 1000000)::bigint::text as micros,
    (select count(*) from mine m join balances b on b.plan_id = m.plan_id and b.account = page.account and b.seq > 0) as "planCount",
    (select json_agg(json_strip_nulls(json_build_object('planId', b.plan_id, 'name', b.name, 'accessLimit', b.access_limit, 'version', b.plan_version,
        'available', b.available::text, 'held', b.held::text, 'used', ${USED_CREDITS}::text, 'expiresAt', b.expires_at)) order by b.name, b.plan_id)
      from (select m.name, m.access_limit, b.* from mine m join balances b on b.plan_id = m.plan_id and b.account = page.account and b.seq > 0
        order by m.name, m.plan_id limit ${CUSTOMER_PLANS}) b) as plans
  from (select count(*) as total from seen) counted left join page on true left join called using (account) order by last desc, account desc`;
  return { text, parameters };
}

// Calls are counted for the customers of the page alone: by the sums of those who have sums, else by their requests.
const CALLED = `called as (
    select account, sum(n)::bigint as n from (
      select q.account, q.plan_id, q.n from page, request_sums q
      where q.account = page.account and q.role = 'subscriber' and q.hour >= page.summed and q.status = 'settled'
      union all
      select w.account, w.plan_id, w.n from page, waiting_sides w
      where w.account = page.account and w.role = 'subscriber' and w.status = 'settled' and page.summed < 'infinity'
        and w.at >= greatest(page.summed, sums_closed_before())
      union all
      select s.account, s.plan_id, 1 from page, settlements s
      where s.account = page.account and s.created_at > page.start and s.created_at < page.summed
    ) one where plan_id = any (array(select plan_id from mine)) group by 1
  )`;

// $1 the builder, $2 the customer.
const OF_CUSTOMER = "where p.owner = $1 and o.account = $2 and o.status in ('minted', 'refunded')";
const ORDERED = `orders o join plans p on p.plan_id = o.plan_id ${OF_CUSTOMER}`;
const SPENT = `
  select o.scheme, o.currency, count(*) as orders, sum(o.price) as amount, count(back.amount) as refunds,
    coalesce(sum(back.amount), 0) as refunded
  from orders o join plans p on p.plan_id = o.plan_id ${GONE_BACK} ${OF_CUSTOMER} and o.price > 0 group by 1, 2 order by 1, 2`;
const ORDERS = `
  select o.order_id as "orderId", o.plan_id as "planId", p.metadata->>'name' as "planName", o.status, o.price as price, o.scheme, o.currency,
    ${Object.entries(backColumnsOf("o", "p")).map(([name, value]) => `${value} as "${name}"`)},
    ${chargedAt("o")} as at from ${ORDERED} order by at desc limit ${CUSTOMER_ORDERS}`;
const SINCE = `select min(${chargedAt("o")}) as at from ${ORDERED}`;
const TOKENS = `
  select s.jti as "tokenId", min(p.metadata->>'name') as "planName", count(*) as calls, max(s.created_at) as "lastUsedAt"
  from settlements s join plans p on p.plan_id = s.plan_id
  where s.builder = $1 and s.account = $2 group by s.jti order by max(s.created_at) desc limit ${CUSTOMER_TOKENS}`;

type PageRow = Omit<CustomerRow, "name" | "lastSeenAt"> & {
  name: string | null;
  lastSeenAt: Date;
  micros: string;
  total: number;
};
type TokenRow = { tokenId: string; planName: string; calls: number; lastUsedAt: Date };

/** Who bought from a builder, and what. */
export const createCustomers = ({
  query,
}: Database): Pick<Business, "customers" | "customerHistory"> => ({
  async customers(account, page) {
    const extent = extentOf(page);
    const { text, parameters } = pageStatement(account, page, extent);
    const found = await query<PageRow>(text, parameters);
    const rows = found.filter(({ address }) => address !== null);
    const { items, ...rest } = pageOf(rows, {
      limit: extent.limit,
      total: found[0]?.total,
      cursorOf: ({ micros, address }) => writePlace(micros, address),
    });
    const read = ({ micros: _, total: __, name, lastSeenAt, ...row }: PageRow): CustomerRow => ({
      ...row,
      ...(name !== null && { name }),
      lastSeenAt: lastSeenAt.toISOString(),
    });
    return { items: items.map(read), ...rest };
  },
  async customerHistory(account, customer) {
    const who = [account, customer];
    const [spent, orders, [since], tokens] = await Promise.all([
      query<SpentRow>(SPENT, who),
      query<CustomerOrderRow>(ORDERS, who),
      query<{ at: Date | null }>(SINCE, who),
      query<TokenRow>(TOKENS, who),
    ]);
    return {
      since: since?.at ?? new Date(0),
      spent,
      orders,
      tokens: tokens.map((row) => ({ ...row, lastUsedAt: row.lastUsedAt.toISOString() })),
    };
  },
});

import type {
  Invoices,
  MonthSum,
  StatementEntryRow,
  StatementScope,
  StatementSection,
  Statements,
} from "@/lib/domain/money/statement-ports.ts";
import type { Database } from "../client.ts";
import { readFirst, readValue, readValues } from "../rows.ts";
import { bookedAt, movesOf, SPENDING, writtenSince } from "./moves.ts";

const CARD_PAYMENTS = `
  select 'card-payments' as section, y.currency as unit, ${bookedAt("y", "o")} as at, 'card-' || lpad(y.id::text, 18, '0') as id,
    case y.kind when 'earned' then 'order' when 'refunded' then 'refund' when 'reversed' then 'chargeback'
      else case when f.refund_id is null then 'chargeback-lost' else 'refund-failed' end end as kind,
    -payable_sign(y.kind) * y.amount as amount, y.order_id, o.plan_id, y.owner, y.reference
  from orders o join payables y on y.order_id = o.order_id and y.kind in ('earned', 'refunded', 'reversed', 'restored')
    left join refunds f on f.refund_id = y.reference
  where o.account = $1`;

// $1 the account, $2 the stablecoin's token. `party` is who paid, was paid or used the credits.
const moneyOf = (...limits: Parameters<typeof movesOf>) => `
  select 'balance' as section, currency as unit, at, id, case when kind = 'sale' and scheme = 'exact' then 'exact' else kind end as kind,
    amount, order_id, plan_id, party, reference
  from (${movesOf(...limits)}) moves where not is_open or kind = 'payout'
  union all ${CARD_PAYMENTS}`;

/** Whether a transfer is of a time plan. */
const OF_TIME = `exists (select 1 from plans l where l.plan_id = t.plan_id and l.access_limit = 'time')`;
/** The unit of a time plan that an order took back just before it granted its own: nothing expired, and both are one line. */
const TAKEN_BEFORE = `coalesce((select e.amount from transfers e where e.account = t.account and e.plan_id = t.plan_id
  and e.seq = t.seq - 1 and e.kind = 'expire' and e.ref = t.ref and ${OF_TIME}), 0)`;

/**
 * Credits of the plans whose transfers are selected: what can be used and what is reserved, as in the invariants. Credits that
 * could not be taken back are two entries, taken and owed, and so are those of a debt that is forgiven.
 */
const credits = (section: "credits" | "credits-sold", from: string, where: string) => `
  select '${section}' as section, t.plan_id as unit, t.created_at as at,
    t.account || '-' || lpad(t.seq::text, 15, '0') || case when is_debt then '-debt' else '' end as id,
    case t.kind when 'mint' then 'order' when 'burn' then 'settled' when 'post' then 'settled' when 'expire' then 'expired'
      when 'repay' then 'debt-repaid' when 'restore' then 'credits-restored' when 'return' then 'call-refunded'
      when 'owe' then case when is_debt then 'debt' else 'refund' end
      when 'forgive' then case when is_debt then 'debt-forgiven' else 'credits-restored' end else 'refund' end as kind,
    case when t.kind = 'mint' then t.amount - ${TAKEN_BEFORE}
      when t.kind in ('restore', 'return') or (t.kind = 'owe' and is_debt) or (t.kind = 'forgive' and not is_debt) then t.amount
      else -t.amount end as amount,
    case when t.kind = 'mint' then t.ref end as order_id, t.plan_id, t.account as party, t.ref as reference
  from ${from} join (values (false), (true)) side (is_debt) on not is_debt or t.kind in ('owe', 'forgive')
  where ${where} and t.kind not in ('hold', 'void') and not (t.kind = 'expire' and t.ref <> 'expired' and ${OF_TIME})`;

const OF_MY_PLANS =
  "plans w join balances b on b.plan_id = w.plan_id join transfers t on t.account = b.account and t.plan_id = b.plan_id";
const creditsOf = (plans: string) => `${credits("credits", "transfers t", "t.account = $1")}
  union all ${credits("credits-sold", OF_MY_PLANS, `w.owner = $1 and ${plans}`)}`;

// $3 and $4 are the beginning and the end, left out. What a deposit paid has the date of its charge, which is later than the
// block by as long as the service was away: a block before the period can belong to a charge in it or after.
const IS_NEAR = `d.created_at between $3::timestamptz and $4::timestamptz + interval '1 day'
  or exists (select 1 from orders b where b.reference = d.tx_hash and b.charged_at >= $3::timestamptz)
  or d.tx_hash in (select r.reference from refunds r join account_payments a on a.payment_id = r.refund_id
    where r.account = $1 and a.closed_at >= $3::timestamptz)`;
const IS_RECENT = writtenSince("$3::timestamptz");
const entriesOf = (plans = "true") =>
  `${moneyOf(IS_NEAR, IS_RECENT)} union all ${creditsOf(plans)}`;

// The card money of before is all that is owed less what is read: years of sales are summed already.
const SECTIONS = `
  with entry as (select section, unit, at, amount from (${entriesOf()}) each
    union all select 'balance', currency, '-infinity', amount from sums_owed($1)
    union all select 'balance', y.currency, '-infinity', -payable_sign(y.kind) * y.amount from payables y where y.owner = $1 and ${IS_RECENT}), sums as (
    select section, unit, coalesce(sum(amount) filter (where at < $3), 0) as opening, sum(amount) as closing, count(*) filter (where at >= $3) as entries
    from entry where at < $4 group by section, unit)
  select s.section, s.unit, s.opening, s.closing, s.entries, p.metadata->>'name' as "planName", p.access_limit = 'time' as "isTime"
  from sums s left join plans p on p.plan_id = s.unit
  where s.opening <> 0 or s.entries > 0 order by array_position(array['balance', 'card-payments', 'credits', 'credits-sold'], s.section), s.unit`;

// The plans are named twice: of a sale, a transfer's plan alone would be compared after all balances were read.
const ENTRIES = `
  with entry as (${entriesOf("w.plan_id = any($6::text[])")}), page as (
    select * from entry where section = $5 and unit = any($6::text[]) and at >= $3 and at < $4
      and ($7::text is null or (unit, at, id) > ($7::text, timestamptz 'epoch' + $8::bigint * interval '1 microsecond', $9::text))
    order by unit, at, id limit $10)
  select e.unit, e.id as "entryId", e.at, e.kind, e.amount, e.order_id as "orderId", e.plan_id as "planId", p.metadata->>'name' as "planName", e.party,
    a.name as "partyName", e.reference, i.number as "invoiceNumber", (extract(epoch from e.at) * 1000000)::bigint::text as micros
  from page e left join plans p on p.plan_id = e.plan_id left join accounts a on a.address = e.party left join invoices i on i.order_id = e.order_id and (i.owner = $1 or i.buyer = $1)
  order by e.unit, e.at, e.id`;

// Sales are summed already but for the last ones; what an account paid is little beside them.
const MONTHS = `
  with paid as (
    select to_char(at at time zone 'UTC', 'YYYY-MM') as month, section, unit, amount from (
      select 'balance' as section, unit, at, amount from (${SPENDING}) spending (id, kind, at, unit, amount, is_open) where not is_open
      union all select section, unit, at, amount from (${CARD_PAYMENTS}) cards) each
  ), entry as (
    select month, 'balance' as section, unit, came, went from sales_by_month($1, $2)
    union all select month, section, unit, greatest(amount, 0), least(amount, 0) from paid)
  select month, section, unit, sum(came) as "in", sum(went) as out from entry group by 1, 2, 3 order by 1, 2, 3`;
const BUSY = `
  select p.owner from (select distinct owner from plans) p
    cross join lateral (select number from invoices i where i.owner = p.owner order by number desc limit 1) n
    left join statement_marks m on m.account = p.owner and m.token = $1
  where n.number >= coalesce(m.sales, 0) + $2 order by 1`;
const FIRST = `
  select min(t.created_at) as at from transfers t where t.seq = 1 and (t.account = $1
    or (t.account, t.plan_id) in (select b.account, b.plan_id from plans p join balances b on b.plan_id = p.plan_id where p.owner = $1))`;
const UNDER_WAY = `
  select least(
    (select min(o.created_at) from orders o join plans p on p.plan_id = o.plan_id
        join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version and lower(v.price->>'tokenAddress') = lower($2)
      where o.due_at is not null and o.status in ('reserved', 'charging', 'requires_action')
        and (o.account = $1 or p.owner = $1 or exists (select from jsonb_array_elements_text(v.price->'receivers') r where lower(r) = lower($1)))),
    (select min(created_at) from account_payments where due_at is not null and state = 'open' and (account = $1 or recipient = $1))) as at`;

/** What accounts' statements say, read from the ledger. */
export function createStatements({ query }: Database): Statements {
  const scopeOf = ({ account, token, from, to }: StatementScope) => [account, token, from, to];
  return {
    listSections: (scope) => query<StatementSection>(SECTIONS, scopeOf(scope)),
    listEntries: (scope, { section, units }, { after, limit }) =>
      query<StatementEntryRow>(ENTRIES, [
        ...scopeOf(scope),
        section,
        units,
        after?.unit ?? null,
        after?.micros ?? null,
        after?.entryId ?? null,
        limit,
      ]),
    listMonths: (account, token) => query<MonthSum>(MONTHS, [account, token ?? ""]),
    listBusy: (token, from) => readValues(query(BUSY, [token, from])),
    sumSales: async (account, token, closed) => {
      await query("select sum_sales($1, $2, $3)", [account, token, closed]);
    },
    firstCredits: async (account) => (await readValue<Date>(query(FIRST, [account]))) ?? null,
    underWaySince: async (account, token) =>
      (await readValue<Date>(query(UNDER_WAY, [account, token]))) ?? null,
  };
}

// $1 the account, $2 an order or the reference of its payment.
const INVOICE = `
  select i.number, i.created_at as "issuedAt", i.order_id as "orderId", i.owner, i.owner_name as "ownerName", i.buyer, i.buyer_name as "buyerName",
    o.plan_id as "planId", i.plan_name as "planName", o.scheme, lower(o.currency) as currency, o.price, o.reference,
    o.reversed_amount + refunded_of(o.order_id, '') as refunded
  from (select order_id from invoices where order_id = $2 union select order_id from orders where reference = $2) named
    join invoices i on i.order_id = named.order_id join orders o on o.order_id = i.order_id
  where i.owner = $1 or i.buyer = $1 order by i.order_id <> $2, i.number limit 1`;

export const createInvoices = ({ query }: Database): Invoices => ({
  find: (account, orderIdOrReference) => readFirst(query(INVOICE, [account, orderIdOrReference])),
});

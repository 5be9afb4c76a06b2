import { toJson } from "@turnpike/payments/protocol";
import type {
  Difference,
  DifferenceRecord,
  Differences,
  LedgerPayment,
  LedgerPayout,
} from "@/lib/domain/reconciliation/difference-ports.ts";
import type { Database } from "../client.ts";
import { readRow, readValues } from "../rows.ts";

// A mark of the future was made by a clock that was wrong: what is written until then would not be looked at.
const WATERMARKS = `
  select least(coalesce(max(at) filter (where name = 'ledger'), (select min(created_at) from orders)), app_now()) as ledger,
    least(coalesce(max(at) filter (where name = 'processor'), (select min(created_at) from orders)), app_now()) as processor,
    least(coalesce(max(at) filter (where name = 'rules'), app_now() - interval '10 minutes'), app_now()) as rules
  from comparison_watermarks`;

const PAYMENTS = `
  select o.order_id as "orderId", o.status, o.price, lower(o.currency) as currency, o.reference, o.refund_state as "refundState",
    o.reversed_amount as reversed, coalesce(r.refunded, 0) as refunded, coalesce(r.paid, 0) as "refundedPaid"
  from orders o cross join lateral (
    select sum(amount) as refunded, sum(amount) filter (where state = 'paid') as paid
    from refunds where order_id = o.order_id and state in ('open', 'paid')
  ) r
  where o.scheme = $1 and o.price > 0 and o.order_id in (
    select unnest($2::text[])
    union select order_id from orders where updated_at >= $3::timestamptz
    union select order_id from refunds where updated_at >= $3::timestamptz)`;

const PAYOUTS = `
  select payout_id as "payoutId", state, lower(currency) as currency, amount, transfer_reference as "transferReference"
  from payouts where payout_id = any($1) or updated_at >= $2::timestamptz`;

// What was explained stays so while it is the same; what was resolved and comes back is new. A mark of the future is
// replaced: capped at each reading alone, it would never fall behind while nothing is compared.
const SAVE = `
  with given as (
    select * from jsonb_to_recordset($1::jsonb) as g("differenceId" text, kind text, subject text, reference text, detail text, state text)
  ), written as (
    insert into differences (difference_id, kind, subject, reference, detail, state, found_at, closed_at)
    select "differenceId", kind, subject, reference, detail, state, app_now(), case when state = 'resolved' then app_now() end from given
    order by 1
    on conflict (difference_id) do update
    set state = excluded.state, reference = excluded.reference, detail = excluded.detail, note = null,
      found_at = excluded.found_at, closed_at = excluded.closed_at
    where differences.state = 'resolved' or differences.state = 'explained' and differences.detail <> excluded.detail
    returning difference_id
  ), gone as (
    update differences d set state = 'resolved', closed_at = app_now()
    where d.state in ('open', 'explained') and d.subject = any($2) and not exists (select 1 from given g where g."differenceId" = d.difference_id)
  ), moved as (
    insert into comparison_watermarks (name, at) select key, least(value::timestamptz, app_now()) from jsonb_each_text($3::jsonb)
    on conflict (name) do update set at = case when comparison_watermarks.at > app_now() then excluded.at
      else greatest(comparison_watermarks.at, excluded.at) end
  ) select difference_id from written`;

const RECENT = `
  select rule, subject from check_recent_balances($1::timestamptz, $2::timestamptz)
  union all select rule, subject from check_recent_settlements($1::timestamptz, $2::timestamptz)
  union all select rule, subject from check_recent_orders($1::timestamptz, $2::timestamptz)`;

// Each of the three is from other rows: orders, money that left, and the book of what is owed.
const MONEY = `
  with received as (
    select lower(currency) as currency, sum(price) as amount from orders where is_collected and status in ('minted', 'refunded') group by 1
  ), sent as (
    select lower(o.currency) as currency, sum(o.reversed_amount + coalesce(r.amount, 0)) as amount from orders o
    left join (select order_id, sum(amount) as amount from refunds where state in ('open', 'paid') group by 1) r using (order_id)
    where o.is_collected and o.status in ('minted', 'refunded') group by 1
  ), paid_out as (
    select lower(currency) as currency, sum(case kind when 'paid-out' then amount else -amount end) as amount
    from payables where kind in ('paid-out', 'returned') group by 1
  ), held as (
    select lower(currency) as currency, sum(case when kind in ('earned', 'restored', 'returned') then amount when kind = 'fee' then 0 else -amount end) as amount
    from payables group by 1
  )
  select currency, coalesce(r.amount, 0) as received, coalesce(s.amount, 0) + coalesce(p.amount, 0) as sent, coalesce(h.amount, 0) as held
  from received r full join sent s using (currency) full join paid_out p using (currency) full join held h using (currency) order by 1`;

const OPEN = `select difference_id as "differenceId", kind, subject, reference, detail, found_at as "foundAt"
  from differences where state = 'open' order by found_at, difference_id`;

/** Differences on SQL, and the ledger's side of the comparison. */
export function createDifferences({ query }: Database): Differences {
  return {
    readWatermarks: () =>
      readRow(query<{ ledger: Date; processor: Date; rules: Date }>(WATERMARKS)),
    readPayments: ({ scheme, orderIds, since }) =>
      query<LedgerPayment>(PAYMENTS, [scheme, orderIds, since.toISOString()]),
    readPayouts: ({ payoutIds, since }) =>
      query<LedgerPayout>(PAYOUTS, [payoutIds, since.toISOString()]),
    listPayoutAccounts: (among) =>
      readValues(
        query("select processor_account from payout_accounts where processor_account = any($1)", [
          among,
        ]),
      ),
    async save({ judged, found, healed }, watermarks) {
      const rows = [
        ...found.map((each) => ({ ...each, state: "open" })),
        ...healed.map((each) => ({ ...each, state: "resolved" })),
      ];
      const saved = [toJson(rows), judged, JSON.stringify(watermarks)];
      const ids = new Set(await readValues<string>(query(SAVE, saved)));
      return found.filter(({ differenceId }) => ids.has(differenceId));
    },
    listOpen: () => query<DifferenceRecord>(OPEN),
    listLate: () =>
      readValues(
        query(
          "select subject from differences where kind = 'rule_late' and state in ('open', 'explained')",
        ),
      ),
    async explain(differenceId, note) {
      const rows = await query(
        `update differences set state = 'explained', note = $2, closed_at = app_now()
         where state = 'open' and difference_id = $1 returning 1`,
        [differenceId, note],
      );
      return rows.length;
    },
    async checkRules(since, until) {
      type Row = { rule: string; subject: string };
      const broken = await query<Row>(RECENT, [
        since.toISOString(),
        until?.toISOString() ?? "infinity",
      ]);
      const late = await query<Row>("select rule, subject from list_late_work()");
      return [
        ...broken.map((row) => brokenRule("rule_broken", row)),
        ...late.map((row) => brokenRule("rule_late", row)),
      ];
    },
    checkAllRules: () => query("select rule, broken from broken_invariants() where broken > 0"),
    sumMoney: () => query(MONEY),
  };
}

function brokenRule(
  kind: "rule_broken" | "rule_late",
  { rule, subject }: { rule: string; subject: string },
): Difference {
  const detail =
    kind === "rule_late"
      ? `Work of ${subject} is late (${rule}).`
      : `${subject} breaks the rule ${rule}.`;
  const differenceId = `${rule}:${subject}`;
  return { differenceId, kind, subject: differenceId, reference: null, detail };
}

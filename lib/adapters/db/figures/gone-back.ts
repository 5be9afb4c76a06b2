/** Joins what went back of an order `o` of builder $1 as `back.amount`, by refunds and chargebacks: null when nothing did. */
export const GONE_BACK = `
  left join (select order_id, sum(amount) as amount from refunds where owner = $1 and state in ('open', 'paid') group by 1) refunded
    on refunded.order_id = o.order_id
  left join lateral (select nullif(o.reversed_amount + coalesce(refunded.amount, 0), 0) as amount) back on true`;

/** The credits that left the balance for what went back of an order, by the alias of its row. */
export const creditsBackOf = (order: "o" | "orders"): string => `(
  select coalesce(sum(case when t.kind in ('refund', 'owe') then t.amount else -t.amount end), 0)
  from transfers t where t.account = ${order}.account and t.plan_id = ${order}.plan_id
    and t.kind in ('refund', 'owe', 'restore', 'forgive')
    and (t.ref = ${order}.order_id or t.ref in (select r.refund_id from refunds r where r.order_id = ${order}.order_id)))`;

/** Joins what went back of an order `o` of builder $1 as `back.amount`, by refunds and chargebacks: null when nothing did. */
export const GONE_BACK = `
  left join (select order_id, sum(amount) as amount from refunds where owner = $1 and state in ('open', 'paid') group by 1) refunded
    on refunded.order_id = o.order_id
  left join lateral (select nullif(o.reversed_amount + coalesce(refunded.amount, 0), 0) as amount) back on true`;

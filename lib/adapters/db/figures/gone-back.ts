/** Joins what went back of an order `o` of builder $1 as `back.amount`, by refunds and chargebacks: null when nothing did. */
export const GONE_BACK = `
  left join (select order_id, sum(amount) as amount from refunds where owner = $1 and state in ('open', 'paid') group by 1) refunded
    on refunded.order_id = o.order_id
  left join lateral (select nullif(o.reversed_amount + coalesce(refunded.amount, 0), 0) as amount) back on true`;

type OrderAlias = "o" | "orders";

/** The credits that left the balance for what went back of an order, by the alias of its row. */
export const creditsBackOf = (order: OrderAlias): string =>
  creditsTaken(order, `t.ref = ${order}.order_id or ${isOfRefund(order)}`);

/**
 * What refunds took of an order and what banks have of it, each in money and in credits, by the aliases of its row and its
 * plan's. A time plan has no credits that are removed.
 */
export function backColumnsOf(order: OrderAlias, plan: "p" | "plans") {
  const isDisputed = `coalesce(${order}.failure_code = 'disputed', false)`;
  const disputed = `case when ${isDisputed} then ${order}.reversed_amount else 0 end`;
  const credits = (ref: string) =>
    `case ${plan}.access_limit when 'time' then 0 else ${creditsTaken(order, ref)} end`;
  const isReversal = `t.ref = ${order}.order_id and`;
  return {
    refunded: `${order}.reversed_amount - ${disputed} + refunded_of(${order}.order_id, '')`,
    creditsBack: credits(`${isOfRefund(order)} or ${isReversal} not ${isDisputed}`),
    disputed,
    creditsDisputed: credits(`${isReversal} ${isDisputed}`),
  };
}

const isOfRefund = (order: OrderAlias): string =>
  `t.ref in (select r.refund_id from refunds r where r.order_id = ${order}.order_id)`;

const creditsTaken = (order: OrderAlias, condition: string): string => `(
  select coalesce(sum(case when t.kind in ('refund', 'owe') then t.amount else -t.amount end), 0)
  from transfers t where t.account = ${order}.account and t.plan_id = ${order}.plan_id
    and t.kind in ('refund', 'owe', 'restore', 'forgive') and (${condition}))`;

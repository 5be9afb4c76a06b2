/**
 * The order that the transfer `d` of deposits paid. A transaction can pay several orders of an account, because captures
 * are sent in batches: the nth of equal transfers is the nth share of that amount that those orders pay the receiver.
 */
export const ORDER_OF_DEPOSIT = `
  select q.order_id, q.plan_id, q.scheme from orders q
    join plan_versions w on w.plan_id = q.plan_id and w.version = q.plan_version
    cross join lateral jsonb_array_elements_text(w.price->'receivers') with ordinality r(receiver, n)
    join lateral jsonb_array_elements_text(w.price->'amounts') with ordinality a(amount, n) on a.n = r.n
  where q.reference = d.tx_hash and q.account = d.sender and lower(r.receiver) = lower(d.account) and a.amount::numeric = d.amount
  order by q.order_id, r.n
  limit 1 offset (select count(*) from deposits e where e.tx_hash = d.tx_hash and e.log_index < d.log_index
    and e.account = d.account and e.token = d.token and e.sender = d.sender and e.amount = d.amount)`;

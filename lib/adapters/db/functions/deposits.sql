-- version 1, content da36022fde6bdda2
-- What a transfer that arrived was. A transaction can pay several orders of an account, because captures are sent in batches:
-- the nth of equal transfers is the nth share of that amount that those orders pay the receiver.
create or replace function order_of_deposit(d deposits)
returns table (order_id text, plan_id text, scheme text, charged_at timestamptz) language sql stable as $$
  select q.order_id, q.plan_id, q.scheme, q.charged_at from orders q
    join plan_versions w on w.plan_id = q.plan_id and w.version = q.plan_version
    cross join lateral jsonb_array_elements_text(w.price->'receivers') with ordinality r(receiver, n)
    join lateral jsonb_array_elements_text(w.price->'amounts') with ordinality a(amount, n) on a.n = r.n
  where q.reference = d.tx_hash and q.account = d.sender and lower(r.receiver) = lower(d.account) and a.amount::numeric = d.amount
  order by q.order_id, r.n
  limit 1 offset (select count(*) from deposits e where e.tx_hash = d.tx_hash and e.log_index < d.log_index
    and e.account = d.account and e.token = d.token and e.sender = d.sender and e.amount = d.amount)
$$;

-- The order that a transfer paid, or the refund that it is. Both are dated as the other side dates them, by the ledger: a
-- block before midnight can be read after it, and a closed month never changes.
create or replace function cause_of_deposit(d deposits)
returns table (order_id text, plan_id text, kind text, scheme text, at timestamptz) language sql stable as $$
  select paid.order_id, paid.plan_id, 'sale', paid.scheme, paid.charged_at from order_of_deposit(d) paid
  union all
  select r.order_id, r.plan_id, 'refund', null, a.closed_at from refunds r left join account_payments a on a.payment_id = r.refund_id
  where r.reference = d.tx_hash and r.owner = d.sender and r.account = d.account
  limit 1
$$;

-- version 2, content ad4a09e5fc8006c1
-- version 1, content 0
-- Numbers a paid order for its seller, once. The number is taken under a lock that lasts until the transaction ends, so
-- one that rolls back leaves no gap. The caller holds the locks of order and balance; nothing is locked after this one.
-- It has the date of the payment, also where a restored ledger writes an order again.
create or replace function issue_invoice(p_order text) returns void language plpgsql as $$
declare v_owner text;
begin
  select p.owner into v_owner from orders o join plans p on p.plan_id = o.plan_id where o.order_id = p_order and o.price > 0;
  if v_owner is null then return; end if;
  perform pg_advisory_xact_lock(hashtextextended('invoice ' || v_owner, 0));
  insert into invoices (owner, number, order_id, buyer, owner_name, buyer_name, plan_name, created_at)
  select v_owner, coalesce((select max(number) from invoices where owner = v_owner), 0) + 1, o.order_id, o.account,
    (select name from accounts where address = v_owner), (select name from accounts where address = o.account),
    coalesce(p.metadata->>'name', ''), coalesce(o.charged_at, app_now())
  from orders o join plans p on p.plan_id = o.plan_id where o.order_id = p_order
  on conflict (order_id) do nothing;
end $$;

-- Each paid order has one invoice, and the numbers of a seller begin at 1 without a gap.
create or replace view inv_invoices as
  select owner as subject from invoices group by owner having min(number) <> 1 or max(number) <> count(*)
  union all
  select o.order_id from orders o left join invoices i on i.order_id = o.order_id
  where (o.status in ('minted', 'refunded') and o.price > 0) <> (i.order_id is not null);

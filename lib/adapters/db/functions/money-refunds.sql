-- version 12, content 78634f48c7d3d528
-- What refunds took or are taking of an order's price, leaving one out.
create or replace function refunded_of(p_order text, p_but text) returns numeric language sql stable as $$
  select coalesce(sum(amount), 0) from refunds
  where order_id = p_order and state in ('open', 'paid') and refund_id <> p_but
$$;

-- How much of an order's price a bank has, or the processor gave back: of a dispute its amount, at most what refunds left.
create or replace function reversal_of(p_order text, p_code text) returns numeric language sql stable as $$
  select least(o.price - refunded_of(p_order, ''), case when p_code = 'disputed' then
    (select sum(d.amount) from disputes d where d.order_id = p_order and d.status <> 'won') end)
  from orders o where o.order_id = p_order
$$;

-- Takes back what `reversal_of` says of an order, which is all of it or the part that was disputed. When less is disputed
-- than before, what was taken is given back first. The caller holds the order's lock.
create or replace function reverse_order(p_order text) returns table (taken numeric, owed numeric) language plpgsql as $$
declare
  v_order orders;
  v_wanted numeric;
begin
  select * into strict v_order from orders where order_id = p_order;
  v_wanted := greatest(0, reversal_of(p_order, v_order.failure_code));
  if v_wanted < v_order.reversed_amount then
    perform reinstate_order(p_order);
    perform write_payables(p_order, 'restored', v_order.reference);
    v_order.reversed_amount := 0;
  end if;
  if v_wanted > v_order.reversed_amount then
    perform take_back(p_order, p_order, v_wanted - v_order.reversed_amount, true);
  end if;
  update orders set reversed_amount = v_wanted,
    status = case when price - v_wanted - refunded_of(p_order, '') <= 0 then 'refunded' else 'minted' end
  where order_id = p_order;
  perform follow_transfer(p_order);
end $$;

-- Undoes a chargeback.
create or replace function reinstate_order(p_order text) returns void language plpgsql as $$
begin
  perform give_back(p_order, p_order, reversed_amount) from orders where order_id = p_order;
  update orders set reversed_amount = 0 where order_id = p_order;
end $$;

-- Opens a refund: its credits leave, and its money is no longer owed to the receivers. Credits that were used become a
-- debt only where no builder decided: of a refund in the processor's dashboard. The caller holds the order's lock and
-- has written the refund's row.
create or replace function open_refund(p_refund text) returns void language plpgsql as $$
declare
  v_refund refunds;
  v_taken numeric := 0;
begin
  select * into strict v_refund from refunds where refund_id = p_refund;
  if v_refund.request_key is null then
    v_taken := take_back(v_refund.order_id, p_refund, v_refund.amount, v_refund.made_by = 'processor');
  end if;
  update refunds set credits = v_taken where refund_id = p_refund;
  perform write_payables(v_refund.order_id, 'refunded', p_refund, v_refund.amount);
  perform mark_refunded(v_refund.order_id);
  perform follow_transfer(v_refund.order_id);
end $$;

create or replace function is_of_refund(p_reference text) returns boolean language sql stable as $$
  select exists (select 1 from refunds where refund_id = p_reference)
$$;

-- The platform's fees of a builder's sales that refunds and chargebacks took more of than they left the builder, once `p_amount`
-- of one of them is refunded too. They stay owed, but no refund is short of them: the platform has that money of the sale itself.
create or replace function lost_fees(p_owner text, p_currency text, p_order text, p_amount numeric) returns numeric language sql stable as $$
  select coalesce(sum(least(y.fee, greatest(0, case when y.order_id = p_order then p_amount else 0 end - y.net))), 0)
  from (select order_id, sum(amount) filter (where kind = 'fee') as fee, sum(payable_sign(kind) * amount) as net
    from payables where owner = p_owner and currency = p_currency and order_id in (
      select p_order union all select order_id from payables where owner = p_owner and currency = p_currency and kind in ('refunded', 'reversed'))
    group by order_id) y
  where y.fee > 0
$$;

-- How much of a refund of `p_amount` the platform gets back, where the builder's next sales go on to them with the charge and so
-- cover no debt: what this order left in their account, and then what is owed to them, which no payout takes meanwhile. Refunds
-- of the order on their way count on the account first, until what came back is written; so do those of the builder's other
-- orders, which are not owed what comes back for them. The caller holds the order's lock, and no balance's.
create or replace function refund_cover(p_order text, p_amount numeric) returns numeric language plpgsql as $$
declare
  v_owner text;
  v_currency text;
  v_left numeric;
  v_claimed numeric;
  v_covered numeric;
begin
  select p.owner, lower(o.currency), y.left, least(y.left, case when o.due_at is null then 0 else refunded_of(p_order, '') end)
  into strict v_owner, v_currency, v_left, v_claimed
  from orders o join plans p using (plan_id) cross join lateral (
    select greatest(0, coalesce(-sum(payable_sign(kind) * amount), 0)) as left from payables
    where order_id = p_order and kind in ('paid-out', 'returned')) y
  where o.order_id = p_order;
  if v_left - v_claimed >= p_amount then return p_amount; end if;
  perform lock_owed(v_owner, v_currency);
  v_covered := (select v_left - v_claimed + greatest(0, v_claimed + lost_fees(v_owner, v_currency, '', 0)
    + coalesce((select amount from sums_owed(v_owner) where currency = v_currency), 0)
    + coalesce((select sum(coming_back(x.order_id)) from orders x
        where x.due_at is not null and x.order_id <> p_order and lower(x.currency) = v_currency
          and x.order_id in (select r.order_id from refunds r where r.owner = v_owner and r.state in ('open', 'paid'))), 0)));
  if v_covered + lost_fees(v_owner, v_currency, p_order, p_amount) - lost_fees(v_owner, v_currency, '', 0) >= p_amount then return p_amount; end if;
  return least(p_amount, v_covered);
end $$;

-- Has an order looked at soon whose money went on to the builder with the charge.
create or replace function follow_transfer(p_order text) returns void language sql as $$
  update orders set due_at = app_now(), checks = 0
  where order_id = p_order and exists (select 1 from payables where order_id = p_order and kind = 'paid-out')
$$;

-- What is due back of money that went on to the builder with the charge, for all causes; what banks have of it; and whether a
-- refund is still to be sent. Of a declined order all is due, if any went on. No money went on in a 'paid-out' row that names a
-- refund: it evens out the 'returned' row that an earlier release wrote before the processor refused the refund.
create or replace function sent_on(p_order text) returns table (due numeric, disputed numeric, is_refunding boolean) language sql stable as $$
  select greatest(0, y.sent - y.kept), case when o.status = 'declined' then o.price when o.failure_code = 'disputed' then o.reversed_amount else 0 end,
    exists (select 1 from refunds r where r.order_id = p_order and r.state = 'open' and r.reference is null)
  from orders o cross join lateral (
    select coalesce(sum(amount) filter (where kind = 'paid-out' and not is_of_refund(reference)), case o.status when 'declined' then o.price end) as sent,
      coalesce(sum(payable_sign(kind) * amount) filter (where kind not in ('paid-out', 'returned')), 0) as kept
    from payables where order_id = p_order) y
  where o.order_id = p_order and y.sent is not null
$$;

-- What refunds of an order on their way bring back from the builder's account at least, and was not written yet.
create or replace function coming_back(p_order text) returns numeric language sql stable as $$
  select greatest(0, least(y.left, refunded_of(p_order, ''), s.due - s.disputed - y.returned))
  from sent_on(p_order) s cross join (
    select coalesce(-sum(payable_sign(kind) * amount), 0) as left, coalesce(sum(amount) filter (where kind = 'returned'), 0) as returned
    from payables where order_id = p_order and kind in ('paid-out', 'returned')) y
$$;

-- Writes what came back of it in all, as the processor says: it never becomes less. The caller holds the order's lock.
create or replace function write_returned(p_order text, p_total numeric, p_reference text) returns void language plpgsql as $$
begin
  perform write_payables(p_order, 'returned', p_reference, p_total - y.returned)
  from (select coalesce(sum(payable_sign(kind) * amount), 0) as returned from payables
    where order_id = p_order and (kind = 'returned' or kind = 'paid-out' and is_of_refund(reference))) y
  where p_total > y.returned;
end $$;

-- The money did not leave, or came back: the credits return, and the money is owed again, also where the builder's account
-- paid for the refund, because the processor does not send it on there again. Of a payment that is disputed, the bank has
-- that part too, as far as it disputed it.
create or replace function undo_refund(p_refund text) returns void language plpgsql as $$
declare
  v_refund refunds;
  v_order orders;
begin
  select * into strict v_refund from refunds where refund_id = p_refund;
  select * into strict v_order from orders where order_id = v_refund.order_id;
  if v_refund.request_key is null then
    perform give_back(v_refund.order_id, p_refund, v_refund.amount);
  end if;
  perform write_payables(v_refund.order_id, 'restored', p_refund, v_refund.amount);
  -- The release before wrote it before the refund was made, and the processor refused this one.
  if v_refund.reference is null and exists (select 1 from payables where reference = p_refund and kind = 'returned') then
    perform write_payables(v_refund.order_id, 'paid-out', p_refund, v_refund.amount);
  end if;
  if v_order.failure_code = 'disputed' then
    perform reverse_order(v_refund.order_id);
    perform write_payables(v_refund.order_id, 'reversed', v_order.reference);
  end if;
  perform mark_refunded(v_refund.order_id);
end $$;

-- An order is refunded when nothing of its price is left, and paid otherwise.
create or replace function mark_refunded(p_order text) returns void language sql as $$
  update orders o set updated_at = app_now(),
    status = case when is_back then 'refunded' else 'minted' end,
    failure_code = case when o.reversed_amount > 0 then o.failure_code when is_back then 'refunded' end,
    failure_message = case when o.reversed_amount > 0 then o.failure_message
      when is_back then 'The payment was refunded, and the unused credits were taken back.' end,
    failure_next_step = null
  from (select price - reversed_amount - refunded_of(p_order, '') <= 0 as is_back from orders where order_id = p_order) q
  where o.order_id = p_order and o.status in ('minted', 'refunded')
$$;

-- Whether nothing is left of the orders that were paid before a settled call, without `p_but`.
create or replace function is_call_refunded(p_key text, p_but text) returns boolean language sql stable as $$
  select coalesce(bool_and(o.status = 'refunded' or o.order_id = p_but), false) from settlements s
  join orders o on o.account = s.account and o.plan_id = s.plan_id and o.status in ('minted', 'refunded')
    and coalesce(o.charged_at, o.created_at) <= s.created_at
  where s.request_key = p_key
$$;

-- Gives a settled call's credits back; what it gave. The caller has written the refund's row.
create or replace function return_credits(p_refund text) returns numeric language plpgsql as $$
declare
  v_refund refunds;
  v_amount numeric;
begin
  select * into strict v_refund from refunds where refund_id = p_refund;
  perform 1 from balances where account = v_refund.account and plan_id = v_refund.plan_id for no key update;
  select amount into strict v_amount from settlements where request_key = v_refund.request_key;
  if not balance_holds(v_refund.account, v_refund.plan_id, v_amount) then
    raise exception 'the balance cannot hold the credits' using errcode = 'TP001';
  end if;
  perform append_transfer(v_refund.account, v_refund.plan_id, 'return', v_amount, p_refund);
  perform repay_debt(v_refund.account, v_refund.plan_id, p_refund);
  return v_amount;
end $$;

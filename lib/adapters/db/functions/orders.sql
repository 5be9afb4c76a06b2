-- version 4, content ba4486cb4e8af5b3
-- Lets available credits repay the debt; what it repaid. The caller holds the balance's lock.
create or replace function repay_debt(p_account text, p_plan text, p_ref text) returns numeric language plpgsql as $$
declare v_amount numeric;
begin
  select least(available, debt) into v_amount from balances where account = p_account and plan_id = p_plan;
  if v_amount > 0 then perform append_transfer(p_account, p_plan, 'repay', v_amount, p_ref); end if;
  return v_amount;
end $$;

-- Grants an order's credits, once per order; debt is repaid from them first. A time plan's balance stays its grant: what
-- is left of the time before is added to the new time, and the old unit is taken back.
create or replace function mint_order(p_order text, p_account text, p_plan text, p_version int) returns numeric language plpgsql as $$
declare
  v_now timestamptz := app_now();
  v_plan record;
  v_balance balances;
  v_from timestamptz;
begin
  select v.granted, v.duration_secs, p.access_limit into strict v_plan
  from plan_versions v join plans p on p.plan_id = v.plan_id where v.plan_id = p_plan and v.version = p_version;

  insert into balances (account, plan_id, available, held, plan_version, expires_at, seq, hash)
  values (p_account, p_plan, 0, 0, p_version, null, 0, ''::bytea) on conflict do nothing;
  select * into v_balance from balances where account = p_account and plan_id = p_plan for no key update;
  if exists (select 1 from transfers where ref = p_order and kind = 'mint') then
    return v_balance.available + v_balance.held;
  end if;

  v_from := case when v_plan.access_limit = 'time' and v_balance.expires_at > v_now then v_balance.expires_at else v_now end;
  if v_balance.available > 0 and (v_plan.access_limit = 'time' or v_balance.expires_at <= v_now) then
    perform append_transfer(p_account, p_plan, 'expire', v_balance.available, p_order);
  end if;
  if not balance_holds(p_account, p_plan, v_plan.granted) then
    raise exception 'the balance cannot hold the credits' using errcode = 'TP001';
  end if;
  perform append_transfer(p_account, p_plan, 'mint', v_plan.granted, p_order);
  update balances set plan_version = p_version,
    expires_at = case when v_plan.duration_secs = 0 then null else v_from + v_plan.duration_secs * interval '1 second' end
  where account = p_account and plan_id = p_plan;
  perform repay_debt(p_account, p_plan, p_order);
  return (select available + held from balances where account = p_account and plan_id = p_plan);
end $$;

-- Takes an order's credits back: what is available at once, what was used or is on hold as a debt, and what expired not
-- at all. Of a time plan the time is taken back, and the access with it unless another order still pays for it.
-- The caller holds the order's lock and calls it once per reversal.
create or replace function reverse_order(p_order text) returns table (taken numeric, owed numeric) language plpgsql as $$
declare
  v_order orders;
  v_plan record;
  v_balance balances;
  v_unpaid numeric;
begin
  select * into strict v_order from orders where order_id = p_order;
  select v.granted, v.duration_secs, p.access_limit into strict v_plan
  from plan_versions v join plans p on p.plan_id = v.plan_id
  where v.plan_id = v_order.plan_id and v.version = v_order.plan_version;
  select * into strict v_balance from balances
  where account = v_order.account and plan_id = v_order.plan_id for no key update;
  owed := 0;
  if v_plan.access_limit = 'time' then
    update balances set expires_at = expires_at - v_plan.duration_secs * interval '1 second'
    where account = v_order.account and plan_id = v_order.plan_id;
    taken := case when exists (select 1 from orders o where o.account = v_order.account and o.plan_id = v_order.plan_id
      and o.order_id <> p_order and o.status = 'minted') then 0 else v_balance.available end;
  else
    taken := least(v_balance.available, v_plan.granted);
    -- Credits in use or used that no earlier reversal has made a debt of, or whose debt later credits repaid.
    select v_balance.held + coalesce(sum(case when t.kind in ('burn', 'post', 'forgive', 'repay') then t.amount
        when t.kind = 'owe' then -t.amount else 0 end), 0) into v_unpaid
    from transfers t where t.account = v_order.account and t.plan_id = v_order.plan_id;
    owed := greatest(0, least(v_plan.granted - taken, v_unpaid));
  end if;
  perform append_transfers(array[
    row(v_order.account, v_order.plan_id, 0, 'refund', taken, p_order)::transfer_entry,
    row(v_order.account, v_order.plan_id, 1, 'owe', owed, p_order)::transfer_entry], app_now());
  return next;
end $$;

-- Undoes a reversal, because the money came back: first the debt, then the credits.
create or replace function reinstate_order(p_order text) returns void language plpgsql as $$
declare
  v_order orders;
  v_plan record;
  v_balance balances;
  v_total numeric;
  v_owed numeric;
  v_forgiven numeric;
begin
  select * into strict v_order from orders where order_id = p_order;
  select v.duration_secs, p.access_limit into strict v_plan
  from plan_versions v join plans p on p.plan_id = v.plan_id
  where v.plan_id = v_order.plan_id and v.version = v_order.plan_version;
  select * into strict v_balance from balances
  where account = v_order.account and plan_id = v_order.plan_id for no key update;
  if v_plan.access_limit = 'time' then
    update balances set expires_at = expires_at + v_plan.duration_secs * interval '1 second'
    where account = v_order.account and plan_id = v_order.plan_id;
  end if;
  select coalesce(sum(case when kind in ('refund', 'owe') then amount else -amount end), 0),
    coalesce(sum(case kind when 'owe' then amount when 'forgive' then -amount else 0 end), 0)
  into v_total, v_owed
  from transfers where account = v_order.account and plan_id = v_order.plan_id and ref = p_order
    and kind in ('refund', 'owe', 'restore', 'forgive');
  v_forgiven := greatest(0, least(v_owed, v_balance.debt, v_total));
  perform append_transfers(array[
    row(v_order.account, v_order.plan_id, 0, 'forgive', v_forgiven, p_order)::transfer_entry,
    row(v_order.account, v_order.plan_id, 1, 'restore', v_total - v_forgiven, p_order)::transfer_entry], app_now());
  perform repay_debt(v_order.account, v_order.plan_id, p_order);
end $$;

-- Writes what a collected order means for the receivers its price names: earned, paid-out, reversed or restored.
-- Replicas of release 0.1.0 still call `book_payables`, which their databases keep.
create or replace function write_payables(p_order text, p_kind text, p_reference text) returns void language sql as $$
  insert into payables (order_id, owner, receiver, currency, kind, amount, reference, created_at)
  select o.order_id, p.owner, r.receiver, lower(o.currency), p_kind, a.amount::numeric, p_reference, app_now()
  from orders o
  join plans p on p.plan_id = o.plan_id
  join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
  cross join lateral jsonb_array_elements_text(v.price->'receivers') with ordinality r(receiver, n)
  join lateral jsonb_array_elements_text(v.price->'amounts') with ordinality a(amount, n) on a.n = r.n
  where o.order_id = p_order and a.amount::numeric > 0
    -- Release 0.1.0 writes payables without the mark.
    and (o.is_collected or exists (select 1 from payables y where y.order_id = p_order))
  order by r.n
$$;

-- version 13, content 0163e4c2de050d1c
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
  if v_plan.access_limit = 'time' and v_balance.expires_at < v_now then
    -- The new time begins now: what was taken beyond is forgotten, so it is not given back either.
    update time_debts set forgotten_secs = forgotten_secs + open_secs, open_secs = 0
    where account = p_account and plan_id = p_plan and open_secs > 0;
  end if;
  if v_balance.available > 0 and (v_plan.access_limit = 'time' or v_balance.expires_at <= v_now) then
    perform append_transfer(p_account, p_plan, 'expire', v_balance.available, p_order);
  end if;
  if not balance_holds(p_account, p_plan, v_plan.granted) or not time_holds(p_account, p_plan, v_plan.duration_secs) then
    raise exception 'the balance cannot hold the credits' using errcode = 'TP001';
  end if;
  perform append_transfer(p_account, p_plan, 'mint', v_plan.granted, p_order);
  perform issue_invoice(p_order);
  update balances set plan_version = p_version,
    expires_at = case when v_plan.duration_secs = 0 then null else v_from + v_plan.duration_secs * interval '1 second' end
  where account = p_account and plan_id = p_plan;
  perform repay_debt(p_account, p_plan, p_order);
  return (select available + held from balances where account = p_account and plan_id = p_plan);
end $$;

-- What is left of an order in its balance. The newest orders are used last: what the balance has belongs to them first, each
-- up to what it granted less what was taken back. Of a time plan in seconds, and its credit while some are left. Nothing
-- of an order that is not paid, and nothing that expired. `p_but` is a refund that is not counted.
create or replace function own_part(p_order text, p_but text)
returns table (own_available numeric, own_held numeric, own_secs double precision) language plpgsql stable as $$
declare
  v_own record;
  v_balance balances;
  v_rest record;
  v_left numeric;
begin
  own_available := 0;
  own_held := 0;
  own_secs := 0;
  select o.account, o.plan_id, p.access_limit, m.seq into v_own
  from orders o join plans p on p.plan_id = o.plan_id join transfers m on m.ref = o.order_id and m.kind = 'mint'
  where o.order_id = p_order and o.status = 'minted';
  if not found then
    return next;
    return;
  end if;
  select * into strict v_balance from balances where account = v_own.account and plan_id = v_own.plan_id;
  select coalesce(sum(s.credits) filter (where s.is_own), 0) as credits, coalesce(sum(s.credits) filter (where not s.is_own), 0) as newer,
    coalesce(sum(s.secs) filter (where s.is_own), 0) as secs, coalesce(sum(s.secs) filter (where not s.is_own), 0) as newer_secs
  into v_rest
  from (
    select o.order_id = p_order as is_own, greatest(0, v.granted - coalesce(t.credits, 0)) as credits,
      greatest(0, v.duration_secs::double precision - coalesce(q.secs, 0)) as secs
    from transfers m
    join orders o on o.order_id = m.ref and o.status = 'minted'
    join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
    left join (
      select coalesce(r.order_id, x.ref) as order_id, sum(case when x.kind in ('refund', 'owe') then x.amount else -x.amount end) as credits
      from transfers x left join refunds r on r.refund_id = x.ref
      where x.account = v_own.account and x.plan_id = v_own.plan_id and x.kind in ('refund', 'owe', 'restore', 'forgive') group by 1
    ) t on t.order_id = o.order_id
    left join lateral (
      -- Refunds of before took their part of the time, and did not note it.
      select coalesce(sum(coalesce(r.time_secs, (v.duration_secs * r.amount / greatest(o.price, 1))::double precision)), 0)
        + v.duration_secs * o.reversed_amount / greatest(o.price, 1) as secs from refunds r
      where r.order_id = o.order_id and r.state in ('open', 'paid') and r.request_key is null and r.refund_id <> p_but
    ) q on true
    where m.account = v_own.account and m.plan_id = v_own.plan_id and m.kind = 'mint' and m.seq >= v_own.seq
  ) s;
  if v_own.access_limit = 'time' then
    own_secs := case when v_balance.expires_at is null then 0 else least(v_rest.secs,
      greatest(0, extract(epoch from v_balance.expires_at - app_now())::double precision - v_rest.newer_secs)) end;
    if own_secs > 0 or v_balance.expires_at is null then
      own_available := least(v_balance.available, v_rest.credits);
      own_held := least(v_balance.held, v_rest.credits - own_available);
    end if;
  else
    v_left := case when v_balance.expires_at <= app_now() then 0 else v_balance.available end;
    own_available := least(v_rest.credits, greatest(0, v_left - v_rest.newer));
    own_held := least(v_rest.credits, greatest(0, v_left + v_balance.held - v_rest.newer)) - own_available;
  end if;
  return next;
end $$;

-- Has the renewal of a time plan looked at, because the time that it prolongs ends at another moment now.
create or replace function wake_renewal(p_account text, p_plan text) returns void language sql as $$
  update renewals set due_at = app_now() where account = p_account and plan_id = p_plan and state = 'on'
$$;

-- Notes what a reversal takes of a time plan beyond the time that is left: the balance ends in the past then, and an order
-- that begins at its own moment does not follow it there.
create or replace function owe_time(p_balance balances, p_ref text, p_secs double precision) returns void language sql as $$
  insert into time_debts (ref, account, plan_id, open_secs, forgotten_secs)
  select p_ref, p_balance.account, p_balance.plan_id, q.secs, 0
  from (select p_secs - greatest(0, extract(epoch from p_balance.expires_at - app_now())::double precision) as secs) q
  where q.secs > 0
  on conflict (ref) do update set open_secs = time_debts.open_secs + excluded.open_secs
$$;

-- How much of the time that was taken under a reference is given back: not what an order has forgotten since. What it is
-- more than its own debt makes up for those of other references. The caller holds the balance's lock.
create or replace function repay_time(p_balance balances, p_ref text, p_secs double precision) returns double precision language plpgsql as $$
declare
  v_open double precision;
  v_forgotten double precision;
  v_secs double precision;
begin
  delete from time_debts where ref = p_ref returning open_secs, forgotten_secs into v_open, v_forgotten;
  v_secs := greatest(0, p_secs - coalesce(v_forgotten, 0));
  update time_debts d set open_secs = greatest(0, least(d.open_secs, q.upto - (v_secs - coalesce(v_open, 0))))
  from (select ref, sum(open_secs) over (order by ref) as upto from time_debts
    where account = p_balance.account and plan_id = p_balance.plan_id) q
  where d.ref = q.ref and d.open_secs > 0;
  return v_secs;
end $$;

-- Takes back the credits that a part of an order's price paid for, as far as they are left of this order: those of other
-- orders stay. With `p_owes` all that is available, and what was used or is on hold as a debt; what expired not at all.
-- The last part takes all that is left. Of a time plan the time is taken back by the same rule, and with the last part
-- the access, unless another order still pays for it. `p_ref` is the order, when a chargeback takes the money, or the
-- refund. The caller holds the order's lock and calls it once per reference.
create or replace function take_back(p_order text, p_ref text, p_amount numeric, p_owes boolean) returns numeric language plpgsql as $$
declare
  v_order orders;
  v_plan record;
  v_balance balances;
  v_own record;
  v_rest numeric;
  v_secs double precision;
  v_wanted numeric;
  v_taken numeric;
  v_unpaid numeric;
  v_owed numeric := 0;
begin
  select * into strict v_order from orders where order_id = p_order;
  select v.granted, v.duration_secs, p.access_limit into strict v_plan
  from plan_versions v join plans p on p.plan_id = v.plan_id
  where v.plan_id = v_order.plan_id and v.version = v_order.plan_version;
  select * into strict v_balance from balances
  where account = v_order.account and plan_id = v_order.plan_id for no key update;
  select * into strict v_own from own_part(p_order, p_ref);
  v_rest := v_order.price - v_order.reversed_amount - refunded_of(p_order, p_ref);
  if v_plan.access_limit = 'time' then
    v_secs := v_plan.duration_secs * p_amount / greatest(v_order.price, 1);
    if not p_owes then
      v_secs := case when p_amount < v_rest then least(v_secs, v_own.own_secs) else v_own.own_secs end;
    end if;
    perform owe_time(v_balance, p_ref, v_secs);
    update balances set expires_at = expires_at - v_secs * interval '1 second'
    where account = v_order.account and plan_id = v_order.plan_id;
    update refunds set time_secs = v_secs where refund_id = p_ref;
    if v_secs > 0 then perform wake_renewal(v_order.account, v_order.plan_id); end if;
    v_taken := case when p_amount < v_rest or exists (select 1 from orders o where o.account = v_order.account
      and o.plan_id = v_order.plan_id and o.order_id <> p_order and o.status = 'minted') then 0 else v_balance.available end;
  else
    select v_plan.granted - coalesce(sum(case when t.kind in ('refund', 'owe') then t.amount else -t.amount end), 0) into v_wanted
    from transfers t where t.account = v_order.account and t.plan_id = v_order.plan_id
      and t.kind in ('refund', 'owe', 'restore', 'forgive')
      and (t.ref = p_order or t.ref in (select refund_id from refunds where order_id = p_order));
    if p_amount < v_rest then
      v_wanted := least(v_wanted, ceil(v_plan.granted * p_amount / v_order.price));
    end if;
    v_taken := least(case when p_owes then v_balance.available else v_own.own_available end, v_wanted);
    if p_owes then
      -- Credits in use or used that no earlier reversal has made a debt of, or whose debt later credits repaid.
      select v_balance.held + coalesce(sum(case when t.kind in ('burn', 'post', 'forgive', 'repay') then t.amount
          when t.kind in ('owe', 'return') then -t.amount else 0 end), 0) into v_unpaid
      from transfers t where t.account = v_order.account and t.plan_id = v_order.plan_id;
      v_owed := greatest(0, least(v_wanted - v_taken, v_unpaid));
    end if;
  end if;
  perform append_transfers(array[
    row(v_order.account, v_order.plan_id, 0, 'refund', v_taken, p_ref)::transfer_entry,
    row(v_order.account, v_order.plan_id, 1, 'owe', v_owed, p_ref)::transfer_entry], app_now());
  return v_taken + v_owed;
end $$;

-- Undoes what `take_back` took under a reference, because the money came back or did not leave: first the debt, then the
-- credits. The caller holds the order's lock.
create or replace function give_back(p_order text, p_ref text, p_amount numeric) returns void language plpgsql as $$
declare
  v_order orders;
  v_plan record;
  v_balance balances;
  v_secs double precision;
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
    v_secs := repay_time(v_balance, p_ref, coalesce((select time_secs from refunds where refund_id = p_ref),
      v_plan.duration_secs * p_amount / greatest(v_order.price, 1)));
    update balances set expires_at = expires_at + v_secs * interval '1 second'
    where account = v_order.account and plan_id = v_order.plan_id;
    if v_secs > 0 then perform wake_renewal(v_order.account, v_order.plan_id); end if;
  end if;
  select coalesce(sum(case when kind in ('refund', 'owe') then amount else -amount end), 0),
    coalesce(sum(case kind when 'owe' then amount when 'forgive' then -amount else 0 end), 0)
  into v_total, v_owed
  from transfers where account = v_order.account and plan_id = v_order.plan_id and ref = p_ref
    and kind in ('refund', 'owe', 'restore', 'forgive');
  v_forgiven := greatest(0, least(v_owed, v_balance.debt, v_total));
  perform append_transfers(array[
    row(v_order.account, v_order.plan_id, 0, 'forgive', v_forgiven, p_ref)::transfer_entry,
    row(v_order.account, v_order.plan_id, 1, 'restore', v_total - v_forgiven, p_ref)::transfer_entry], app_now());
  perform repay_debt(v_order.account, v_order.plan_id, p_ref);
end $$;

-- Writes what a collected order means for the receivers its price names, or what a part of its price means: each has
-- its share, and the shares add up to the part. Replicas of release 0.1.0 still call `book_payables`.
create or replace function write_payables(p_order text, p_kind text, p_reference text, p_amount numeric) returns void language sql as $$
  insert into payables (order_id, owner, receiver, currency, kind, amount, reference, created_at)
  select o.order_id, p.owner, s.receiver, lower(o.currency), p_kind, s.amount, p_reference, app_now()
  from orders o
  join plans p on p.plan_id = o.plan_id
  join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
  cross join lateral (
    select n, receiver, floor(p_amount * upto / o.price) - floor(p_amount * (upto - amount) / o.price) as amount
    from (select r.n, r.receiver, a.amount::numeric, sum(a.amount::numeric) over (order by r.n) as upto
      from jsonb_array_elements_text(v.price->'receivers') with ordinality r(receiver, n)
      join lateral jsonb_array_elements_text(v.price->'amounts') with ordinality a(amount, n) on a.n = r.n) shares
  ) s
  where o.order_id = p_order and o.price > 0 and s.amount > 0
    -- Release 0.1.0 writes payables without the mark.
    and (o.is_collected or exists (select 1 from payables y where y.order_id = p_order))
  order by s.n
$$;

-- The same for the whole price, or for what a chargeback took and gave back: called after `reverse_order` and
-- `reinstate_order`.
create or replace function write_payables(p_order text, p_kind text, p_reference text) returns void language sql as $$
  select write_payables(p_order, p_kind, p_reference, case p_kind
    when 'reversed' then o.reversed_amount - y.reversed
    when 'restored' then y.reversed - o.reversed_amount
    else o.price end)
  from orders o cross join lateral (
    select coalesce(sum(case q.kind when 'reversed' then q.amount else -q.amount end), 0) as reversed
    from payables q where q.order_id = o.order_id and q.kind in ('reversed', 'restored')
      and not exists (select 1 from refunds r where r.refund_id = q.reference)) y
  where o.order_id = p_order
$$;

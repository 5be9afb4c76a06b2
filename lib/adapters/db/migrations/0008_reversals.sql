-- Payments that went back. An order that is reversed takes back the credits it granted: those still available are
-- refunded; those already used become a debt of the balance, which is shown and which later credits repay first.
-- A balance is never negative: available, held and debt stand apart.

-- As in 0001, with debt as a further side of a balance.
create or replace function append_transfers(p_entries transfer_entry[], p_now timestamptz) returns void language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with entry as (
    select e.*, row_number() over (partition by e.account, e.plan_id order by e.ord) as n
    from unnest(p_entries) e where e.amount > 0
  ), numbered as (
    select entry.*, b.seq + entry.n as seq, b.hash as head
    from entry, lateral (
      select x.seq, x.hash from balances x where x.account = entry.account and x.plan_id = entry.plan_id offset 0
    ) b
  ), chained as (
    select numbered.*,
      hash_chain(case when n = 1 then head else ''::bytea end || transfer_link(seq, kind, amount, ref))
        over (partition by account, plan_id order by n) as hash
    from numbered
  ), written as (
    insert into transfers (account, plan_id, seq, kind, debit, credit, amount, ref, created_at, hash)
    select account, plan_id, seq, kind,
      case kind when 'mint' then 'issue' when 'post' then 'held' when 'void' then 'held' when 'owe' then 'debt'
        when 'restore' then 'refunded' when 'forgive' then 'refunded' else 'available' end,
      case kind when 'mint' then 'available' when 'hold' then 'held' when 'post' then 'burned' when 'void' then 'available'
        when 'burn' then 'burned' when 'expire' then 'expired' when 'restore' then 'available' when 'forgive' then 'debt'
        when 'repay' then 'debt' else 'refunded' end,
      amount, ref, p_now, hash
    from chained
  ), moved as (
    select account, plan_id, max(seq) as seq, (array_agg(hash order by n desc))[1] as hash,
      sum(case when kind in ('mint', 'void', 'restore') then amount
        when kind in ('hold', 'burn', 'expire', 'refund', 'repay') then -amount else 0 end) as available,
      sum(case kind when 'hold' then amount when 'post' then -amount when 'void' then -amount else 0 end) as held,
      sum(case kind when 'owe' then amount when 'repay' then -amount when 'forgive' then -amount else 0 end) as debt
    from chained group by account, plan_id
  )
  update balances b
  set available = b.available + m.available, held = b.held + m.held, debt = b.debt + m.debt, seq = m.seq, hash = m.hash
  from moved m where b.account = m.account and b.plan_id = m.plan_id;
end $$;
--> statement-breakpoint
-- Lets available credits repay the debt; what it repaid. The caller holds the balance's lock.
create function repay_debt(p_account text, p_plan text, p_ref text) returns numeric language plpgsql as $$
declare v_amount numeric;
begin
  select least(available, debt) into v_amount from balances where account = p_account and plan_id = p_plan;
  if v_amount > 0 then perform append_transfer(p_account, p_plan, 'repay', v_amount, p_ref); end if;
  return v_amount;
end $$;
--> statement-breakpoint
-- As in 0001; what is owed is repaid from the new credits.
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
  perform append_transfer(p_account, p_plan, 'mint', v_plan.granted, p_order);
  update balances set plan_version = p_version,
    expires_at = case when v_plan.duration_secs = 0 then null else v_from + v_plan.duration_secs * interval '1 second' end
  where account = p_account and plan_id = p_plan;
  perform repay_debt(p_account, p_plan, p_order);
  return (select available + held from balances where account = p_account and plan_id = p_plan);
end $$;
--> statement-breakpoint
-- Takes an order's credits back: what is available at once, what was used or is on hold as a debt, and what expired not
-- at all. Of a time plan the time is taken back, and the access with it unless another order still pays for it.
-- The caller holds the order's lock and calls it once per reversal.
create function reverse_order(p_order text) returns table (taken numeric, owed numeric) language plpgsql as $$
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
--> statement-breakpoint
-- Undoes a reversal, because the money came back: first the debt, then the credits.
create function reinstate_order(p_order text) returns void language plpgsql as $$
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
--> statement-breakpoint
-- As in 0001; also lets credits that came back from a hold repay what is owed.
create or replace function sweep_balances(p_limit int) returns int language plpgsql as $$
declare
  v_due record;
  v_count int := 0;
begin
  for v_due in select account, plan_id from balances where expires_at <= app_now() and available > 0
    order by account, plan_id limit p_limit
  loop
    v_count := v_count + expire_balance(v_due.account, v_due.plan_id);
  end loop;
  for v_due in select account, plan_id from balances where debt > 0 and available > 0
    order by account, plan_id limit p_limit
  loop
    perform 1 from balances where account = v_due.account and plan_id = v_due.plan_id for no key update;
    v_count := v_count + (repay_debt(v_due.account, v_due.plan_id, 'repaid') > 0)::int;
  end loop;
  return v_count;
end $$;
--> statement-breakpoint
create index balances_debts on balances (account, plan_id) where debt > 0;
--> statement-breakpoint
-- Writes what a card order means for those its price names: earned, paid-out, reversed or restored.
create function book_payables(p_order text, p_kind text, p_reference text) returns void language sql as $$
  insert into payables (order_id, owner, receiver, currency, kind, amount, reference, created_at)
  select o.order_id, p.owner, r.receiver, lower(o.currency), p_kind, a.amount::numeric, p_reference, app_now()
  from orders o
  join plans p on p.plan_id = o.plan_id
  join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
  cross join lateral jsonb_array_elements_text(v.price->'receivers') with ordinality r(receiver, n)
  join lateral jsonb_array_elements_text(v.price->'amounts') with ordinality a(amount, n) on a.n = r.n
  where o.order_id = p_order and o.scheme = 'svc:card-delegation' and a.amount::numeric > 0
  order by r.n
$$;
--> statement-breakpoint
create trigger payables_append_only before update or delete on payables for each row execute function refuse_change();
--> statement-breakpoint
-- Orders that were open before there was a queue, and sales from before payables.
update orders set due_at = app_now() where status in ('reserved', 'charging', 'requires_action');
--> statement-breakpoint
select book_payables(order_id, 'earned', reference) from orders
where status = 'minted' and scheme = 'svc:card-delegation' and price > 0;
--> statement-breakpoint
create or replace view inv_transfer_sides as
  select account, plan_id, seq from transfers where debit = credit or amount <= 0
    or (kind, debit, credit) not in (('mint', 'issue', 'available'), ('hold', 'available', 'held'), ('post', 'held', 'burned'),
      ('void', 'held', 'available'), ('burn', 'available', 'burned'), ('expire', 'available', 'expired'),
      ('refund', 'available', 'refunded'), ('owe', 'debt', 'refunded'), ('repay', 'available', 'debt'),
      ('restore', 'refunded', 'available'), ('forgive', 'refunded', 'debt'));
--> statement-breakpoint
create or replace view inv_balance_negative as
  select account, plan_id from balances where available < 0 or held < 0 or debt < 0;
--> statement-breakpoint
create or replace view inv_balance_entries as
  select b.account, b.plan_id, b.available, b.held, e.available as entries_available, e.held as entries_held,
    b.debt, e.debt as entries_debt
  from balances b
  left join (
    select account, plan_id,
      sum(case when credit = 'available' then amount when debit = 'available' then -amount else 0 end) as available,
      sum(case when credit = 'held' then amount when debit = 'held' then -amount else 0 end) as held,
      sum(case when debit = 'debt' then amount when credit = 'debt' then -amount else 0 end) as debt
    from transfers group by account, plan_id
  ) e using (account, plan_id)
  where b.available <> coalesce(e.available, 0) or b.held <> coalesce(e.held, 0) or b.debt <> coalesce(e.debt, 0);
--> statement-breakpoint
create or replace view inv_plan_totals as
  select t.plan_id from (
    select plan_id, sum(case when kind in ('mint', 'restore') then amount
      when kind in ('hold', 'void', 'owe', 'forgive') then 0 else -amount end) as outstanding
    from transfers group by plan_id
  ) t
  join (select plan_id, sum(available + held) as balance from balances group by plan_id) b using (plan_id)
  where t.outstanding <> b.balance;
--> statement-breakpoint
-- What reversals took back of an order, in credits and in debt: nothing of one that stands, all of one that was
-- reversed, unless its credits can run out of time.
create or replace view inv_refunds as
  select o.order_id from orders o
  join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
  join plans p on p.plan_id = o.plan_id
  left join (
    select ref, sum(case when kind in ('refund', 'owe') then amount else -amount end) as amount
    from transfers where kind in ('refund', 'owe', 'restore', 'forgive') group by ref
  ) r on r.ref = o.order_id
  where coalesce(r.amount, 0) < 0 or coalesce(r.amount, 0) > v.granted
    or (o.status <> 'refunded' and coalesce(r.amount, 0) <> 0)
    or (o.status = 'refunded' and p.access_limit = 'credits' and coalesce(r.amount, 0) <> v.granted
      and not exists (select 1 from transfers t where t.account = o.account and t.plan_id = o.plan_id and t.kind = 'expire'));
--> statement-breakpoint
-- Receivers have earned what stands of each card order, and nothing of one that was reversed.
create view inv_payables as
  select o.order_id from orders o
  left join (
    select order_id, sum(case when kind in ('earned', 'restored') then amount when kind = 'reversed' then -amount else 0 end) as earned,
      sum(case when kind = 'paid-out' then amount else 0 end) as paid_out
    from payables group by order_id
  ) y using (order_id)
  where o.scheme = 'svc:card-delegation'
    and (coalesce(y.earned, 0) <> case when o.status = 'minted' then o.price else 0 end or coalesce(y.paid_out, 0) > o.price);
--> statement-breakpoint
-- A declined order whose payment went through after all is given back within the deadline.
create view inv_refunds_late as
  select order_id from orders where refund_state = 'owed' and updated_at < app_now() - interval '1 day';

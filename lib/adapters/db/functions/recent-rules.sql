-- version 8, content ecdb9a8de62de14c
-- The rules of `invariants.sql` for what changed since a time: what a minute brought is checked, however much there is.
-- Whole checks stay `broken_invariants()`.

drop function if exists check_recent_balances(timestamptz), check_recent_settlements(timestamptz), check_recent_orders(timestamptz);

-- Balances that moved: each equals what it was when it was last checked plus the transfers since, reserves what its open
-- holds say, and its chain has no gap up to its head. Sound ones are written down, so that a transfer is read once. One statement, so one moment.
create or replace function check_recent_balances(p_since timestamptz, p_until timestamptz default 'infinity') returns table (rule text, subject text) language sql as $$
  with moved as (
    select distinct account, plan_id from transfers where created_at >= p_since and created_at < p_until
  ), open as materialized (
    select account, plan_id, sum(amount) as amount from holds where state = 'held' group by account, plan_id
  ), known as (
    select m.account, m.plan_id, coalesce(k.seq, 0) as seq, coalesce(k.available, 0) as available, coalesce(k.held, 0) as held,
      coalesce(k.debt, 0) as debt
    from moved m left join checked_balances k on k.account = m.account and k.plan_id = m.plan_id
  ), link as (
    select k.account, k.plan_id, k.seq as checked, t.seq, t.kind, t.debit, t.credit, t.amount, t.hash,
      t.seq <> lag(t.seq, 1, k.seq) over chain + 1
        or t.hash <> chain_step(lag(t.hash, 1, ''::bytea) over chain, transfer_link(t.seq, t.kind, t.amount, t.ref)) as is_broken
    from known k cross join lateral (
      select * from transfers x where x.account = k.account and x.plan_id = k.plan_id and x.seq >= k.seq order by x.seq
    ) t
    window chain as (partition by k.account, k.plan_id order by t.seq)
  ), sums as (
    select account, plan_id, bool_or(is_broken) as is_broken,
      sum(case when credit = 'available' then amount when debit = 'available' then -amount else 0 end) as available,
      sum(case when credit = 'held' then amount when debit = 'held' then -amount else 0 end) as held,
      sum(case when debit = 'debt' then amount when credit = 'debt' then -amount else 0 end) as debt,
      (array_agg(hash order by seq desc))[1] as head
    from link where seq > checked group by account, plan_id
  ), judged as (
    select k.account, k.plan_id, b.seq, b.available, b.held, b.debt, b.account is null as has_none, coalesce(s.is_broken, false) as is_broken,
      k.available + coalesce(s.available, 0) <> b.available or k.held + coalesce(s.held, 0) <> b.held
        or k.debt + coalesce(s.debt, 0) <> b.debt as is_wrong,
      b.held <> coalesce(o.amount, 0) as has_other_holds,
      s.head is not null and s.head <> b.hash as has_other_head
    from known k
    left join sums s on s.account = k.account and s.plan_id = k.plan_id
    left join balances b on b.account = k.account and b.plan_id = k.plan_id
    left join open o on o.account = k.account and o.plan_id = k.plan_id
  ), written as (
    insert into checked_balances (account, plan_id, seq, available, held, debt)
    select account, plan_id, seq, available, held, debt from judged
    where not (has_none or is_wrong or is_broken or has_other_head or has_other_holds) order by account, plan_id
    on conflict (account, plan_id) do update
    set seq = excluded.seq, available = excluded.available, held = excluded.held, debt = excluded.debt
    where checked_balances.seq < excluded.seq
  )
  select r.rule, account || '/' || plan_id
  from judged cross join lateral (values ('inv_entries_without_balance', has_none), ('inv_balance_entries', not has_none and is_wrong),
    ('inv_balance_holds', not has_none and has_other_holds),
    ('inv_chain', is_broken), ('inv_chain_head', has_other_head)) r(rule, is_so)
  where r.is_so
$$;

-- Requests that were settled: what they burned, and who for. A settlement and its transfer are of one transaction, and mostly of
-- one moment: only where the moments differ, or a rule is broken, is more read than the rows of that time. Planned at each
-- call, because how many rows that are differs.
create or replace function check_recent_settlements(p_since timestamptz, p_until timestamptz default 'infinity') returns table (rule text, subject text) language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  v_unlike text[] := array(
    select id from (
      select settlement_id as id, amount as settled, null::numeric as burned from settlements
      where created_at >= p_since and created_at < p_until
      union all
      select ref, null, amount from transfers
      where kind in ('burn', 'post') and created_at >= p_since and created_at < p_until
    ) moved group by id having sum(settled) is distinct from coalesce(sum(burned), 0) or count(burned) > 1);
begin
  if v_unlike <> '{}' then
    return query with burned as materialized (
      select ref, sum(amount) as amount, count(*) as n from transfers where ref = any (v_unlike) and kind in ('burn', 'post')
        and created_at >= p_since - interval '1 minute' and created_at < p_until + interval '1 minute' group by ref
    )
    select 'inv_settlement_burns', s.settlement_id from settlements s left join burned t on t.ref = s.settlement_id
    where s.settlement_id = any (v_unlike) and s.created_at >= p_since and s.created_at < p_until
      and (coalesce(t.amount, 0) <> s.amount or coalesce(t.n, 0) > 1)
    union all
    select 'inv_burn_without_settlement', t.ref from burned t
    where not exists (select 1 from settlements s where s.settlement_id = t.ref);
  end if;
  return query
  select 'inv_transfer_sides', account || '/' || plan_id || '/' || seq from inv_transfer_sides where created_at >= p_since and created_at < p_until
  union all
  select 'inv_burn_after_end', settlement_id from inv_burn_after_end where created_at >= p_since and created_at < p_until
  union all
  select 'inv_settlement_builder', settlement_id from inv_settlement_builder where created_at >= p_since and created_at < p_until
  union all
  select 'inv_settlement_agent', settlement_id from inv_settlement_agent where created_at >= p_since and created_at < p_until;
end $$;

-- Orders and refunds that moved, and mints. `inv_orders_unmintable` is left out, because what breaks a rule here stops all
-- sales: a builder and a subscriber can fill a balance while an order waits, and such an order is refunded when it is paid.
create or replace function check_recent_orders(p_since timestamptz, p_until timestamptz default 'infinity') returns table (rule text, subject text) language plpgsql as $$
declare v_id text;
begin
  return query select 'inv_mint_without_order', t.ref from transfers t
    where t.kind = 'mint' and t.created_at >= p_since and t.created_at < p_until and not exists (select 1 from orders o where o.order_id = t.ref);
  for v_id in
    select order_id from orders where updated_at >= p_since and updated_at < p_until
    union select order_id from refunds where updated_at >= p_since and updated_at < p_until and order_id is not null
  loop
    return query select 'inv_orders_minted', v_id from inv_orders_minted where order_id = v_id
      union all select 'inv_refunds', v_id from inv_refunds where order_id = v_id
      union all select 'inv_payables', v_id from inv_payables where order_id = v_id;
  end loop;
  for v_id in select refund_id from refunds where updated_at >= p_since and updated_at < p_until and state <> 'requested' loop
    return query select 'inv_refund_credits', v_id from inv_refund_credits where refund_id = v_id
      union all select 'inv_refund_rules', v_id from inv_refund_rules where refund_id = v_id;
  end loop;
end $$;

-- Work that is late, whenever it began: only what is open is read.
create or replace function list_late_work() returns table (rule text, subject text) language sql as $$
  select 'inv_outbox_late', kind from outbox where state = 'open' and created_at < app_now() - interval '1 hour' group by kind
  union all
  -- The oldest: those after it wait for it, and so do webhooks, alerts and figures.
  select 'inv_events_late', type from (select type, created_at from event_queue order by id limit 1) oldest
  where created_at < app_now() - interval '1 hour'
  union all
  select 'inv_refunds_late', order_id from orders
  where refund_state = 'owed' and due_at is not null and updated_at < app_now() - interval '1 day'
  union all
  select 'inv_refunds_open', refund_id from refunds
  where state = 'open' and due_at is not null and updated_at < app_now() - interval '1 day' and reference is null
  union all
  -- A bank may take a few days longer than it said.
  select 'inv_payouts_late', payout_id from payouts where due_at is not null and case state
    when 'sent' then arrives_at < app_now() - interval '7 days'
    else state in ('open', 'returning') and updated_at < app_now() - interval '1 day' end
  union all
  -- Of these the processor does not say when they clear, so no payout covers them.
  select 'inv_clearings_late', order_id from clearings where due_at is not null and absent_since < app_now() - interval '7 days'
$$;

-- version 16, content babefcc009248959
-- What must always hold. Every view lists the rows that break its rule, so each must be empty. A migration that changes a column drops
-- those that read it, and this file is applied again.

create or replace view inv_transfer_sides as
  select account, plan_id, seq, created_at from transfers where debit = credit or amount <= 0
    or (kind, debit, credit) not in (('mint', 'issue', 'available'), ('hold', 'available', 'held'), ('post', 'held', 'burned'),
      ('void', 'held', 'available'), ('burn', 'available', 'burned'), ('expire', 'available', 'expired'),
      ('refund', 'available', 'refunded'), ('owe', 'debt', 'refunded'), ('repay', 'available', 'debt'),
      ('restore', 'refunded', 'available'), ('forgive', 'refunded', 'debt'), ('return', 'burned', 'available'));

create or replace view inv_balance_negative as
  select account, plan_id from balances where available < 0 or held < 0 or debt < 0;

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

create or replace view inv_balance_holds as
  select b.account, b.plan_id from balances b
  left join (select account, plan_id, sum(amount) as amount from holds where state = 'held' group by account, plan_id) h
    using (account, plan_id)
  where b.held <> coalesce(h.amount, 0);

create or replace view inv_entries_without_balance as
  select distinct account, plan_id from transfers t
  where not exists (select 1 from balances b where b.account = t.account and b.plan_id = t.plan_id);

create or replace view inv_plan_totals as
  select t.plan_id from (
    select plan_id, sum(case when kind in ('mint', 'restore', 'return') then amount
      when kind in ('hold', 'void', 'owe', 'forgive') then 0 else -amount end) as outstanding
    from transfers group by plan_id
  ) t
  join (select plan_id, sum(available + held) as balance from balances group by plan_id) b using (plan_id)
  where t.outstanding <> b.balance;

create or replace view inv_orders_minted as
  select o.order_id from orders o
  left join transfers t on t.kind = 'mint' and t.ref = o.order_id
  where (o.status in ('minted', 'refunded')) <> (t.ref is not null)
    or (o.status = 'minted' and o.charged_at is null and o.price > 0);

create or replace view inv_mint_without_order as
  select t.ref from transfers t where t.kind = 'mint' and not exists (select 1 from orders o where o.order_id = t.ref);

create or replace view inv_charged_without_credits as
  select order_id from orders
  where charged_at < app_now() - interval '15 minutes' and status not in ('minted', 'refunded');

create or replace view inv_delegation_limits as
  select d.delegation_id from delegations d
  left join (
    select delegation_id,
      coalesce(sum(reserved_cents) filter (where status in ('minted', 'refunded')), 0) as spent,
      coalesce(sum(reserved_cents) filter (where status in ('reserved', 'charging', 'requires_action')), 0) as reserved,
      count(*) filter (where status <> 'declined') as transactions
    from (
      select delegation_id, reserved_cents, status from orders
      union all
      select delegation_id, delegation_cents, case state when 'paid' then 'minted' when 'open' then 'reserved' else 'declined' end
      from account_payments where delegation_id is not null
    ) spending group by delegation_id
  ) o using (delegation_id)
  where d.spent_cents <> coalesce(o.spent, 0) or d.reserved_cents <> coalesce(o.reserved, 0)
    or d.transaction_count <> coalesce(o.transactions, 0)
    or d.spent_cents + d.reserved_cents > d.spending_limit_cents
    or d.transaction_count > coalesce(d.max_transactions, d.transaction_count);

create or replace view inv_token_limits as
  select t.jti from tokens t
  left join (select jti, count(*) as n from settlements group by jti) s using (jti)
  left join (select jti, sum(coalesce(requests, 1)) as n from holds where state = 'held' group by jti) h using (jti)
  where t.redeemed <> coalesce(s.n, 0) or t.reserved <> coalesce(h.n, 0)
    or t.redeemed + t.reserved > t.redemption_limit or t.order_spent + t.order_reserved > t.order_limit;

create or replace view inv_holds_resolved_once as
  select h.builder, h.agent_request_id from holds h
  left join settlements s on s.request_key = h.request_key and s.from_hold and s.lease_id is null
  where h.requests is null and ((h.state = 'posted') <> (s.settlement_id is not null) or s.amount > h.amount)
    or (h.state = 'held') <> (h.resolved_at is null);

-- A lease's credits were settled, or are reserved still, or went back.
create or replace view inv_leases as
  select h.builder, h.agent_request_id from holds h
  left join (select ref, sum(amount) as amount from transfers where kind = 'hold' group by ref) t on t.ref = h.request_key
  left join (select builder || '/' || lease_id as key, sum(amount) as amount from settlements where lease_id is not null group by 1) s
    on s.key = h.request_key
  where h.requests is not null and (h.amount < 0 or h.requests < 0 or (h.state = 'posted') <> (h.requests = 0)
    or coalesce(t.amount, 0) <> h.amount + coalesce(s.amount, 0));

create or replace view inv_settlement_burns as
  select s.settlement_id from settlements s
  left join (select ref, sum(amount) as amount, count(*) as n from transfers where kind in ('burn', 'post') group by ref) t
    on t.ref = s.settlement_id
  where coalesce(t.amount, 0) <> s.amount or coalesce(t.n, 0) > 1;

create or replace view inv_burn_without_settlement as
  select t.ref from transfers t where t.kind in ('burn', 'post')
    and not exists (select 1 from settlements s where s.settlement_id = t.ref);

create or replace view inv_burn_after_end as
  select s.settlement_id, s.created_at from settlements s
  join tokens t using (jti)
  left join holds h on s.from_hold and h.request_key = s.builder || '/' || coalesce(s.lease_id, s.agent_request_id)
  where coalesce(h.created_at, s.created_at) >= t.expires_at
    or coalesce(h.created_at, s.created_at) > t.revoked_at;

create or replace view inv_trial_once as
  select plan_id, account from orders where is_trial and status <> 'declined' group by plan_id, account having count(*) > 1;

create or replace view inv_settlement_builder as
  select s.settlement_id, s.created_at from settlements s join plans p using (plan_id)
  where s.builder <> p.owner
    -- Who redeemed by the plan's leave may have lost it since.
    and not exists (select 1 from plan_versions v where v.plan_id = s.plan_id and v.redemption_type = 2)
    and not exists (select 1 from accounts a where a.address = s.builder and a.is_operator);

create or replace view inv_settlement_agent as
  select s.settlement_id, s.created_at from settlements s join agents a on a.agent_id = s.agent_id join plans p on p.plan_id = s.plan_id
  where a.owner <> p.owner;

create or replace view inv_chain as
  select account, plan_id, seq from (
    select account, plan_id, seq, hash, row_number() over chain as n,
      hash_chain(transfer_link(seq, kind, amount, ref)) over chain as expected
    from transfers window chain as (partition by account, plan_id order by seq)
  ) t where seq <> n or hash <> expected;

create or replace view inv_chain_head as
  select b.account, b.plan_id from balances b
  left join transfers t on t.account = b.account and t.plan_id = b.plan_id and t.seq = b.seq
  where (b.seq = 0 and exists (select 1 from transfers x where x.account = b.account and x.plan_id = b.plan_id))
    or (b.seq > 0 and (t.seq is null or t.hash <> b.hash));

create or replace view inv_outbox_late as
  select id from outbox where state = 'open' and created_at < app_now() - interval '1 hour';

-- What refunds and chargebacks took back of an order, in credits and in debt: at most what it granted; all of what a
-- chargeback took, unless credits can run out of time or were left to the subscriber by a refund.
create or replace view inv_refunds as
  select o.order_id from orders o
  join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
  join plans p on p.plan_id = o.plan_id
  left join lateral (
    select sum(case when t.kind in ('refund', 'owe') then t.amount else -t.amount end) as amount
    from (select o.order_id as ref union select refund_id from refunds where order_id = o.order_id) c
    join transfers t on t.ref = c.ref and t.kind in ('refund', 'owe', 'restore', 'forgive')
  ) r on true
  left join (select order_id, sum(amount) as amount from refunds where state in ('open', 'paid') group by 1) f on f.order_id = o.order_id
  where coalesce(r.amount, 0) < 0 or coalesce(r.amount, 0) > v.granted
    or o.reversed_amount + coalesce(f.amount, 0) > o.price
    or (o.status = 'minted' and o.price > 0 and o.reversed_amount + coalesce(f.amount, 0) = o.price)
    or (o.status = 'minted' and o.reversed_amount = 0 and f.amount is null and coalesce(r.amount, 0) <> 0)
    or (o.status not in ('minted', 'refunded') and (coalesce(r.amount, 0) <> 0 or f.amount is not null))
    or (o.status = 'refunded' and o.reversed_amount + coalesce(f.amount, 0) <> o.price)
    or (o.status = 'refunded' and p.access_limit = 'credits' and f.amount is null and coalesce(r.amount, 0) <> v.granted
      and not exists (select 1 from transfers t where t.account = o.account and t.plan_id = o.plan_id and t.kind = 'expire'));

-- A chargeback took at most what was disputed, and of credits those that this part of the price bought, rounded up for
-- each part: fewer only where credits can run out of time or were left to the subscriber by a refund.
create or replace view inv_chargebacks as
  select o.order_id from orders o
  join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
  join plans p on p.plan_id = o.plan_id
  left join (select order_id, sum(amount) as amount from disputes group by 1) d on d.order_id = o.order_id
  left join lateral (
    select coalesce(sum(case when t.kind in ('refund', 'owe') then t.amount else -t.amount end), 0) as amount,
      count(*) filter (where t.kind in ('refund', 'owe')) as parts
    from transfers t where t.account = o.account and t.plan_id = o.plan_id and t.ref = o.order_id
      and t.kind in ('refund', 'owe', 'restore', 'forgive')
  ) r on true
  cross join lateral (select ceil(v.granted * o.reversed_amount / o.price) as credits) c
  where o.reversed_amount > 0 and (o.reversed_amount > d.amount
    or (o.status = 'minted' and o.failure_code is distinct from 'disputed')
    or (o.status = 'minted' and p.access_limit = 'credits' and (r.amount > c.credits + r.parts
      or (r.amount < c.credits and not exists (select 1 from refunds f where f.order_id = o.order_id)
        and not exists (select 1 from transfers t where t.account = o.account and t.plan_id = o.plan_id and t.kind = 'expire')))));

-- Each refund took the credits its row names while it stands, and none once it was refused; of a call, it gave them.
create or replace view inv_refund_credits as
  select r.refund_id from refunds r
  left join (
    select ref, sum(case when kind in ('refund', 'owe') then amount when kind = 'return' then amount else -amount end) as amount
    from transfers where kind in ('refund', 'owe', 'restore', 'forgive', 'return') group by ref
  ) t on t.ref = r.refund_id
  where coalesce(t.amount, 0) <> case when r.state in ('open', 'paid') then r.credits else 0 end;

-- A rule pays for unused credits: it takes as many as its part of the price bought, and never fewer. For a failed call it pays
-- at most what the call cost, and takes none: the call has used them.
create or replace view inv_refund_rules as
  select r.refund_id from refunds r
  join orders o using (order_id)
  join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
  join plans p on p.plan_id = o.plan_id
  left join settlements s on s.request_key = r.request_key
  where r.made_by = 'rule' and r.state in ('open', 'paid') and p.access_limit = 'credits'
    and case when r.request_key is null then r.credits < floor(v.granted * r.amount / o.price)
      else r.amount * v.granted > o.price * s.amount end;

-- A payment for a refund pays exactly that refund, and ended as the refund did.
create or replace view inv_refund_payments as
  select a.payment_id from account_payments a left join refunds r on r.refund_id = a.payment_id
  where a.kind = 'refund' and (r.refund_id is null or a.amount <> r.amount or a.account <> r.owner or a.recipient <> r.account
    or r.state not in ('open', a.state));

-- A call is refunded once, and at most what it took.
create or replace view inv_refund_calls as
  select r.request_key from refunds r join settlements s on s.request_key = r.request_key
  where r.state in ('open', 'paid') group by r.request_key, s.amount
  having count(*) > 1 or sum(r.credits) > s.amount;

-- Receivers have earned the price of each paid order whose money the service collected, less what went back of it.
create or replace view inv_payables as
  select o.order_id from orders o
  left join (
    select order_id, sum(case when kind in ('earned', 'restored') then amount when kind in ('reversed', 'refunded') then -amount else 0 end) as earned,
      sum(case kind when 'paid-out' then amount when 'returned' then -amount else 0 end) as paid_out
    from payables group by order_id
  ) y using (order_id)
  left join (select order_id, sum(amount) as amount from refunds where state in ('open', 'paid') group by 1) f using (order_id)
  where o.is_collected
    and (coalesce(y.earned, 0) <> case when o.status in ('minted', 'refunded')
        then o.price - o.reversed_amount - coalesce(f.amount, 0) else 0 end
      or coalesce(y.paid_out, 0) > o.price);

-- An order that can still be paid can also be minted; one that was paid and cannot is declined and refunded.
create or replace view inv_orders_unmintable as
  select o.order_id from orders o
  join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
  where o.status in ('reserved', 'charging', 'requires_action')
    and not balance_holds(o.account, o.plan_id, v.granted);

-- A declined order whose payment went through after all is given back within the deadline.
create or replace view inv_refunds_late as
  select order_id from orders where refund_state = 'owed' and updated_at < app_now() - interval '1 day';

-- A refund that is under way ends within a day.
create or replace view inv_refunds_open as
  select refund_id from refunds where state = 'open' and updated_at < app_now() - interval '1 day' and reference is null;

-- Budgets count what the orders and calls of their periods say.
create or replace view inv_budget_money as
  select m.* from budgets b cross join lateral uncounted_money(b.account, (select budget_since()), 'infinity') m
  where b.scope = b.account and b.counted_at is not null;
create or replace view inv_budget_uses as
  select u.* from budgets b cross join (select budget_since() as since offset 0) p
  cross join lateral uncounted_credits(b.account, p.since, p.since::timestamp at time zone 'UTC', '{}') u
  where b.scope = b.account and b.counted_at is not null;

-- One row per rule with how many rows break it.
create or replace function broken_invariants() returns table (rule text, broken bigint) language plpgsql as $$
declare v_view record;
begin
  for v_view in select table_name from information_schema.views
    where table_schema = current_schema() and table_name like 'inv\_%' order by table_name
  loop
    rule := v_view.table_name;
    execute format('select count(*) from %I', v_view.table_name) into broken;
    return next;
  end loop;
end $$;

-- version 10, content 1aec67b6de086ea4
-- What accounts with budgets use (docs/adr/0102-budgets-in-the-ledger.md): sums by UTC day in credits and in each currency, of the
-- account and of each of its delegations, for everything, each builder and each agent. Locks are taken after those of `budgets`.

create or replace function budget_currency(p_currency text) returns text language sql immutable as $$
  select case lower(p_currency) when 'usdc' then 'usd' when 'eurc' then 'eur' else lower(p_currency) end
$$;

-- The first day that limits look back to: of this week, or of this month.
create or replace function budget_since() returns date language sql stable as $$
  select least(date_trunc('week', app_now() at time zone 'UTC'), date_trunc('month', app_now() at time zone 'UTC'))::date
$$;

-- The name of what a limit is for: empty for everything. No address is written so, and no agent's id has a slash.
create or replace function payee_of(p_builder text, p_agent text) returns text language sql immutable as $$
  select coalesce(lower(p_builder), 'agent/' || p_agent, '')
$$;

-- The sums that one use is part of.
create or replace function sums_of(p_account text, p_day date, p_delegation text, p_builder text, p_agent text, p_unit text, p_amount numeric)
returns setof budget_sums language sql immutable as $$
  select s.scope, p.payee, p_unit, p_day, p_account, p_amount
  from unnest(array[p_account, nullif(p_delegation, '')]) as s(scope)
  cross join unnest(array['', payee_of(p_builder, null), 'agent/' || nullif(p_agent, '')]) as p(payee)
  where s.scope is not null and p.payee is not null
$$;

-- The counts of the release before, which had one for each day, delegation, builder and agent, until they are moved to the sums.
create or replace view old_counts as
  select account, day, delegation_id, builder, agent_id, currency as unit, cents as amount from budget_money
  union all
  select account, day, delegation_id, builder, agent_id, 'credits', credits from budget_uses;
create or replace view budget_counts as
  select scope, payee, unit, day, account, amount from budget_sums
  union all
  select s.scope, s.payee, s.unit, c.day, c.account, s.amount
  from old_counts c cross join lateral sums_of(c.account, c.day, c.delegation_id, c.builder, c.agent_id, c.unit, c.amount) s;

-- Adds to the sums. The caller holds the locks of the accounts' budgets.
create or replace function add_sums(p_sums budget_sums[]) returns void language plpgsql as $$
begin
  insert into budget_sums
  select scope, payee, unit, day, account, sum(amount) from unnest(p_sums) group by scope, payee, unit, day, account order by 1, 2, 3, 4
  on conflict (scope, payee, unit, day) do update set amount = budget_sums.amount + excluded.amount;
end $$;

-- Moves counts of the release before for one account: how many sums they are part of, or one when there are none any more.
create or replace function move_counts(p_limit int) returns int language plpgsql as $$
declare
  v_account text := (select scope from budgets where scope = account and summed_at is null order by random() limit 1);
  v_sums budget_sums[];
begin
  if v_account is null then return 0; end if;
  perform 1 from budgets where scope = v_account for no key update;
  with money as (
    delete from budget_money where ctid = any (array(select ctid from budget_money where account = v_account limit p_limit)) returning *
  ), uses as (
    delete from budget_uses where ctid = any (array(select ctid from budget_uses where account = v_account limit p_limit)) returning *
  )
  select array_agg(s) into v_sums from (
    select account, day, delegation_id, builder, agent_id, currency as unit, cents as amount from money
    union all
    select account, day, delegation_id, builder, agent_id, 'credits', credits from uses
  ) c cross join lateral sums_of(c.account, c.day, c.delegation_id, c.builder, c.agent_id, c.unit, c.amount) s;
  perform add_sums(v_sums);
  if v_sums is null then update budgets set summed_at = app_now() where scope = v_account; end if;
  return coalesce(cardinality(v_sums), 1);
end $$;

-- What an account's orders cost on these days, with what it paid sellers elsewhere under a delegation: there their address stands
-- for the builder.
create or replace function money_of(p_account text, p_from date, p_until date) returns setof budget_sums language sql stable as $$
  select s.scope, s.payee, s.unit, s.day, p_account, sum(s.amount)
  from (
    select o.created_at, o.delegation_id, p.owner as builder, o.agent_id, budget_currency(o.currency) as currency,
      coalesce(o.cents, o.reserved_cents) as cents
    from orders o join plans p on p.plan_id = o.plan_id
    where o.account = p_account and o.status <> 'declined'
    union all
    select a.created_at, a.delegation_id, a.recipient, null, 'usd', coalesce(a.delegation_cents, 0)
    from account_payments a
    where a.account = p_account and a.delegation_id is not null and a.state <> 'refused'
  ) x cross join lateral sums_of(p_account, (x.created_at at time zone 'UTC')::date, x.delegation_id, x.builder, x.agent_id, x.currency, x.cents) s
  where x.created_at >= p_from::timestamp at time zone 'UTC' and x.created_at < p_until::timestamp at time zone 'UTC'
  group by 1, 2, 3, 4
$$;

-- The credits that an account's calls took, as settled within a time, by the day and the agent of their reservation.
create or replace function settled_uses(p_account text, p_from timestamptz, p_until timestamptz) returns setof budget_uses language sql stable as $$
  select p_account, (coalesce(h.created_at, s.created_at) at time zone 'UTC')::date, s.delegation_id, p.owner,
    coalesce(case when h.request_key is null then s.agent_id else h.agent_id end, ''), sum(s.amount)
  from settlements s join plans p on p.plan_id = s.plan_id
  left join holds h on s.from_hold and h.request_key = s.builder || '/' || coalesce(s.lease_id, s.agent_request_id)
  where s.account = p_account and s.created_at >= p_from and s.created_at < p_until
  group by 2, 3, 4, 5
$$;

-- What the ledger has and the sums do not: each as at one moment, so that it can be added whatever is counted meanwhile.
drop function if exists uncounted_money(text, date), uncounted_uses(text, date, timestamptz, budget_uses[]), money_of(text, date) cascade;
create or replace function uncounted_money(p_account text, p_from date, p_until date) returns setof budget_sums language sql stable as $$
  select scope, payee, unit, day, p_account, sum(amount)
  from (
    select scope, payee, unit, day, amount from money_of(p_account, p_from, p_until)
    union all
    select scope, payee, unit, day, -amount from budget_counts
    where account = p_account and unit <> 'credits' and day >= p_from and day < p_until
  ) x group by 1, 2, 3, 4 having sum(amount) <> 0
$$;
-- `p_known` is what was settled before `p_from`.
create or replace function uncounted_credits(p_account text, p_since date, p_from timestamptz, p_known budget_uses[])
returns setof budget_sums language sql stable as $$
  select scope, payee, unit, day, p_account, sum(amount)
  from (
    select s.scope, s.payee, s.unit, s.day, s.amount
    from (
      select * from unnest(p_known)
      union all
      select * from settled_uses(p_account, p_from, 'infinity')
      union all
      select p_account, (h.created_at at time zone 'UTC')::date, t.delegation_id, p.owner, h.agent_id, h.amount
      from holds h join tokens t on t.jti = h.jti join plans p on p.plan_id = h.plan_id
      where h.account = p_account and h.state = 'held'
    ) u cross join lateral sums_of(p_account, u.day, u.delegation_id, u.builder, u.agent_id, 'credits', u.credits) s
    union all
    select scope, payee, unit, day, -amount from budget_counts where account = p_account and unit = 'credits' and day >= p_since
  ) x where day >= p_since group by 1, 2, 3, 4 having sum(amount) <> 0
$$;

-- Whether an account has budgets, so that what it uses is counted. Until the transaction ends, the account's first count waits.
create or replace function is_counting(p_account text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('budget-counts/' || p_account, 0));
  return exists (select 1 from budgets where scope = p_account);
end $$;

create or replace function add_money(p_account text, p_at timestamptz, p_delegation text, p_builder text, p_agent text, p_currency text, p_cents numeric)
returns void language plpgsql as $$
begin
  if not is_counting(p_account) then return; end if;
  -- As who reserves an order does before it counts.
  perform 1 from budgets where scope = p_account for no key update;
  perform add_sums(array(select s from sums_of(p_account, (p_at at time zone 'UTC')::date, p_delegation, p_builder, p_agent, p_currency, p_cents) s));
end $$;

-- Triggers, so that replicas of the release before, which know nothing of the counts, keep them too.
create or replace function count_order() returns trigger language plpgsql as $$
begin
  perform add_money(new.account, new.created_at, new.delegation_id, (select owner from plans where plan_id = new.plan_id), new.agent_id,
    budget_currency(new.currency), case when new.status = 'declined' then -1 else 1 end * coalesce(new.cents, new.reserved_cents));
  return null;
end $$;
create or replace trigger order_counted after insert on orders for each row
  when (new.status <> 'declined' and coalesce(new.cents, new.reserved_cents) <> 0) execute function count_order();
create or replace trigger order_recounted after update of status on orders for each row
  when ((old.status = 'declined') <> (new.status = 'declined') and coalesce(new.cents, new.reserved_cents) <> 0) execute function count_order();

create or replace function count_payment() returns trigger language plpgsql as $$
begin
  perform add_money(new.account, new.created_at, new.delegation_id, lower(new.recipient), null,
    'usd', case when new.state = 'refused' then -1 else 1 end * new.delegation_cents);
  return null;
end $$;
create or replace trigger payment_counted after insert on account_payments for each row
  when (new.delegation_id is not null and new.state <> 'refused' and new.delegation_cents <> 0) execute function count_payment();
create or replace trigger payment_recounted after update of state on account_payments for each row
  when (new.delegation_id is not null and (old.state = 'refused') <> (new.state = 'refused') and new.delegation_cents <> 0) execute function count_payment();

-- Gives back what calls reserved and did not use, to the day they were reserved on.
create or replace function return_to_budgets(p_keys text[], p_amounts numeric[]) returns void language plpgsql as $$
begin
  perform 1 from budgets where scope = any (select h.account from holds h where h.request_key = any (p_keys)) order by scope for no key update;
  if not found then return; end if;
  -- What was reserved before the account had budgets may not be counted yet, but will be.
  perform add_sums(array(select s
    from unnest(p_keys, p_amounts) as k(key, amount)
    join holds h on h.request_key = k.key join tokens t on t.jti = h.jti join plans p on p.plan_id = h.plan_id
    cross join lateral sums_of(h.account, (h.created_at at time zone 'UTC')::date, t.delegation_id, p.owner, h.agent_id, 'credits', -k.amount) s
    where exists (select 1 from budgets b where b.scope = h.account)));
end $$;

-- An account's first budgets are set in steps, each a transaction that may be repeated: its row has what it uses counted from now
-- on (`begin_count`); who did not see the row ends (`pass_writers`); what was settled before is read, a part at a time
-- (`read_uses`); it is added to the counts (`count_budgets`); the budgets apply (`set_budgets`). This is the first: whether the
-- others are due.
create or replace function begin_count(p_account text) returns boolean language sql as $$
  insert into budgets (scope, account, document, updated_at) values (p_account, p_account, '{"currency": "usd", "limits": []}', app_now())
  on conflict (scope) do nothing;
  select counted_at is null from budgets where scope = p_account
$$;
-- The account's own row is the one that is locked. Releases before the last wrote none for budgets of delegations.
select begin_count(b.account) from budgets b where not exists (select 1 from budgets o where o.scope = b.account) group by b.account;

create or replace function pass_writers(p_account text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('budget-counts/' || p_account, 0));
  perform 1 from balances where account = p_account order by plan_id for no key update;
end $$;

-- Adds what orders of these days cost and the sums do not have.
create or replace function count_money(p_account text, p_from date, p_until date) returns void language plpgsql as $$
declare v_sums budget_sums[];
begin
  perform pg_advisory_xact_lock(hashtextextended('budget-count/' || p_account, 0));
  v_sums := array(select m from uncounted_money(p_account, p_from, p_until) m);
  perform 1 from budgets where scope = p_account for no key update;
  perform add_sums(v_sums);
end $$;

-- Counts the orders of the next day that has some, and reads the next hundred thousand settlements, or all until some minutes ago:
-- who settles now ends before that.
create or replace function read_uses(p_account text, p_read jsonb) returns jsonb language plpgsql as $$
declare
  v_from timestamptz := coalesce((p_read->>'until')::timestamptz, budget_since()::timestamp at time zone 'UTC');
  v_end timestamptz := greatest(v_from, app_now() - interval '10 minutes');
  v_until timestamptz := coalesce((select s.created_at from settlements s
    where s.account = p_account and s.created_at < v_end and s.created_at > (
      select q.created_at from settlements q where q.account = p_account and q.created_at >= v_from order by q.created_at offset 100000 limit 1)
    order by s.created_at limit 1), v_end);
  v_since timestamptz := coalesce((p_read->>'day')::date, budget_since())::timestamp at time zone 'UTC';
  v_day date := least((select min(created_at) from orders where account = p_account and created_at >= v_since),
    (select min(created_at) from account_payments where account = p_account and created_at >= v_since)) at time zone 'UTC';
begin
  perform count_money(p_account, v_day, v_day + 1);
  return jsonb_build_object('until', v_until, 'day', coalesce(v_day + 1, 'infinity'), 'isLast', v_until = v_end and v_day is null,
    'uses', coalesce(p_read->'uses', '[]') || (select coalesce(jsonb_agg(u), '[]') from settled_uses(p_account, v_from, v_until) u));
end $$;

-- Adds what is not counted. Without `p_read`, orders and settlements are read here.
create or replace function count_budgets(p_account text, p_read jsonb) returns void language plpgsql as $$
declare
  v_since date := budget_since();
  v_from timestamptz := coalesce((p_read->>'until')::timestamptz, v_since::timestamp at time zone 'UTC');
  v_read budget_uses[] := array(select r from jsonb_populate_recordset(null::budget_uses, coalesce(p_read->'uses', '[]')) r);
  v_sums budget_sums[];
begin
  perform pg_advisory_xact_lock(hashtextextended('budget-count/' || p_account, 0));
  if exists (select 1 from budgets where scope = p_account and counted_at is not null) then return; end if;
  if p_read->'day' is null then perform count_money(p_account, v_since, 'infinity'); end if;
  v_sums := array(select u from uncounted_credits(p_account, v_since, v_from, v_read) u);
  perform 1 from budgets where scope = p_account for no key update;
  perform add_sums(v_sums);
  update budgets set counted_at = app_now() where scope = p_account;
end $$;

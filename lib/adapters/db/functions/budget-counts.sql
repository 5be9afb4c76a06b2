-- version 6, content 34405b9715711867
-- What accounts with budgets use, counted by UTC day: credits in `budget_uses`, money in `budget_money`
-- (docs/adr/0102-budgets-in-the-ledger.md). Locks are taken after those of `budgets`.

create or replace function budget_currency(p_currency text) returns text language sql immutable as $$
  select case lower(p_currency) when 'usdc' then 'usd' when 'eurc' then 'eur' else lower(p_currency) end
$$;

-- The first day that limits look back to: of this week, or of this month.
create or replace function budget_since() returns date language sql stable as $$
  select least(date_trunc('week', app_now() at time zone 'UTC'), date_trunc('month', app_now() at time zone 'UTC'))::date
$$;

-- What an account's orders cost since a day, with what it paid sellers elsewhere under a delegation: there their address stands
-- for the builder.
create or replace function money_of(p_account text, p_since date) returns setof budget_money language sql stable as $$
  select p_account, x.day, x.delegation_id, x.builder, x.agent_id, x.currency, sum(x.cents)
  from (
    select (o.created_at at time zone 'UTC')::date as day, coalesce(o.delegation_id, '') as delegation_id, p.owner as builder,
      coalesce(o.agent_id, '') as agent_id, budget_currency(o.currency) as currency, coalesce(o.cents, o.reserved_cents) as cents
    from orders o join plans p on p.plan_id = o.plan_id
    where o.account = p_account and o.status <> 'declined' and o.created_at >= p_since::timestamp at time zone 'UTC'
    union all
    select (a.created_at at time zone 'UTC')::date, a.delegation_id, lower(a.recipient), '', 'usd', coalesce(a.delegation_cents, 0)
    from account_payments a
    where a.account = p_account and a.delegation_id is not null and a.state <> 'refused' and a.created_at >= p_since::timestamp at time zone 'UTC'
  ) x group by 2, 3, 4, 5, 6
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

-- What the ledger has and the counts do not: each as at one moment, so that it can be added whatever is counted meanwhile.
create or replace function uncounted_money(p_account text, p_since date) returns setof budget_money language sql stable as $$
  select account, day, delegation_id, builder, agent_id, currency, sum(cents)
  from (
    select * from money_of(p_account, p_since)
    union all
    select account, day, delegation_id, builder, agent_id, currency, -cents from budget_money where account = p_account and day >= p_since
  ) x group by 1, 2, 3, 4, 5, 6 having sum(cents) <> 0
$$;
-- `p_known` is what was settled before `p_from`.
create or replace function uncounted_uses(p_account text, p_since date, p_from timestamptz, p_known budget_uses[]) returns setof budget_uses language sql stable as $$
  select account, day, delegation_id, builder, agent_id, sum(credits)
  from (
    select * from unnest(p_known)
    union all
    select * from settled_uses(p_account, p_from, 'infinity')
    union all
    select p_account, (h.created_at at time zone 'UTC')::date, t.delegation_id, p.owner, coalesce(h.agent_id, ''), h.amount
    from holds h join tokens t on t.jti = h.jti join plans p on p.plan_id = h.plan_id
    where h.account = p_account and h.state = 'held'
    union all
    select account, day, delegation_id, builder, agent_id, -credits from budget_uses where account = p_account
  ) x where day >= p_since group by 1, 2, 3, 4, 5 having sum(credits) <> 0
$$;

-- Whether an account has budgets, so that what it uses is counted. Until the transaction ends, the account's first count waits.
create or replace function is_counting(p_account text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('budget-counts/' || p_account, 0));
  return exists (select 1 from budgets where account = p_account);
end $$;

create or replace function add_money(p_account text, p_at timestamptz, p_delegation text, p_builder text, p_agent text, p_currency text, p_cents numeric)
returns void language plpgsql as $$
begin
  if not is_counting(p_account) then return; end if;
  -- As who reserves an order does before it counts.
  perform 1 from budgets where account = p_account order by scope for no key update;
  insert into budget_money (account, day, delegation_id, builder, agent_id, currency, cents)
  values (p_account, (p_at at time zone 'UTC')::date, coalesce(p_delegation, ''), p_builder, coalesce(p_agent, ''), p_currency, p_cents)
  on conflict (account, day, delegation_id, builder, agent_id, currency) do update set cents = budget_money.cents + excluded.cents;
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
  perform 1 from budgets where account = any (select h.account from holds h where h.request_key = any (p_keys)) order by scope for no key update;
  if not found then return; end if;
  -- What was reserved before the account had budgets may not be counted yet, but will be.
  insert into budget_uses (account, day, delegation_id, builder, agent_id, credits)
  select h.account, (h.created_at at time zone 'UTC')::date, t.delegation_id, p.owner, coalesce(h.agent_id, ''), -sum(k.amount)
  from unnest(p_keys, p_amounts) as k(key, amount)
  join holds h on h.request_key = k.key join tokens t on t.jti = h.jti join plans p on p.plan_id = h.plan_id
  where h.account in (select b.account from budgets b)
  group by 1, 2, 3, 4, 5
  on conflict (account, day, delegation_id, builder, agent_id) do update set credits = budget_uses.credits + excluded.credits;
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

create or replace function pass_writers(p_account text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('budget-counts/' || p_account, 0));
  perform 1 from balances where account = p_account order by plan_id for no key update;
end $$;

-- Reads the next hundred thousand settlements, or all until some minutes ago: who settles now ends before that.
create or replace function read_uses(p_account text, p_read jsonb) returns jsonb language plpgsql stable as $$
declare
  v_from timestamptz := coalesce((p_read->>'until')::timestamptz, budget_since()::timestamp at time zone 'UTC');
  v_end timestamptz := greatest(v_from, app_now() - interval '10 minutes');
  v_until timestamptz := coalesce((select s.created_at from settlements s
    where s.account = p_account and s.created_at < v_end and s.created_at > (
      select q.created_at from settlements q where q.account = p_account and q.created_at >= v_from order by q.created_at offset 100000 limit 1)
    order by s.created_at limit 1), v_end);
begin
  return jsonb_build_object('until', v_until, 'isLast', v_until = v_end,
    'uses', coalesce(p_read->'uses', '[]') || (select coalesce(jsonb_agg(u), '[]') from settled_uses(p_account, v_from, v_until) u));
end $$;

-- Adds what is not counted. Without `p_read`, the settlements are read here.
create or replace function count_budgets(p_account text, p_read jsonb) returns void language plpgsql as $$
declare
  v_since date := budget_since();
  v_from timestamptz := coalesce((p_read->>'until')::timestamptz, v_since::timestamp at time zone 'UTC');
  v_read budget_uses[] := array(select r from jsonb_populate_recordset(null::budget_uses, coalesce(p_read->'uses', '[]')) r);
  v_uses budget_uses[];
  v_money budget_money[];
begin
  perform pg_advisory_xact_lock(hashtextextended('budget-count/' || p_account, 0));
  if exists (select 1 from budgets where scope = p_account and counted_at is not null) then return; end if;
  v_uses := array(select u from uncounted_uses(p_account, v_since, v_from, v_read) u);
  v_money := array(select m from uncounted_money(p_account, v_since) m);
  perform 1 from budgets where account = p_account order by scope for no key update;
  insert into budget_uses select * from unnest(v_uses)
  on conflict (account, day, delegation_id, builder, agent_id) do update set credits = budget_uses.credits + excluded.credits;
  insert into budget_money select * from unnest(v_money)
  on conflict (account, day, delegation_id, builder, agent_id, currency) do update set cents = budget_money.cents + excluded.cents;
  update budgets set counted_at = app_now() where scope = p_account;
end $$;

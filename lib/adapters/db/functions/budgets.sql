-- version 21, content aacec6931a8a926b
-- Budgets of delegations and accounts, and requests that wait for a person (docs/adr/0102-budgets-in-the-ledger.md).
-- Periods are UTC calendar days, weeks from Monday, and months. Lock order: tokens, delegations, balances, budgets.

-- Millionths in minor units, rounded up, as `toMinorUnits` does; null for a token without a par value.
create or replace function minor_units(p_amount numeric, p_currency text) returns numeric language sql immutable as $$
  select div(p_amount + d.unit - 1, d.unit) from (select case
    when lower(p_currency) in ('bif', 'clp', 'djf', 'gnf', 'jpy', 'kmf', 'krw', 'mga', 'pyg', 'rwf', 'ugx', 'vnd', 'vuv', 'xaf', 'xof', 'xpf') then 1000000
    when lower(p_currency) in ('bhd', 'jod', 'kwd', 'omr', 'tnd') then 1000
    when p_currency not like '0x%' then 10000 end as unit) d
$$;

-- What one limit of a budget has been used for at an instant: in minor units of money, or in credits. `p_request` is the
-- call that is asked about, by the prefix of its orders' keys, which are numbered from 1; empty without one.
create or replace function budget_used(p_scope text, p_account text, p_currency text, p_limit jsonb, p_request text, p_at timestamptz)
returns numeric language plpgsql stable as $$
declare
  v_from date;
  v_until date;
  v_unit text := case p_limit->>'unit' when 'credits' then 'credits' else p_currency end;
  v_is_counted boolean;
  v_is_summed boolean;
  v_used numeric;
  v_payee text := payee_of(p_limit->>'builder', p_limit->>'agentId');
begin
  if p_limit->>'period' = 'call' then
    if p_limit->>'unit' = 'credits' then return 0; end if;
    return (
      with recursive tries as (
        select 1 as n, o.order_id from orders o where o.account = p_account and o.idempotency_key = nullif(p_request, '') || 1
        union all
        select t.n + 1, o.order_id from tries t join orders o on o.account = p_account and o.idempotency_key = p_request || (t.n + 1)
      )
      select coalesce(sum(coalesce(o.cents, o.reserved_cents)), 0)
      from tries t join orders o on o.order_id = t.order_id join plans p on p.plan_id = o.plan_id
      where o.status <> 'declined' and budget_currency(o.currency) = p_currency
        and (p_scope = p_account or o.delegation_id = p_scope)
        and (p_limit->>'builder' is null or p.owner = p_limit->>'builder')
        and (p_limit->>'agentId' is null or o.agent_id = p_limit->>'agentId'));
  end if;
  v_from := date_trunc(p_limit->>'period', p_at at time zone 'UTC');
  v_until := v_from + ('1 ' || (p_limit->>'period'))::interval;
  select counted_at is not null, summed_at is not null into v_is_counted, v_is_summed from budgets where scope = p_account;
  if v_unit <> 'credits' and v_is_counted is not true then
    -- Budgets of the release before the last are counted soon after this one starts; until then the orders are summed.
    return (select coalesce(sum(m.amount), 0) from money_of(p_account, v_from, v_until) m
      where m.scope = p_scope and m.payee = v_payee and m.unit = v_unit);
  end if;
  v_used := (select coalesce(sum(s.amount), 0) from budget_sums s
    where s.scope = p_scope and s.payee = v_payee and s.unit = v_unit and s.day >= v_from and s.day < v_until);
  if v_is_summed then return v_used; end if;
  return v_used + (select coalesce(sum(c.amount), 0) from old_counts c
    where c.account = p_account and c.unit = v_unit and c.day >= v_from and c.day < v_until
      and p_scope in (c.account, c.delegation_id) and (v_payee = '' or v_payee = lower(c.builder) or v_payee = 'agent/' || c.agent_id));
end $$;

-- What the budgets leave for one request, the first to refuse it first. Without a unit nothing is allowed at all.
-- `is not distinct from` keeps a plan made for few rows from reading all delegations of an account by its index.
create or replace function budget_room(p_account text, p_delegation text, p_builder text, p_agent text, p_request text, p_at timestamptz)
returns table (ord bigint, cause text, unit text, currency text, room numeric) language sql stable as $$
  select row_number() over (order by x.n, b.scope = p_account desc), x.cause, x.unit, b.document->>'currency', x.room
  from budgets b cross join lateral (
    select 0 as n, 'budget_not_allowed' as cause, null as unit, null::numeric as room
    where b.document ? 'allow'
      and not coalesce(b.document->'allow'->'builders' ? p_builder, false)
      and not coalesce(b.document->'allow'->'agents' ? p_agent, false)
    union all
    select e.n, case when e.l ? 'builder' then 'budget_per_builder' when e.l ? 'agentId' then 'budget_per_agent'
        else 'budget_per_' || (e.l->>'period') end,
      e.l->>'unit', (e.l->>'limit')::numeric - budget_used(b.scope, b.account, b.document->>'currency', e.l, p_request, p_at)
    from jsonb_array_elements(b.document->'limits') with ordinality as e(l, n)
    where coalesce(e.l->>'builder' = p_builder, true) and case when e.l ? 'agentId' then coalesce(e.l->>'agentId' = p_agent, false) else true end
  ) x
  where b.scope in (p_account, p_delegation) and b.account is not distinct from p_account
$$;

-- When a request waits for a person: above these amounts, or always, because the account has bought nothing from its
-- builder yet or because of the hour. All null: never. An amount of another currency always waits, so amounts of several
-- currencies have none in common: then every paid order waits.
create or replace function budget_asks(p_account text, p_delegation text, p_builder text, p_at timestamptz)
returns table (above numeric, currency text, above_credits numeric, reason text, minutes int) language sql stable as $$
  select min((r.rule->>'above')::numeric), case when min(r.currency) = max(r.currency) then min(r.currency) end, min((r.rule->>'aboveCredits')::numeric),
    min(case
      when (r.rule->>'newBuilders')::boolean and not exists (
        select 1 from balances x join plans p on p.plan_id = x.plan_id where x.account = p_account and p.owner = p_builder and x.seq > 0)
        then 'new-builder'
      when r.rule ? 'outsideHours' and case when h.opens < h.closes then not (h.clock >= h.opens and h.clock < h.closes)
        else h.clock >= h.closes and h.clock < h.opens end then 'outside-hours' end),
    coalesce(min((r.rule->>'minutes')::int), 30)
  from budgets b
  cross join lateral (select b.document->'approval' as rule, case when b.document->'approval' ? 'above' then b.document->>'currency' end as currency) r
  cross join lateral (select to_char(p_at at time zone 'UTC', 'HH24:MI') as clock,
    r.rule->'outsideHours'->>'from' as opens, r.rule->'outsideHours'->>'to' as closes) h
  where b.scope in (p_account, p_delegation) and b.account is not distinct from p_account and r.rule is not null
$$;

create or replace function subject_hash(p_subject text) returns text language sql immutable as $$
  select encode(sha256(convert_to(p_subject, 'UTF8')), 'hex')
$$;

-- Whether budgets say anything: an account keeps its row when it removes them, because what it uses is counted on.
create or replace function has_budgets(p_account text, p_delegation text) returns boolean language sql stable as $$
  select exists (select 1 from budgets where scope in (p_account, p_delegation) and document - 'currency' <> '{"limits": []}')
$$;

-- All that budgets and approvals say about a request, for its decision; null where the account has none. In plpgsql, which
-- keeps the plan of this statement; SQL would plan it again for every request.
create or replace function budget_facts(p_account text, p_delegation text, p_jti text, p_builder text, p_agent text,
  p_subject text, p_caller text, p_id text, p_at timestamptz) returns json language plpgsql stable as $$
begin
  if not has_budgets(p_account, p_delegation) then return null; end if;
  return json_build_object(
    'room', coalesce((select json_agg(json_build_object('cause', r.cause, 'unit', r.unit, 'currency', r.currency, 'left', r.room::text) order by r.ord)
      from budget_room(p_account, p_delegation, p_builder, p_agent, 'top-up/' || p_caller || '/' || p_id || '/', p_at) r), '[]'),
    'asks', (select json_build_object('above', a.above::text, 'currency', a.currency, 'aboveCredits', a.above_credits::text, 'reason', a.reason)
      from budget_asks(p_account, p_delegation, p_builder, p_at) a),
    'approval', (select json_build_object('state', a.state, 'maxCents', a.max_cents::text, 'currency', a.currency, 'maxCredits', a.max_credits::text)
      from approvals a where a.account = p_account and a.jti = p_jti and a.subject_hash = subject_hash(p_subject)
        and case a.state when 'used' then a.used_by = p_caller || '/' || p_id else a.state in ('approved', 'declined') and a.expires_at > p_at end
      order by a.state = 'declined', a.created_at desc limit 1));
end $$;

-- Why budgets refuse what an order (`money`) or a call (`credits`) needs, or null. In plpgsql, which keeps its plan.
create or replace function budget_cause(p_account text, p_delegation text, p_builder text, p_agent text, p_unit text, p_currency text,
  p_amount numeric, p_key text, p_at timestamptz) returns text language plpgsql stable as $$
declare
  v_cause text;
begin
  if not has_budgets(p_account, p_delegation) then return null; end if;
  select case when r.unit = 'money' and r.currency is distinct from p_currency then 'budget_currency' else r.cause end into v_cause
  from budget_room(p_account, p_delegation, p_builder, p_agent, p_key, p_at) r
  where r.unit is null
    or (r.unit = p_unit and case when r.unit = 'money' and r.currency is distinct from p_currency then p_amount is distinct from 0 else r.room < p_amount end)
  order by r.ord limit 1;
  return case when v_cause is null and p_unit = 'money' and p_amount is null then 'budget_currency' else v_cause end;
end $$;

-- Whether rules for approvals ask for a person before what an order (`money`) or a call (`credits`) needs. In plpgsql, which keeps its plan.
create or replace function needs_approval(p_account text, p_delegation text, p_builder text, p_unit text, p_currency text, p_amount numeric,
  p_at timestamptz) returns boolean language plpgsql stable as $$
begin
  return (select coalesce(a.reason is not null
    or (p_unit = 'money' and a.above is not null and (p_amount > a.above or (p_amount > 0 and p_currency is distinct from a.currency)))
    or (p_unit = 'credits' and p_amount > a.above_credits), false)
  from budget_asks(p_account, p_delegation, p_builder, p_at) a);
end $$;

-- Why budgets, as they are now, would refuse the next order of a renewal, or null. A person who switched it on has approved it.
create or replace function renewal_cause(r renewals) returns text language sql stable as $$
  select coalesce(budget_cause(r.account, r.delegation_id, p.owner, null, 'money', c.currency, c.cents, '', c.at),
    case when r.key_id is not null and needs_approval(r.account, r.delegation_id, p.owner, 'money', c.currency, c.cents, c.at)
      then 'pending_approval' end)
  from plans p, (select budget_currency(r.currency) as currency, minor_units(r.price, r.currency) as cents, coalesce(r.due_at, r.period_end) as at) c
  where p.plan_id = r.plan_id
$$;

-- Takes what an order (`money`) or a call (`credits`) needs of its budgets, and uses up its approval: why not, or null.
-- The caller holds the locks of the account's budgets.
create or replace function spend_budgets(p_account text, p_jti text, p_delegation text, p_plan text, p_agent text, p_unit text,
  p_currency text, p_amount numeric, p_subject text, p_request text, p_key text, p_is_person boolean, p_at timestamptz) returns text language plpgsql as $$
declare
  v_builder text;
  v_cause text;
begin
  if not exists (select 1 from budgets b where b.scope in (p_account, p_delegation)) then return null; end if;
  select owner into v_builder from plans where plan_id = p_plan;
  v_cause := budget_cause(p_account, p_delegation, v_builder, p_agent, p_unit, p_currency, p_amount, p_key, p_at);
  if v_cause is not null then return v_cause; end if;
  if not p_is_person and needs_approval(p_account, p_delegation, v_builder, p_unit, p_currency, p_amount, p_at) then
    update approvals a set state = 'used', used_by = p_request
    where a.account = p_account and a.jti = p_jti and a.subject_hash = subject_hash(p_subject)
      and a.state = 'approved' and a.expires_at > p_at
      and case p_unit when 'money' then a.max_cents >= p_amount and (p_amount = 0 or a.currency is not distinct from p_currency) else a.max_credits >= p_amount end;
    -- A request whose order used the approval reserves its credits by the same one.
    if not found and not (p_unit = 'credits' and exists (select 1 from approvals a where a.account = p_account and a.jti = p_jti
      and a.subject_hash = subject_hash(p_subject) and a.state = 'used' and a.used_by = p_request and a.max_credits >= p_amount)) then
      return case when exists (select 1 from approvals a where a.account = p_account and a.jti = p_jti
        and a.subject_hash = subject_hash(p_subject) and a.state = 'declined' and a.expires_at > p_at)
        then 'approval_declined' else 'pending_approval' end;
    end if;
  end if;
  if p_unit = 'credits' and p_amount > 0 then
    perform add_sums(array(select s from sums_of(p_account, (p_at at time zone 'UTC')::date, p_delegation, v_builder, p_agent, 'credits', p_amount) s));
  end if;
  return null;
end $$;

-- The same for one order, under the locks of the account's budgets. `p_at` is when the order was made: its period.
create or replace function order_budgets(p_account text, p_jti text, p_delegation text, p_plan text, p_agent text, p_currency text,
  p_cents numeric, p_subject text, p_request text, p_is_person boolean, p_at timestamptz) returns text language plpgsql as $$
begin
  if not is_counting(p_account) then return null; end if;
  perform 1 from budgets where scope = p_account for no key update;
  return spend_budgets(p_account, p_jti, p_delegation, p_plan, p_agent, 'money', budget_currency(p_currency), p_cents,
    p_subject, p_request, 'top-up/' || p_request || '/', p_is_person, p_at);
end $$;

-- The same for a payment in USDC to a seller elsewhere. No one can approve one: what a rule names is refused.
create or replace function payment_budgets(p_account text, p_delegation text, p_seller text, p_cents numeric) returns text language plpgsql as $$
declare
  v_cause text;
begin
  if not is_counting(p_account) then return null; end if;
  perform 1 from budgets where scope = p_account for no key update;
  select case when r.unit = 'money' and r.currency <> 'usd' then 'budget_currency' else r.cause end into v_cause
  from budget_room(p_account, p_delegation, p_seller, null, null, app_now()) r
  where r.unit is null or (r.unit = 'money' and (r.currency <> 'usd' or r.room < p_cents)) order by r.ord limit 1;
  return case when v_cause is null and needs_approval(p_account, p_delegation, p_seller, 'money', 'usd', p_cents, app_now())
    then 'pending_approval' else v_cause end;
end $$;

-- The same for the accepted entries of a batch, one after another: why a budget refuses some, by their number. Locks the budgets.
create or replace function budget_refusals(p_rows jsonb, p_ords int[], p_now timestamptz) returns jsonb language plpgsql as $$
declare
  v_row record;
  v_cause text;
  v_refused jsonb := '{}';
begin
  perform 1 from budgets where scope = any (select e->>'account' from jsonb_array_elements(p_rows) e) order by scope for no key update;
  for v_row in
    select r.*, t.delegation_id, r.builder || '/' || r."agentRequestId" as request
    from jsonb_to_recordset(p_rows) as r(ord int, builder text, "agentRequestId" text, account text, "planId" text, "agentId" text,
      jti text, amount numeric, subject text)
    join tokens t on t.jti = r.jti
    where r.ord = any (p_ords) and exists (select 1 from budgets b where b.scope = r.account) order by r.ord
  loop
    v_cause := spend_budgets(v_row.account, v_row.jti, v_row.delegation_id, v_row."planId", v_row."agentId", 'credits', null, v_row.amount,
      v_row.subject, v_row.request, 'top-up/' || v_row.request || '/', false, p_now);
    if v_cause is not null then v_refused := v_refused || jsonb_build_object(v_row.ord, v_cause); end if;
  end loop;
  return v_refused;
end $$;

-- The limits of budgets that the chain enforces too: those on money, for all builders and agents.
create or replace function chain_limits(p_document jsonb) returns jsonb language sql immutable as $$
  select jsonb_build_object('currency', p_document->>'currency', 'limits', jsonb_agg(e.l order by e.l::text))
  from jsonb_array_elements(p_document->'limits') e(l)
  where e.l->>'unit' = 'money' and not e.l ? 'builder' and not e.l ? 'agentId' having count(*) > 0
$$;

-- Has the grants that may order signed anew within other limits, and those of before revoked on chain; only for accounts whose
-- owner key the service keeps.
create or replace function replace_grants(p_scope text, p_account text) returns void language sql as $$
  update chain_grants g set replaced_at = app_now()
  where g.account = p_account and g.kind in ('delegation', 'order', 'root') and (p_scope = p_account or g.delegation_id = p_scope)
    and g.order_limit > 0 and g.replaced_at is null and g.revoked_at is null and g.valid_until > app_now()
    and exists (select 1 from accounts a where a.address = g.account and a.owner_key is not null)
$$;

-- Writes the budgets of a delegation or an account, or removes them.
create or replace function set_budgets(p_scope text, p_account text, p_document jsonb) returns void language plpgsql as $$
declare
  v_is_counted boolean := exists (select 1 from budgets where scope = p_account and counted_at is not null);
begin
  if not v_is_counted then
    -- A replica of the release before, which counts under the locks of those who write.
    perform pg_advisory_xact_lock(hashtextextended('budget-count/' || p_account, 0));
    perform pass_writers(p_account);
    perform begin_count(p_account);
  end if;
  -- Replicas of the release before lock all budgets of the account, by scope, so both rows are locked in that order. The release after
  -- this one locks the account's row alone.
  perform 1 from budgets where scope in (p_account, p_scope) order by scope for no key update;
  if not v_is_counted then perform count_budgets(p_account, null); end if;
  if chain_limits((select document from budgets where scope = p_scope and account = p_account)) is distinct from chain_limits(p_document) then
    perform replace_grants(p_scope, p_account);
  end if;
  if p_document is null and p_scope <> p_account then
    delete from budgets where scope = p_scope and account = p_account;
  else
    insert into budgets (scope, account, document, updated_at)
    values (p_scope, p_account, coalesce(p_document, '{"currency": "usd", "limits": []}'), app_now())
    on conflict (scope) do update set document = excluded.document, updated_at = excluded.updated_at;
  end if;
  -- An order may be of the month before: its time is when it was made.
  delete from budget_sums where ctid = any (array(
    select ctid from budget_sums where account = p_account and day < budget_since() - 31 limit 10000));
end $$;

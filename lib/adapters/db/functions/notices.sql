-- version 26, content ad2c280c23784be3
-- Alerts: what is measured, and when a rule is crossed (docs/adr/0104-alerts-are-levels-with-hysteresis.md). Nothing here runs in
-- a transaction that moves money or credits: a pass in the background reads what they left behind.

-- What an account's rules can be about now, read often. Values count what the kind's threshold counts.
create or replace function alert_values(p_account text)
returns table (kind text, object text, measure text, name text, value numeric) language sql stable as $$
  -- Plans of which nothing moved for a month are not in use.
  select 'credits-below', b.plan_id, '', p.metadata->>'name',
    case when b.expires_at <= (select app_now()) then 0 else b.available + b.held end
  from balances b join plans p on p.plan_id = b.plan_id
  where b.account = p_account and p.access_limit = 'credits'
    and exists (select 1 from transfers t where t.account = b.account and t.plan_id = b.plan_id and t.seq = b.seq
      and t.created_at > (select app_now()) - interval '30 days' offset 0)
  union all
  select 'delegation-used', d.delegation_id, m.measure, coalesce(d.name, d.delegation_id), m.value
  from delegations d cross join lateral (
    select 'money' as measure, 100 * d.spent_cents / nullif(d.spending_limit_cents, 0) as value
    union all select 'count', 100.0 * d.transaction_count / nullif(d.max_transactions, 0)
    -- Delegations of minutes or hours are made to run out.
    union all select 'time', 100 * extract(epoch from (select app_now()) - d.created_at) / extract(epoch from d.expires_at - d.created_at)
    where d.expires_at - d.created_at >= interval '1 day'
  ) m
  where d.account = p_account and d.revoked_at is null and d.sign_before is null and d.expires_at > (select app_now()) and m.value is not null
    -- Those of one charge, as a checkout makes them, and of minutes are made to be used up.
    and d.max_transactions is distinct from 1 and d.expires_at - d.created_at >= interval '1 hour'
  union all
  select 'payout-failed', p.payout_id, '', p.amount::text || ' ' || p.currency, 1
  from payouts p where p.account = p_account and p.state = 'failed' and p.created_at > (select app_now()) - interval '90 days'
    and not exists (select 1 from payouts q where q.account = p.account and q.currency = p.currency
      and q.state in ('sent', 'paid') and q.created_at > p.created_at)
  union all
  select 'payout-failed', 'schedule', '', a.schedule, 1
  from payout_accounts a where a.account = p_account and a.schedule <> 'manual' and a.status <> 'active'
$$;

-- The quarter of an hour that a time is in, by its beginning.
create or replace function quarter_of(p_at timestamptz) returns timestamptz language sql immutable as $$
  select to_timestamp(floor(extract(epoch from p_at) / 900) * 900)
$$;

-- The ends of the quarters of an hour of a builder's calls to judge: the last one, and those of calls that were reported too
-- late for it, for a day.
create or replace function windows_to_judge(p_builder text) returns setof timestamptz language sql stable as $$
  select app_now()
  union all
  select late.at + interval '15 minutes' - interval '1 microsecond' from alert_accounts a, unnest(a.late) late(at)
  where a.account = p_builder and late.at between app_now() - interval '1 day' and app_now() - interval '15 minutes'
$$;

-- A builder's calls of a quarter of an hour, at most the latest thousand settled and the latest thousand others, and only
-- as far back as both reach. Tests are left out, as on every page: the payer is a test customer, or the service sent the call.
drop function if exists recent_calls(text);
create or replace function recent_calls(p_builder text, p_until timestamptz) returns table (agent_id text, outcome text) language sql stable as $$
  with settled as (
    select s.agent_id, 'settled' as outcome, s.created_at as at from settlements s
    where s.builder = p_builder and s.created_at > p_until - interval '15 minutes' and s.created_at <= p_until
      and not exists (select 1 from accounts t where t.address = s.account and t.test_of is not null)
    order by s.created_at desc limit 1000
  ), others as (
    select r.agent_id, case when r.money_status = 'refused' then 'declined-rate' when r.http_status >= 500 then 'error-rate' else 'other' end as outcome, r.at
    from request_reports r left join holds h on h.request_key = r.request_key
    where r.builder = p_builder and r.at > p_until - interval '15 minutes' and r.at <= p_until
      and r.money_status in ('refused', 'not-charged', 'delivered-unsettled')
      and not exists (select 1 from accounts t where t.address = coalesce(r.payer, h.account) and t.test_of is not null)
      and not exists (select 1 from test_calls c where c.request_key = r.request_key)
    order by r.at desc limit 1000
  ), reach as (
    select greatest((select min(at) from settled having count(*) = 1000), (select min(at) from others having count(*) = 1000), '-infinity') as since
  )
  select x.agent_id, x.outcome from (select * from settled union all select * from others) x, reach where x.at >= reach.since
$$;

-- The same for what needs more reading, or changes only with time.
create or replace function slow_alert_values(p_account text)
returns table (kind text, object text, measure text, name text, value numeric) language sql stable as $$
  -- Days that the credits last at the rate of the last week's calls, at most the latest thousand of each plan.
  select 'credits-days', b.plan_id, '', p.metadata->>'name', (b.available + b.held) / r.per_day
  from balances b join plans p on p.plan_id = b.plan_id cross join lateral (
    select sum(s.amount) / (case when count(*) < 1000 then greatest(extract(epoch from (select app_now()) - min(s.created_at)), 86400)
      else greatest(extract(epoch from (select app_now()) - min(s.created_at)), 1) end / 86400) as per_day
    from (select amount, created_at, plan_id from settlements where account = p_account and created_at > (select app_now()) - interval '7 days'
      order by created_at desc limit 1000) s where s.plan_id = b.plan_id
  ) r
  where b.account = p_account and p.access_limit = 'credits' and r.per_day > 0
  union all
  -- What lives for less than a week is made to run out.
  select 'token-expiring', t.jti, '', coalesce(p.metadata->>'name', t.jti), extract(epoch from t.expires_at - (select app_now())) / 86400
  from tokens t join plans p on p.plan_id = t.plan_id
  where t.account = p_account and t.revoked_at is null and t.expires_at > (select app_now()) and t.expires_at - t.issued_at >= interval '7 days'
  union all
  select 'key-expiring', k.key_id, '', k.name, extract(epoch from k.expires_at - (select app_now())) / 86400
  from api_keys k where k.account = p_account and k.revoked_at is null and k.replaced_by is null and k.expires_at > (select app_now())
    and k.expires_at - k.created_at >= interval '7 days'
  union all
  select 'card-expiring', c->>'id', '', c->>'name', extract(epoch from (c->>'expiresAt')::timestamptz - (select app_now())) / 86400
  from alert_accounts a, jsonb_array_elements(a.cards) c
  where a.account = p_account and (c->>'expiresAt')::timestamptz > (select app_now())
    and exists (select 1 from delegations d where d.account = p_account and d.payment_method_id = c->>'id'
      and d.revoked_at is null and d.expires_at > (select app_now()))
  union all
  select 'unsettled', coalesce(r.agent_id, ''), '', coalesce(min(a.metadata->>'name'), 'your calls'), extract(epoch from (select app_now()) - min(r.at)) / 60
  from request_reports r left join agents a on a.agent_id = r.agent_id left join holds h on h.request_key = r.request_key
  where r.builder = p_account and r.money_status = 'delivered-unsettled' and r.at > (select app_now()) - interval '30 days'
    and not exists (select 1 from settlements s where s.request_key = r.request_key)
    and not exists (select 1 from accounts t where t.address = coalesce(r.payer, h.account) and t.test_of is not null)
    and not exists (select 1 from test_calls c where c.request_key = r.request_key)
  group by r.agent_id
  union all
  -- Of several windows the worst.
  select w.kind, w.agent_id, '', coalesce(min(a.metadata->>'name'), 'your calls'), max(w.value) from (
    select x.kind, coalesce(c.agent_id, '') as agent_id, 100.0 * count(*) filter (where c.outcome = x.kind) / count(*) as value
    from windows_to_judge(p_account) until cross join recent_calls(p_account, until) c cross join (values ('declined-rate'), ('error-rate')) x(kind)
    group by until, x.kind, c.agent_id having count(*) >= 20
  ) w left join agents a on a.agent_id = w.agent_id group by w.kind, w.agent_id
  union all
  select 'doctor-failing', a.agent_id, '', a.metadata->>'name', (a.doctor_run->>'checks')::numeric - (a.doctor_run->>'passed')::numeric
  from agents a where a.owner = p_account and a.archived_at is null and a.doctor_run is not null
  union all
  select 'service-degraded', s.name, '', s.name, extract(epoch from (select app_now()) - s.since) / 60
  from troubled_services s where exists (select 1 from plans where owner = p_account)
    or exists (select 1 from delegations d where d.account = p_account and d.revoked_at is null and d.expires_at > (select app_now()))
  union all
  -- A mail that failed for good counts until the address takes another one or is changed.
  select 'email-failing', '', '', 'mail', max(m.attempts)
  from mails m where m.account = p_account and m.last_error is not null and (m.state = 'waiting' or m.state = 'failed'
    and exists (select 1 from email_addresses e where e.account = m.account and e.address = m.recipient)
    and not exists (select 1 from mails s where s.account = m.account and s.recipient = m.recipient and s.state = 'sent' and s.sent_at >= m.due_at))
  having count(*) > 0
  union all
  -- Not those that their owner disabled, and for thirty days: what is left alone so long is meant so. The path of a URL can hold a secret, and names are mailed.
  select 'webhook-disabled', w.endpoint_id, '', coalesce(substring(w.url from '://([^/?#]+)'), w.endpoint_id), 1
  from webhook_endpoints w where w.account = p_account and w.state = 'disabled' and w.disabled_reason <> 'You disabled it.'
    and w.disabled_at > (select app_now()) - interval '30 days'
  union all
  select 'domain-lost', a.agent_id, '', a.metadata->>'name', 1
  from agents a where a.owner = p_account and a.archived_at is null and (a.domain_proof->>'lostAt')::timestamptz > (select app_now()) - interval '30 days'
  union all
  -- The obstacles of `listRenewals`, failed attempts, and what stopped.
  select 'renewal-failing', r.plan_id, '', coalesce(p.metadata->>'name', r.plan_id), 1
  from renewals r join plans p on p.plan_id = r.plan_id join plan_versions v on v.plan_id = p.plan_id and v.version = p.version
  join delegations d on d.delegation_id = r.delegation_id
  where r.account = p_account and case r.state
    when 'on' then r.failure_code is not null or d.revoked_at is not null or d.expires_at <= coalesce(r.due_at, r.period_end)
      or p.archived_at is not null or (p.state = 'draft' and p.owner <> r.account)
      or v.duration_secs <> r.duration_secs or coalesce(lower(v.price->>case when r.currency like '0x%' then 'tokenAddress' else 'currency' end) <> lower(r.currency), false)
      or r.price <> (select coalesce(sum(a::numeric), 0) from jsonb_array_elements_text(v.price->'amounts') a)
      -- An order that is under way has its part already.
      or (d.transaction_count >= d.max_transactions or d.spending_limit_cents - d.spent_cents < minor_units(r.price, r.currency)
          or renewal_cause(r) is not null)
        and not exists (select 1 from orders o where o.account = r.account and o.plan_id = r.plan_id and o.status not in ('minted', 'refunded', 'declined'))
    when 'stopped' then r.failure_code <> 'refunded' and r.updated_at > (select app_now()) - interval '30 days'
      and not exists (select 1 from balances b where b.account = r.account and b.plan_id = r.plan_id
        and date_trunc('milliseconds', b.expires_at) > r.period_end)
    else false end
$$;

-- Whether a value is beyond a threshold: below it for what runs out, at or above it for the rest. An open alert closes only once
-- the value is a tenth of the threshold on the good side, so that hovering at the line is one alert.
create or replace function is_crossed(p_kind text, p_value numeric, p_threshold int, p_open boolean) returns boolean language sql immutable as $$
  select case when p_kind in ('credits-below', 'credits-days', 'card-expiring', 'token-expiring', 'key-expiring')
    then p_value < p_threshold + case when p_open then greatest(p_threshold * 0.1, 1) else 0 end
    else p_value >= p_threshold - case when p_open then p_threshold * 0.1 else 0 end and p_value > 0 end
$$;

-- An account's own rules, and those of the service for kinds that it has none for. A rule for one object takes the place of the
-- rules for all objects.
create or replace function rules_of(p_account text, p_built_in jsonb)
returns table (rule_id text, kind text, object text, threshold int, email boolean, webhook boolean, is_on boolean) language sql stable as $$
  -- Earlier releases took any threshold for what only happens or does not, and so several rules of it.
  (select distinct on (r.kind, r.object, q.threshold) r.rule_id, r.kind, r.object, q.threshold, r.email, r.webhook, r.is_on
  from alert_rules r cross join lateral
    (select case when r.kind in ('payout-failed', 'webhook-disabled', 'domain-lost') then 1 else r.threshold end as threshold) q
  where r.account = p_account order by r.kind, r.object, q.threshold, r.is_on desc, r.threshold)
  union all
  select b->>'ruleId', b->>'kind', '', (b->>'threshold')::int, coalesce((b->>'email')::boolean, false), false, true from jsonb_array_elements(p_built_in) b
  where not exists (select 1 from alert_rules r where r.account = p_account and r.kind = b->>'kind' and r.object = '')
$$;

-- In plpgsql, because planning this takes longer than running it: a session plans it once. It must suit long tables too, of which
-- it reads the latest rows by index.
create or replace function evaluate_alerts(p_account text, p_built_in jsonb, p_slow boolean) returns void language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
begin
  with found as materialized (
    select * from alert_values(p_account) union all select * from slow_alert_values(p_account) where p_slow
  ), rules as materialized (
    select * from rules_of(p_account, p_built_in)
  ), applied as materialized (
    select r.*, f.object as subject, f.measure, f.name, f.value from rules r join found f on f.kind = r.kind
      and (r.object = f.object or r.object = '' and not exists (select 1 from rules o where o.kind = f.kind and o.object = f.object))
    where r.is_on
  ), closed as (
    update alerts a set closed_at = app_now()
    where a.account = p_account and a.closed_at is null
      and (p_slow or a.kind in ('credits-below', 'delegation-used', 'payout-failed'))
      -- A replica of an earlier release has no rules for later kinds, and leaves their alerts open.
      and a.kind in (select b->>'kind' from jsonb_array_elements(p_built_in) b)
      -- A hashed list: an account may have thousands of both.
      and (a.rule_id, a.object, a.measure) not in (select x.rule_id, x.subject, x.measure from applied x where is_crossed(x.kind, x.value, x.threshold, true))
  )
  insert into alerts (alert_id, account, rule_id, kind, object, measure, name, value, threshold, expires_at, email, webhook, created_at)
  select gen_random_uuid(), p_account, x.rule_id, x.kind, x.subject, x.measure, x.name, trim_scale(trunc(x.value, 1))::text, x.threshold,
    case when x.kind in ('card-expiring', 'token-expiring', 'key-expiring') then app_now() + make_interval(secs => (x.value * 86400)::float8) end,
    x.email and x.kind <> 'email-failing', x.webhook, app_now()
  from applied x where is_crossed(x.kind, x.value, x.threshold, false)
  on conflict (account, rule_id, object, measure) where closed_at is null do nothing;
end $$;

-- Makes accounts with news due. Apart from the looks: one that fails must not have the same news found again.
create or replace function find_news() returns void language plpgsql as $$
declare
  v_from bigint;
  v_to bigint;
begin
  select position into v_from from alert_cursor where id = 1 for update skip locked;
  if not found then return; end if;
  select max(position) into v_to from (select position from events where position > v_from order by position limit 5000) e;
  insert into alert_accounts (account, due_at, slow_at, seen_at, cards, cards_at)
  select a.address, app_now(), app_now(), app_now(), '[]', app_now()
  from (select distinct account from events where position > v_from and position <= v_to and type not like 'alert.%') e
    join accounts a on a.address = e.account and a.test_of is null order by 1
  -- An account whose calls never pause is looked at every few seconds, and one that was put off not before its time.
  on conflict (account) do update set seen_at = excluded.seen_at, due_at = least(alert_accounts.due_at, excluded.due_at +
      case when alert_accounts.seen_at > app_now() - interval '5 seconds' then interval '5 seconds' else interval '0' end),
    slow_at = least(alert_accounts.slow_at, excluded.slow_at + interval '1 minute')
  where alert_accounts.due_at <= alert_accounts.slow_at;
  update alert_cursor set position = v_to where id = 1 and v_to is not null;
end $$;

-- Looks at accounts that are due; how many. Each account is one replica's at a time.
create or replace function run_alerts(p_limit int, p_built_in jsonb) returns int language plpgsql as $$
declare
  v_done int := 0;
  v_slow boolean;
  v_start timestamptz := clock_timestamp();
  r record;
begin
  for r in select * from alert_accounts where due_at <= app_now() order by due_at limit p_limit for update skip locked loop
    v_slow := r.slow_at <= app_now();
    perform evaluate_alerts(r.account, p_built_in, v_slow);
    if v_slow then
      r.slow_at := app_now() + case when r.seen_at > app_now() - interval '1 hour'
        or exists (select 1 from alerts where account = r.account and closed_at is null) then interval '1 minute' else interval '15 minutes' end;
    end if;
    update alert_accounts set due_at = r.slow_at, slow_at = r.slow_at, late = case when not v_slow then late end where account = r.account;
    v_done := v_done + 1;
    exit when clock_timestamp() > v_start + interval '2 seconds';
  end loop;
  return v_done;
end $$;

-- Looks at an account with the next pass, at all of its rules.
create or replace function wake_alerts(p_account text) returns void language sql as $$
  insert into alert_accounts (account, due_at, slow_at, seen_at, cards, cards_at)
  select p_account, app_now(), app_now(), app_now(), '[]', app_now()
  on conflict (account) do update set due_at = excluded.due_at, slow_at = excluded.slow_at
$$;

-- A mail to the account's confirmed address, once for what it is about.
create or replace function queue_mail(p_account text, p_kind text, p_ref text) returns void language sql as $$
  insert into mails (mail_id, account, kind, ref, recipient, state, attempts, due_at, fence, created_at)
  select gen_random_uuid(), p_account, p_kind, p_ref, address, 'waiting', 0, app_now(), 0, app_now()
  from email_addresses where account = p_account and address is not null
  on conflict (kind, ref) do nothing
$$;

create or replace function announce_alert() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and new.email then
    perform queue_mail(new.account, 'alert', new.alert_id);
    -- Replicas of the release before these kinds, which call them trouble of the chain, have stopped by then.
    update mails set due_at = due_at + interval '15 minutes'
    where kind = 'alert' and ref = new.alert_id and new.kind in ('webhook-disabled', 'domain-lost', 'renewal-failing');
  end if;
  if new.webhook then
    perform queue_event(case when tg_op = 'INSERT' then 'alert.opened' else 'alert.closed' end, new.alert_id, array[new.account],
      jsonb_build_object('alertId', new.alert_id, 'ruleId', new.rule_id, 'kind', new.kind, 'object', nullif(new.object, ''),
        'name', new.name, 'value', new.value, 'threshold', new.threshold));
  end if;
  return null;
end $$;
create or replace trigger alert_opened after insert on alerts for each row execute function announce_alert();
create or replace trigger alert_closed after update of closed_at on alerts for each row
  when (old.closed_at is null and new.closed_at is not null) execute function announce_alert();

-- In the transaction of the request that waits: neither is without the other.
create or replace function announce_approval() returns trigger language plpgsql as $$
begin
  perform queue_mail(new.account, 'approval', new.approval_id);
  return null;
end $$;
create or replace trigger approval_asked after insert on approvals for each row execute function announce_approval();

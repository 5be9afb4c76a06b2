-- version 3, content 4575a94ce8a14845
-- version 1, content 0
-- Sums of requests by account, role and hour, written in the background. An answer adds what waits in the queues, so it
-- is exact however late the background is. `docs/adr/0130-sums-by-the-hour.md` says how.

-- How every request ended; one under way has no row. `is_fixed`: neither report nor ledger can change it any more.
-- Figures that read requests one by one say the same in `request-columns.ts`.
create or replace view request_ends as
  select s.request_key, s.builder, s.account, s.created_at as at, s.plan_id, coalesce(s.agent_id, r.agent_id) as agent_id,
    s.agent_id is null and r.agent_id is not null as is_agent_reported,
    s.account in (select t.address from accounts t where t.test_of is not null) as is_test,
    'settled' as status, true as is_delivered, s.amount as credits, s.agent_id is not null as is_fixed
  from settlements s
  left join request_reports r on r.request_key = s.request_key and not (r.money_status = 'refused' and r.cause is not null)
  union all
  select h.request_key, h.builder, h.account, h.created_at, h.plan_id, coalesce(h.agent_id, r.agent_id), false,
    h.account in (select t.address from accounts t where t.test_of is not null),
    case when h.state = 'released' then 'not-charged' when r.money_status in ('delivered-unsettled', 'not-charged') then r.money_status
      else 'unknown' end,
    h.state <> 'released' and coalesce(r.money_status = 'delivered-unsettled' or (r.money_status <> 'not-charged' and r.http_status between 200 and 299), false),
    h.amount, false
  from holds h
  left join request_reports r on r.request_key = h.request_key and not (r.money_status = 'refused' and r.cause is not null)
  where h.requests is null and h.state <> 'posted' and not (h.state = 'held' and r.request_key is null)
    and not exists (select 1 from settlements x where x.request_key = h.request_key)
  union all
  select r.request_key, r.builder, r.payer, r.at, r.plan_id, r.agent_id, false,
    coalesce(r.payer in (select t.address from accounts t where t.test_of is not null), false)
      or exists (select 1 from test_calls t where t.request_key = r.request_key),
    r.money_status, r.money_status = 'delivered-unsettled' or (r.money_status = 'unknown' and r.http_status between 200 and 299), 0, false
  from request_reports r
  where not exists (select 1 from holds x where x.request_key = r.request_key)
    and not exists (select 1 from settlements x where x.request_key = r.request_key);

-- Settlements that are not in the sums yet, and requests that may have changed since they were counted. A settlement
-- waits in the queue of events first, which its transaction writes.
create or replace view waiting_settlements as
  select s.* from (
    select unnest(refs) as id from event_queue where refs is not null
    union all
    select unnest(refs) from request_changes where is_settled
  ) q, lateral (select * from settlements x where x.settlement_id = q.id offset 0) s;

create or replace view waiting_requests as
  select request_key from waiting_settlements
  union
  select unnest(refs) from request_changes where not is_settled;

-- What the sums still lack: with `n` -1 where a request was counted as something else.
create or replace view waiting_ends as
  select s.builder, s.account, s.created_at as at, s.plan_id, s.agent_id, false as is_agent_reported,
    s.account in (select t.address from accounts t where t.test_of is not null) as is_test,
    'settled' as status, true as is_delivered, s.amount as credits, 1 as n
  from waiting_settlements s where s.agent_id is not null
  union all
  select e.builder, e.account, e.at, e.plan_id, e.agent_id, e.is_agent_reported, e.is_test, e.status, e.is_delivered, e.credits, 1
  from waiting_requests w, lateral (select * from request_ends x where x.request_key = w.request_key offset 0) e where not e.is_fixed
  union all
  select c.builder, c.account, c.at, c.plan_id, c.agent_id, c.is_agent_reported, c.is_test, c.status, c.is_delivered, c.credits, -1
  from waiting_requests w, lateral (select * from counted_requests x where x.request_key = w.request_key offset 0) c;

-- Since when sums may be read for a range that begins at `p_since`: what is older is read request by request.
create or replace function sums_since(p_since timestamptz) returns timestamptz language sql stable as $$
  select greatest(date_trunc('hour', p_since + interval '1 hour - 1 microsecond', 'UTC'),
    coalesce((select covered_from from request_sums_state where id = 1), 'infinity'))
$$;

create or replace function sums_closed_before() returns timestamptz language sql stable as $$
  select coalesce((select closed_before from request_sums_state where id = 1), '-infinity')
$$;

-- Sums of one side since an hour, with what waits.
create or replace function request_sums_of(p_account text, p_role text, p_since timestamptz) returns table (
  at timestamptz, plan_id text, agent_id text, is_agent_reported boolean, is_test boolean, status text, n bigint, delivered bigint, credits numeric
) language sql stable as $$
  select hour, plan_id, nullif(agent_id, ''), is_agent_reported, is_test, status, n, delivered, credits
  from request_sums where account = p_account and role = p_role and hour >= p_since
  union all
  select at, plan_id, agent_id, is_agent_reported, is_test, status, n, case when is_delivered then n else 0 end, n * credits
  from waiting_ends
  where case p_role when 'builder' then builder else account end = p_account and at >= greatest(p_since, sums_closed_before())
$$;

create or replace function add_to_sums(p_more counted_requests[], p_less counted_requests[]) returns void language sql as $$
  with change as (
    select c.*, 1 as n from unnest(p_more) c union all select c.*, -1 from unnest(p_less) c
  ), side as (
    select builder as of, 'builder' as role, is_test as is_test_call, * from change
    union all
    select account, 'subscriber', false, * from change where account is not null
  )
  insert into request_sums (account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status, n, delivered, credits)
  select of, role, date_trunc('hour', at, 'UTC'), coalesce(plan_id, ''), coalesce(agent_id, ''), is_agent_reported, is_test_call, status,
    sum(n), coalesce(sum(n) filter (where is_delivered), 0), sum(n * credits)
  from side group by 1, 2, 3, 4, 5, 6, 7, 8 having sum(n) <> 0 or sum(n * credits) <> 0
    or coalesce(sum(n) filter (where is_delivered), 0) <> 0
  order by 1, 2, 3, 4, 5, 6, 7, 8
  on conflict (account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status) do update
  set n = request_sums.n + excluded.n, delivered = request_sums.delivered + excluded.delivered, credits = request_sums.credits + excluded.credits
$$;

-- Counts the requests of one more day backwards; whether there are more days to count. No figure reads further back
-- than two ranges of thirty days.
create or replace function cover_a_day() returns boolean language plpgsql as $$
declare
  v_until timestamptz;
  v_from timestamptz;
  v_new counted_requests[];
begin
  insert into request_sums_state (id, covered_from, closed_before) values (1, 'infinity', '-infinity') on conflict do nothing;
  select covered_from into v_until from request_sums_state where id = 1;
  if v_until <= date_trunc('day', app_now(), 'UTC') - interval '65 days' then return false; end if;
  -- No event may be numbered meanwhile by the function of an earlier release, which does not hand its settlements on.
  if v_until = 'infinity' and not pg_try_advisory_xact_lock(7402002) then return true; end if;
  v_from := case when v_until = 'infinity' then date_trunc('day', app_now(), 'UTC') else v_until - interval '1 day' end;
  if not exists (select 1 from settlements) and not exists (select 1 from holds) and not exists (select 1 from request_reports) then
    v_from := v_from - interval '70 days';
  end if;
  v_new := array(
    select row(e.request_key, e.builder, e.account, e.at, e.plan_id, e.agent_id, e.is_agent_reported, e.is_test, e.status, e.is_delivered, e.credits)::counted_requests
    from request_ends e where e.at >= v_from and e.at < v_until and not e.is_fixed
      and not exists (select 1 from counted_requests c where c.request_key = e.request_key));
  insert into counted_requests select (c).* from unnest(v_new) c;
  perform add_to_sums(v_new, null);
  with fixed as (
    select s.account, s.builder, date_trunc('hour', s.created_at, 'UTC') as hour, s.plan_id, s.agent_id,
      s.account in (select t.address from accounts t where t.test_of is not null) as is_test, s.amount
    from settlements s where s.created_at >= v_from and s.created_at < v_until and s.agent_id is not null
      and s.settlement_id not in (select settlement_id from waiting_settlements)
  )
  insert into request_sums (account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status, n, delivered, credits)
  select account, role, hour, plan_id, agent_id, false, is_test, 'settled', count(*), count(*), sum(amount)
  from (
    select builder as account, 'builder' as role, hour, plan_id, agent_id, is_test, amount from fixed
    union all
    select account, 'subscriber', hour, plan_id, agent_id, false, amount from fixed
  ) side group by 1, 2, 3, 4, 5, 7
  on conflict (account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status) do update
  set n = request_sums.n + excluded.n, delivered = request_sums.delivered + excluded.delivered, credits = request_sums.credits + excluded.credits;
  update request_sums_state set covered_from = v_from where id = 1;
  return true;
end $$;

-- Adds what waits to the sums; whether there is more. One at a time, of all replicas.
create or replace function sum_requests(p_limit int) returns boolean language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_ids bigint[];
  v_settled text[];
  v_keys text[];
  v_new counted_requests[];
  v_old counted_requests[];
  v_fixed counted_requests[];
  v_from timestamptz;
begin
  if not pg_try_advisory_xact_lock(7402003) then return false; end if;
  if cover_a_day() then return true; end if;
  select greatest(covered_from, closed_before) into v_from from request_sums_state where id = 1;
  with taken as (
    delete from request_changes where id in (select id from request_changes order by id limit p_limit) returning *
  )
  select array_agg(id), array_agg(ref) filter (where is_settled), array_agg(ref) filter (where not is_settled)
  into v_ids, v_settled, v_keys from taken, unnest(refs) ref;
  if v_ids is null then return false; end if;
  v_fixed := array(
    select row(s.request_key, s.builder, s.account, s.created_at, s.plan_id, s.agent_id, false,
      s.account in (select t.address from accounts t where t.test_of is not null), 'settled', true, s.amount)::counted_requests
    from unnest(v_settled) id, lateral (select * from settlements x where x.settlement_id = id offset 0) s
    where s.agent_id is not null and s.created_at >= v_from);
  v_keys := array(
    select s.request_key from unnest(v_settled) id, lateral (select x.request_key from settlements x where x.settlement_id = id offset 0) s
    union select unnest(v_keys));
  with gone as (delete from counted_requests c where c.request_key = any (v_keys) returning c.*)
  select array_agg(row(gone.*)::counted_requests) filter (where gone.at >= v_from) into v_old from gone;
  v_new := array(
    select row(e.request_key, e.builder, e.account, e.at, e.plan_id, e.agent_id, e.is_agent_reported, e.is_test, e.status, e.is_delivered, e.credits)::counted_requests
    from unnest(v_keys) k, lateral (select * from request_ends x where x.request_key = k offset 0) e
    where not e.is_fixed and e.at >= v_from);
  insert into counted_requests select (c).* from unnest(v_new) c;
  perform add_to_sums(v_new || v_fixed, v_old);
  return cardinality(v_ids) >= p_limit;
end $$;

-- Reports and what tests sent come by these; the ledger's own functions queue what they change themselves.
create or replace function queue_reported() returns trigger language plpgsql as $$
begin
  insert into request_changes (is_settled, refs) select false, array_agg(request_key) from written where request_key is not null having count(request_key) > 0;
  return null;
end $$;
create or replace trigger report_sums after insert on request_reports
  referencing new table as written for each statement execute function queue_reported();
create or replace trigger report_update_sums after update on request_reports
  referencing new table as written for each statement execute function queue_reported();
create or replace trigger test_call_sums after update on test_calls
  referencing new table as written for each statement execute function queue_reported();

-- The sums and what waits are what the ledger and the reports say, in every hour that they cover and that is not closed.
create or replace view inv_request_sums as
  with ends as (
    select builder, account, at, plan_id, agent_id, is_agent_reported, is_test, status, is_delivered, credits, -1 as n from request_ends
    union all
    select * from waiting_ends
  ), side as (
    select builder as account, 'builder' as role, at, plan_id, agent_id, is_agent_reported, is_test, status, n, is_delivered, credits from ends
    union all
    select account, 'subscriber', at, plan_id, agent_id, is_agent_reported, false, status, n, is_delivered, credits from ends where account is not null
  ), cell as (
    select account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status, n, delivered, credits from request_sums
    union all
    select account, role, date_trunc('hour', at, 'UTC'), coalesce(plan_id, ''), coalesce(agent_id, ''), is_agent_reported, is_test, status, n,
      case when is_delivered then n else 0 end, n * credits from side
  )
  select account, role, hour, plan_id, agent_id, status from cell
  where hour >= greatest(sums_since('-infinity'), sums_closed_before())
  group by account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status
  having sum(n) <> 0 or sum(delivered) <> 0 or sum(credits) <> 0;

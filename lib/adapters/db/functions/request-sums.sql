-- version 17, content da6d85df7513b65f
-- Sums of requests by account, role and hour, for accounts with many, written in the background. An answer adds what waits in the queues, so it
-- is exact however late the background is. `docs/adr/0130-sums-by-the-hour.md` says how.

-- How every request ended; one under way has no row. `is_fixed`: neither report nor ledger can change it any more.
-- Figures that read requests one by one say the same in `request-columns.ts`. The last five are for `unpaid-sums.sql`.
create or replace view request_ends as
  select s.request_key, s.builder, s.account, s.created_at as at, s.plan_id, coalesce(s.agent_id, r.agent_id) as agent_id,
    s.agent_id is null and r.agent_id is not null as is_agent_reported,
    s.account in (select t.address from accounts t where t.test_of is not null) as is_test,
    'settled' as status, true as is_delivered, s.amount as credits, s.agent_id is not null as is_fixed,
    s.agent_id is not null as is_agent_proven, false as is_public, r.cause, r.reason, r.method || ' ' || r.path as route
  from settlements s
  left join request_reports r on r.request_key = s.request_key and not (r.money_status = 'refused' and r.cause is not null)
  union all
  select h.request_key, h.builder, h.account, h.created_at, h.plan_id, coalesce(h.agent_id, r.agent_id), false,
    h.account in (select t.address from accounts t where t.test_of is not null),
    case when h.state = 'released' then 'not-charged' when r.money_status in ('delivered-unsettled', 'not-charged') then r.money_status
      else 'unknown' end,
    h.state <> 'released' and coalesce(r.money_status = 'delivered-unsettled' or (r.money_status <> 'not-charged' and r.http_status between 200 and 299), false),
    h.amount, false,
    h.agent_id is not null, h.state <> 'held' and h.account <> h.builder, r.cause, r.reason, r.method || ' ' || r.path
  from holds h
  left join request_reports r on r.request_key = h.request_key and not (r.money_status = 'refused' and r.cause is not null)
  where h.requests is null and h.state <> 'posted' and not (h.state = 'held' and r.request_key is null)
    and not exists (select 1 from settlements x where x.request_key = h.request_key)
  union all
  select r.request_key, r.builder, r.payer, r.at, r.plan_id, r.agent_id, false,
    coalesce(r.payer in (select t.address from accounts t where t.test_of is not null), false)
      or exists (select 1 from test_calls t where t.request_key = r.request_key),
    r.money_status, r.money_status = 'delivered-unsettled' or (r.money_status = 'unknown' and r.http_status between 200 and 299), 0, false,
    false, false, r.cause, r.reason, r.method || ' ' || r.path
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

-- The same for each side: a builder's without those of test customers can be told apart.
create or replace view request_sides as
  select request_key, builder as account, 'builder' as role, at, plan_id, agent_id, is_agent_reported, is_test, status, is_delivered,
    credits, is_fixed from request_ends
  union all
  select request_key, account, 'subscriber', at, plan_id, agent_id, is_agent_reported, false, status, is_delivered,
    credits, is_fixed from request_ends where account is not null;

-- What the sums still lack: with `n` -1 where a request was counted as something else.
create or replace view waiting_sides as
  select side.account, side.role, s.created_at as at, s.plan_id, s.agent_id, false as is_agent_reported, side.is_test,
    'settled' as status, true as is_delivered, s.amount as credits, 1 as n
  from waiting_settlements s, lateral (
    select s.builder as account, 'builder' as role, s.account in (select t.address from accounts t where t.test_of is not null) as is_test
    union all
    select s.account, 'subscriber', false
  ) side where s.agent_id is not null
  union all
  select e.account, e.role, e.at, e.plan_id, e.agent_id, e.is_agent_reported, e.is_test, e.status, e.is_delivered, e.credits, 1
  from waiting_requests w, lateral (select * from request_sides x where x.request_key = w.request_key offset 0) e where not e.is_fixed
  union all
  select c.account, c.role, c.at, c.plan_id, c.agent_id, c.is_agent_reported, c.is_test, c.status, c.is_delivered, c.credits, -1
  from waiting_requests w, lateral (select * from counted_requests x where x.request_key = w.request_key offset 0) c;

-- Since when sums of a side may be read for a range that begins at `p_since`: what is older is read request by request.
create or replace function sums_since(p_account text, p_role text, p_since timestamptz) returns timestamptz language sql stable as $$
  select greatest(date_trunc('hour', p_since + interval '1 hour - 1 microsecond', 'UTC'),
    coalesce((select covered_from from summed_accounts where account = p_account and role = p_role), 'infinity'))
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
  from waiting_sides
  where p_since < 'infinity' and account = p_account and role = p_role and at >= greatest(p_since, sums_closed_before())
$$;

drop function if exists add_to_sums(counted_requests[], counted_requests[]);
create or replace function add_to_sums(p_more counted_requests[], p_less counted_requests[], p_sums request_sums[]) returns void language sql as $$
  insert into request_sums (account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status, n, delivered, credits)
  select account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status, sum(n), sum(delivered), sum(credits)
  from (
    select account, role, date_trunc('hour', at, 'UTC') as hour, coalesce(plan_id, '') as plan_id, coalesce(agent_id, '') as agent_id, is_agent_reported,
      is_test, status, n, case when is_delivered then n else 0 end as delivered, n * credits as credits
    from (select c.*, 1 as n from unnest(p_more) c union all select c.*, -1 from unnest(p_less) c) change
    union all
    select * from unnest(p_sums)
  ) cell
  group by 1, 2, 3, 4, 5, 6, 7, 8
  having sum(n) <> 0 or sum(credits) <> 0 or sum(delivered) <> 0
  order by 1, 2, 3, 4, 5, 6, 7, 8
  on conflict (account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status) do update
  set n = request_sums.n + excluded.n, delivered = request_sums.delivered + excluded.delivered, credits = request_sums.credits + excluded.credits
$$;

-- Counts one more day backwards of a side whose sums began; whether it did. No figure reads further back than two ranges
-- of thirty days. `p_any` takes any side, not the newest: one that fails must not keep the others.
drop function if exists cover_a_day();
create or replace function cover_a_day(p_any boolean) returns boolean language plpgsql
set jit = off set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_hashjoin = on set enable_mergejoin = on as $$
declare
  v_horizon timestamptz := date_trunc('day', app_now(), 'UTC') - interval '65 days';
  v_side summed_accounts;
  v_from timestamptz;
  v_new counted_requests[];
begin
  if p_any then select * into v_side from summed_accounts where covered_from > v_horizon order by random() limit 1;
  else select * into v_side from summed_accounts where covered_from > v_horizon order by covered_from desc limit 1;
  end if;
  if v_side.account is null then return false; end if;
  -- No event may be numbered meanwhile by the function of an earlier release, which does not hand its settlements on.
  if v_side.covered_from = 'infinity' and not pg_try_advisory_xact_lock(7402002) then return false; end if;
  v_from := case when v_side.covered_from = 'infinity' then date_trunc('day', app_now(), 'UTC') else v_side.covered_from - interval '1 day' end;
  if not exists (select 1 from request_sides where account = v_side.account and role = v_side.role and at < v_from) then
    v_from := least(v_from, v_horizon);
  end if;
  v_new := array(
    select row(e.request_key, e.account, e.role, e.at, e.plan_id, e.agent_id, e.is_agent_reported, e.is_test, e.status, e.is_delivered, e.credits)::counted_requests
    from request_sides e where e.account = v_side.account and e.role = v_side.role and e.at >= v_from and e.at < v_side.covered_from and not e.is_fixed
      and not exists (select 1 from counted_requests c where c.request_key = e.request_key and c.role = e.role));
  insert into counted_requests select (c).* from unnest(v_new) c;
  perform add_to_sums(v_new, null, null);
  insert into request_sums (account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status, n, delivered, credits)
  select v_side.account, v_side.role, date_trunc('hour', created_at, 'UTC'), plan_id, agent_id, false,
    v_side.role = 'builder' and account in (select t.address from accounts t where t.test_of is not null), 'settled', count(*), count(*), sum(amount)
  from (
    select * from settlements where v_side.role = 'builder' and builder = v_side.account
    union all
    select * from settlements where v_side.role = 'subscriber' and account = v_side.account
  ) s
  where created_at >= v_from and created_at < v_side.covered_from and agent_id is not null
    and settlement_id not in (select settlement_id from waiting_settlements)
  group by 3, 4, 5, 7
  on conflict (account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status) do update
  set n = request_sums.n + excluded.n, delivered = request_sums.delivered + excluded.delivered, credits = request_sums.credits + excluded.credits;
  update summed_accounts set covered_from = v_from where account = v_side.account and role = v_side.role;
  return true;
end $$;

-- Covers one more day of a side, apart from what waits: a day with too many requests would undo that of everyone. One at a time, of
-- all replicas.
create or replace function cover_sums(p_any boolean, p_unpaid boolean) returns boolean language plpgsql as $$
begin
  return pg_try_advisory_xact_lock(7402003) and case when p_unpaid then cover_unpaid(p_any) else cover_a_day(p_any) end;
end $$;

-- Adds what waits to the sums; whether there is more. One at a time, of all replicas. Sums of a side begin once it had `p_busy`
-- requests: before, they would be as many rows as the requests.
create or replace function sum_requests(p_limit int, p_busy bigint) returns boolean language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_taken int;
  v_settled text[];
  v_changed text[];
  v_keys text[];
  v_open text[];
  v_new counted_requests[];
  v_old counted_requests[];
  v_fixed request_sums[];
  v_closed timestamptz := sums_closed_before();
begin
  if not pg_try_advisory_xact_lock(7402003) then return false; end if;
  with taken as (
    delete from request_changes where id in (select id from request_changes order by id limit p_limit) returning *
  )
  select count(distinct id), array_agg(ref) filter (where is_settled), array_agg(ref) filter (where not is_settled)
  into v_taken, v_settled, v_changed from taken, unnest(refs) ref;
  if v_taken > 0 then
    with settled as materialized (
      select s.* from unnest(v_settled) id, lateral (select request_key, builder, account, plan_id, agent_id, created_at, amount
        from settlements x where x.settlement_id = id offset 0) s
    ), hourly as (
      select builder, account, plan_id, agent_id, date_trunc('hour', created_at, 'UTC') as hour, count(*) as n, sum(amount) as credits
      from settled where agent_id is not null group by 1, 2, 3, 4, 5
    )
    select array(select request_key from settled union select unnest(v_changed)),
      array(select request_key from settled where agent_id is null union select unnest(v_changed)),
      array(select row(side.account, side.role, h.hour, h.plan_id, h.agent_id, false, side.is_test, 'settled', h.n, h.n, h.credits)::request_sums
        from hourly h, lateral (
          select h.builder as account, 'builder' as role, h.account in (select t.address from accounts t where t.test_of is not null) as is_test
          union all
          select h.account, 'subscriber', false) side)
    into v_keys, v_open, v_fixed;
    with gone as (delete from counted_requests c where c.request_key = any (v_keys) returning c.*)
    select array_agg(row(gone.*)::counted_requests) filter (where gone.at >= v_closed) into v_old from gone;
    v_new := array(
      select row(e.request_key, e.account, e.role, e.at, e.plan_id, e.agent_id, e.is_agent_reported, e.is_test, e.status, e.is_delivered, e.credits)::counted_requests
      from unnest(v_open) k, lateral (select * from request_sides x where x.request_key = k offset 0) e
      where not e.is_fixed and e.at >= v_closed);
    insert into summed_accounts as q (account, role, seen, covered_from, unpaid_from)
    select account, role, sum(n), case when sum(n) >= p_busy then timestamptz 'infinity' end, case when sum(n) >= p_busy then timestamptz 'infinity' end
    from (select account, role, 1 as n from unnest(v_new) union all select account, role, n from unnest(v_fixed)) c group by 1, 2 order by 1, 2
    on conflict (account, role) do update set seen = q.seen + excluded.seen,
      covered_from = coalesce(q.covered_from, case when q.seen + excluded.seen >= p_busy then timestamptz 'infinity' end),
      unpaid_from = coalesce(q.unpaid_from, case when q.covered_from is not null or q.seen + excluded.seen >= p_busy then timestamptz 'infinity' end);
    v_new := array(select c from unnest(v_new) c where c.at >= (select covered_from from summed_accounts q where q.account = c.account and q.role = c.role));
    -- Sums begin at a full hour.
    v_fixed := array(select c from unnest(v_fixed) c where c.hour >= (select covered_from from summed_accounts q where q.account = c.account and q.role = c.role));
    insert into counted_requests select (c).* from unnest(v_new) c;
    perform add_to_sums(v_new, v_old, v_fixed);
    perform count_unpaid(v_keys, v_changed);
  end if;
  return v_taken >= p_limit;
end $$;

-- Deletes reports older than some days, a bounded number at a time, and what sums no longer need; how many reports. The
-- hours they belong to are closed first, for all accounts. Those of an account stay until its sums cover what of them they ever cover
-- (65 days). An hour lies between, so that a report whose gate's clock was behind is not of an hour that is still compared.
create or replace function delete_old_reports(p_days int, p_limit int) returns int language plpgsql as $$
declare
  v_closed timestamptz := date_trunc('hour', app_now() - make_interval(days => p_days), 'UTC');
  v_covered timestamptz := greatest(v_closed, date_trunc('day', app_now(), 'UTC') - interval '65 days');
  v_sums_from timestamptz := least(v_closed, app_now() - interval '70 days');
  v_behind text[] := array(select account from summed_accounts where covered_from > v_covered or unpaid_from > v_covered);
  v_deleted int;
begin
  if not pg_try_advisory_xact_lock(7402003) then return 0; end if;
  insert into request_sums_state as s (id, closed_before) values (1, v_closed)
  on conflict (id) do update set closed_before = excluded.closed_before where s.closed_before < excluded.closed_before;
  -- All count: a request has several rows here and at most one report, so reports alone would leave the rest behind.
  with counted as (
    delete from counted_requests where ctid = any (array(select ctid from counted_requests where at < v_closed order by at limit p_limit)) returning 1
  ), sums as (
    delete from request_sums where ctid = any (array(select ctid from request_sums where hour < v_sums_from limit p_limit)) returning 1
  ), unpaid as (
    delete from counted_unpaid where ctid = any (array(select ctid from counted_unpaid where at < v_closed order by at limit p_limit)) returning 1
  ), unpaid_hours as (
    delete from unpaid_sums where ctid = any (array(select ctid from unpaid_sums where hour < v_sums_from limit p_limit)) returning 1
  ), reports as (
    delete from request_reports where request_key in
      (select request_key from request_reports r where at < v_closed - interval '1 hour' and builder <> all (v_behind) and (v_behind = '{}'
        or not exists (select 1 from request_ends e where e.request_key = r.request_key and e.account = any (v_behind) offset 0)) order by at limit p_limit) returning 1
  ) select (select count(*) from counted) + (select count(*) from sums) + (select count(*) from unpaid) + (select count(*) from unpaid_hours)
    + (select count(*) from reports) into v_deleted;
  return v_deleted;
end $$;

-- Reports and what tests sent come by these; the ledger's own functions queue what they change themselves. A settlement with its
-- agent counts the same whatever is reported of it, so its report queues nothing.
create or replace function queue_reported() returns trigger language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  insert into request_changes (is_settled, refs) select false, array_agg(request_key) from written w
  where request_key is not null and (select s.agent_id from settlements s where s.request_key = w.request_key) is null having count(*) > 0;
  return null;
end $$;
create or replace trigger report_sums after insert on request_reports
  referencing new table as written for each statement execute function queue_reported();
create or replace trigger report_update_sums after update on request_reports
  referencing new table as written for each statement execute function queue_reported();
create or replace trigger test_call_sums after update on test_calls
  referencing new table as written for each statement execute function queue_reported();

-- Credits of one request are bounded, their sum is not. The sums and what waits are what the ledger and the reports say, in every hour that they cover and that is not closed.
create or replace view inv_request_sums as
  with cell as (
    select account, role, hour, plan_id, agent_id, is_agent_reported, is_test, status, n, delivered, credits from request_sums
    union all
    select account, role, date_trunc('hour', at, 'UTC'), coalesce(plan_id, ''), coalesce(agent_id, ''), is_agent_reported, is_test, status, n,
      case when is_delivered then n else 0 end, n * credits
    from (
      select account, role, at, plan_id, agent_id, is_agent_reported, is_test, status, is_delivered, credits, -1 as n from request_sides
      union all
      select * from waiting_sides
    ) side
  )
  select account, role, c.hour, c.plan_id, c.agent_id, c.status from cell c join summed_accounts q using (account, role)
  where q.covered_from is not null and c.hour >= greatest(q.covered_from, sums_closed_before())
  group by account, role, c.hour, c.plan_id, c.agent_id, c.is_agent_reported, c.is_test, c.status
  having sum(c.n) <> 0 or sum(c.delivered) <> 0 or sum(c.credits) <> 0;

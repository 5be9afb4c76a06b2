-- version 5, content 1503d9a7a3579f07
-- Sums of unpaid requests by account, role, hour and cause, beside those of `request-sums.sql`, whose background hands on what changed. They are
-- separate because most requests are paid and have no cause. `docs/adr/0162-sums-of-unpaid-requests.md` says how.

-- Requests that a side was not paid for, as the columns of `counted_unpaid`.
create or replace view unpaid_sides as
  select request_key, account, role, plan_id, agent_id, is_agent_proven, is_test, is_public, status, cause, reason, at, payer, route,
    hashtextextended(concat_ws(chr(31), status, cause, reason, is_test, payer, route, plan_id, agent_id), 0) as source
  from (
    select e.request_key, e.builder as account, 'builder' as role, coalesce(e.plan_id, '') as plan_id, coalesce(e.agent_id, '') as agent_id,
      e.is_agent_proven, e.is_test, e.is_public, e.status, coalesce(e.cause, '') as cause,
      case when e.reason ~ '^written off(:|$)' then 'written off' else coalesce(e.reason, '') end as reason, e.at,
      coalesce(e.account, '') as payer, coalesce(e.route, '') as route
    from request_ends e
    union all
    select e.request_key, e.account, 'subscriber', coalesce(e.plan_id, ''), coalesce(e.agent_id, ''),
      e.is_agent_proven, false, e.is_public, e.status, coalesce(e.cause, ''),
      case when e.reason ~ '^written off(:|$)' then 'written off' else coalesce(e.reason, '') end, e.at,
      e.account, coalesce(e.route, '')
    from request_ends e where e.account is not null
  ) side
  where status in ('refused', 'not-charged', 'delivered-unsettled', 'unknown');

-- What these sums still lack: with `n` -1 where a request was counted as something else. A new settlement only takes away: it is paid.
create or replace view waiting_unpaid as
  select u.*, 1 as n from (select distinct unnest(refs) as request_key from request_changes where not is_settled) w, lateral (select * from unpaid_sides x where x.request_key = w.request_key offset 0) u
  union all
  select c.*, -1 from waiting_requests w, lateral (select * from counted_unpaid x where x.request_key = w.request_key offset 0) c;

-- Since when these sums of a side may be read for a range that begins at `p_since`.
create or replace function unpaid_since(p_account text, p_role text, p_since timestamptz) returns timestamptz language sql stable as $$
  select greatest(date_trunc('hour', p_since + interval '1 hour - 1 microsecond', 'UTC'),
    coalesce((select unpaid_from from summed_accounts where account = p_account and role = p_role), 'infinity'))
$$;

-- Unpaid requests of one side since an hour, with what waits.
create or replace function unpaid_sums_of(p_account text, p_role text, p_since timestamptz) returns table (
  at timestamptz, plan_id text, agent_id text, is_agent_proven boolean, is_test boolean, is_public boolean, status text, cause text, reason text, n bigint
) language sql stable as $$
  select hour, plan_id, agent_id, is_agent_proven, is_test, is_public, status, cause, reason, n
  from unpaid_sums where account = p_account and role = p_role and hour >= p_since
  union all
  select at, plan_id, agent_id, is_agent_proven, is_test, is_public, status, cause, reason, n
  from waiting_unpaid
  where p_since < 'infinity' and account = p_account and role = p_role and at >= greatest(p_since, sums_closed_before())
$$;

-- At least the newest request of each cause, payer, route, plan and agent of a side since an hour. It steps through the index from one to the
-- next, so it costs by how many there are and not by their requests; of ten thousand on, as of paths that hold ids, it reads the requests.
create or replace function unpaid_sources(p_account text, p_role text, p_since timestamptz) returns setof counted_unpaid language sql stable as $$
  with recursive waiting as materialized (
    select request_key from waiting_requests where p_since < 'infinity'
  ), newest as (
    (select 1 as step, c as request from counted_unpaid c
      where p_since < 'infinity' and c.account = p_account and c.role = p_role and c.request_key not in (select request_key from waiting)
      order by c.source, c.at desc limit 1)
    union all
    select newest.step + 1, next.request from newest, lateral (
      select c as request from counted_unpaid c
      where c.account = p_account and c.role = p_role and c.source > (newest.request).source and c.request_key not in (select request_key from waiting)
      order by c.source, c.at desc limit 1) next
    where newest.step < 10000
  ), many as materialized (
    select count(*) = 10000 as is_so from newest
  )
  select (request).* from newest where (request).at >= p_since and not (select is_so from many)
  union all
  select c.* from counted_unpaid c
  where (select is_so from many) and c.account = p_account and c.role = p_role and c.at >= p_since and c.request_key not in (select request_key from waiting)
  union all
  select request_key, account, role, plan_id, agent_id, is_agent_proven, is_test, is_public, status, cause, reason, at, payer, route, source
  from waiting_unpaid
  where n = 1 and p_since < 'infinity' and account = p_account and role = p_role and at >= greatest(p_since, sums_closed_before())
$$;

create or replace function add_to_unpaid_sums(p_more counted_unpaid[], p_less counted_unpaid[]) returns void language sql as $$
  insert into unpaid_sums (account, role, plan_id, agent_id, is_agent_proven, is_test, is_public, status, cause, reason, hour, n)
  select account, role, plan_id, agent_id, is_agent_proven, is_test, is_public, status, cause, reason, date_trunc('hour', at, 'UTC'), sum(change.n)
  from (select c.*, 1 as n from unnest(p_more) c union all select c.*, -1 from unnest(p_less) c) change
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 having sum(change.n) <> 0
  order by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  on conflict (account, role, hour, plan_id, agent_id, is_agent_proven, is_test, is_public, status, cause, reason) do update
  set n = unpaid_sums.n + excluded.n
$$;

-- Counts requests again that may have changed: `p_keys` are those that may have been counted, `p_changed` those of them that may be unpaid now.
create or replace function count_unpaid(p_keys text[], p_changed text[]) returns void language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_new counted_unpaid[];
  v_old counted_unpaid[];
  v_closed timestamptz := sums_closed_before();
begin
  with gone as (delete from counted_unpaid c where c.request_key = any (p_keys) returning c.*)
  select array_agg(row(gone.*)::counted_unpaid) filter (where gone.at >= v_closed) into v_old from gone;
  v_new := array(
    select row(u.*)::counted_unpaid
    from (select distinct key from unnest(p_changed) key) k, lateral (select * from unpaid_sides x where x.request_key = k.key offset 0) u
    where u.at >= v_closed and u.at >= (select q.unpaid_from from summed_accounts q where q.account = u.account and q.role = u.role));
  insert into counted_unpaid select (c).* from unnest(v_new) c;
  perform add_to_unpaid_sums(v_new, v_old);
end $$;

-- Counts one more day backwards of a side whose sums began, or all days of one with few unpaid requests; whether it did. As far back as `cover_a_day`.
drop function if exists cover_unpaid();
create or replace function cover_unpaid(p_any boolean) returns boolean language plpgsql
set jit = off set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  v_horizon timestamptz := date_trunc('day', app_now(), 'UTC') - interval '65 days';
  v_side summed_accounts;
  v_from timestamptz;
  v_new counted_unpaid[];
begin
  if p_any then select * into v_side from summed_accounts where unpaid_from > v_horizon order by random() limit 1;
  else select * into v_side from summed_accounts where unpaid_from > v_horizon order by unpaid_from desc limit 1;
  end if;
  if v_side.account is null then return false; end if;
  if v_side.unpaid_from < 'infinity' then v_from := v_side.unpaid_from - interval '1 day';
  -- What is seen says nothing about a history of unpaid requests, and so much of it takes longer than a statement may.
  elsif v_side.seen < 50000 and 50000 >= (select count(*) from (
    select 1 from unpaid_sides where account = v_side.account and role = v_side.role and at >= v_horizon limit 50001) few) then v_from := v_horizon;
  else v_from := date_trunc('day', app_now(), 'UTC');
  end if;
  if not exists (select 1 from unpaid_sides where account = v_side.account and role = v_side.role and at < v_from) then
    v_from := least(v_from, v_horizon);
  end if;
  v_new := array(
    select row(u.*)::counted_unpaid
    from unpaid_sides u where u.account = v_side.account and u.role = v_side.role and u.at >= v_from and u.at < v_side.unpaid_from
      and not exists (select 1 from counted_unpaid c where c.request_key = u.request_key and c.role = u.role));
  insert into counted_unpaid select (c).* from unnest(v_new) c;
  perform add_to_unpaid_sums(v_new, null);
  update summed_accounts set unpaid_from = v_from where account = v_side.account and role = v_side.role;
  return true;
end $$;

-- In every hour that they cover and that is not closed, the sums are what was counted, and that with what waits is what the ledger and the
-- reports say.
create or replace view inv_unpaid_sums as
  with cell as (
    select hour, account, role, plan_id, agent_id, is_agent_proven, is_test, is_public, status, cause, reason, '' as request_key, 0 as source, n
    from unpaid_sums
    union all
    select date_trunc('hour', at, 'UTC'), account, role, plan_id, agent_id, is_agent_proven, is_test, is_public, status, cause, reason, '', 0, -1
    from counted_unpaid
    union all
    select at, account, role, plan_id, agent_id, is_agent_proven, is_test, is_public, status, cause, reason, request_key, source, n
    from (
      select *, 1 as n from counted_unpaid
      union all select * from waiting_unpaid
      union all select *, -1 from unpaid_sides
    ) each
  )
  select account, role, c.hour, c.plan_id, c.agent_id, c.status, c.cause, c.request_key from cell c join summed_accounts q using (account, role)
  where q.unpaid_from is not null and c.hour >= greatest(q.unpaid_from, sums_closed_before())
  group by account, role, c.hour, c.plan_id, c.agent_id, c.is_agent_proven, c.is_test, c.is_public, c.status, c.cause, c.reason, c.request_key, c.source
  having sum(c.n) <> 0;

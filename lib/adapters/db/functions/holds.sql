-- version 23, content 991e0e86248a07a5
select create_type('hold_entry', 'ord int, builder text, agent_request_id text, account text, plan_id text, agent_id text, jti text,
  amount numeric, scheme text, expires_at timestamptz, outcome text, remaining numeric');
select add_attribute('hold_entry', 'plan_version int'), add_attribute('hold_entry', 'requests int');

-- What each hold of a batch comes to, one after another, under the locks. Reads only. A builder may reserve for 256 requests of a token at
-- once, or 20,000 of one that allows leases; until the subscriber has paid for a request of the plan, a quarter of the
-- credits, or four requests. A lease is a hold of several requests at one price, and counts as all of them. Runs with the settings of
-- `hold_set`.
create or replace function decide_holds(p_rows jsonb, p_now timestamptz) returns hold_entry[] language plpgsql as $$
declare
  v_all hold_entry[] := '{}';
  v_row record;
  v_account text;
  v_plan text;
  v_available numeric;
  v_held numeric;
  -- How many requests of each token are held in this batch.
  v_counts jsonb := '{}';
  v_open int;
  v_ids text[] := '{}';
  v_id text;
  v_outcome text;
begin
  for v_row in
    select r.*, coalesce(r.requests, 1) as n, t.redemptions_left, t.open, t.most, t.is_new and r.amount > 0 as is_new,
      coalesce(t.is_live and b.is_live, false) as is_live, b.available, b.held, h.is_taken, x.settlement_id is not null as is_settled
    from jsonb_to_recordset(p_rows) as r(ord int, builder text, "agentRequestId" text, account text, "planId" text,
      "agentId" text, jti text, amount numeric, scheme text, "ttlMs" bigint, "planVersion" int, requests int)
    left join lateral (select q.redemption_limit - q.redeemed - q.reserved as redemptions_left, q.reserved as open,
        case when q.lease_secs > 0 then 20000 else 256 end as most,
        q.redeemed = 0 and not exists (select 1 from tokens o
          where o.account = q.account and o.plan_id = q.plan_id and o.redeemed > 0) as is_new,
        q.revoked_at is null and q.expires_at > p_now as is_live
      from tokens q where q.jti = r.jti offset 0) t on true
    left join lateral (select q.available, q.held, q.expires_at is null or q.expires_at > p_now
        -- The hold of an authorization has no credits: those it gets are bought once the work is done.
        or r.scheme = 'exact' and r.amount = 0 as is_live
      from balances q where q.account = r.account and q.plan_id = r."planId" offset 0) b on true
    -- A request that was released as not delivered may be tried again by its own token.
    left join lateral (select q.state <> 'released' or q.jti <> r.jti as is_taken from holds q
      where q.request_key = r.builder || '/' || r."agentRequestId" offset 0) h on true
    left join lateral (select q.settlement_id from settlements q
      where q.request_key = r.builder || '/' || r."agentRequestId" offset 0) x on true
    order by r.account, r."planId", r.ord
  loop
    if v_row.account is distinct from v_account or v_row."planId" is distinct from v_plan then
      v_account := v_row.account;
      v_plan := v_row."planId";
      v_available := v_row.available;
      v_held := v_row.held;
    end if;
    v_id := v_row.builder || '/' || v_row."agentRequestId";
    v_open := coalesce((v_counts ->> v_row.jti)::int, 0) + v_row.n;
    v_outcome := case
      when v_id = any (v_ids) then 'retry'
      when v_row.is_settled then 'settled'
      when v_row.is_taken then 'existing'
      when not v_row.is_live then 'stale'
      when v_open > v_row.redemptions_left then 'limit'
      when v_row.amount > v_available then 'insufficient'
      when v_row.open + v_open > v_row.most then 'crowded'
      when v_row.is_new and v_held + v_row.amount > greatest((v_row.available + v_row.held) / 4, 4 * v_row.amount / v_row.n) then 'crowded'
      else 'held' end;
    if v_outcome = 'held' then
      v_ids := v_ids || v_id;
      v_available := v_available - v_row.amount;
      v_held := v_held + v_row.amount;
      v_counts := v_counts || jsonb_build_object(v_row.jti, v_open);
    end if;
    v_all := v_all || row(v_row.ord, v_row.builder, v_row."agentRequestId", v_row.account, v_row."planId", v_row."agentId", v_row.jti, v_row.amount, v_row.scheme,
      p_now + make_interval(secs => v_row."ttlMs" / 1000.0), v_outcome, v_row.available + v_row.held, v_row."planVersion", v_row.requests)::hold_entry;
  end loop;
  return v_all;
end $$;

-- Sets credits aside. Outcomes: held, existing (this request has its hold), settled, limit, insufficient,
-- stale (token or balance changed since it was read, or a budget refuses it), retry (ask again in a later batch).
create or replace function hold_set(p_rows jsonb) returns table (
  ord int, outcome text, remaining numeric, expires_at timestamptz
) language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now timestamptz;
  v_all hold_entry[];
  v_held hold_entry[];
  v_refused jsonb;
  v_written int;
  v_again text[];
begin
  perform lock_rows(array_agg(r.jti), array_agg(r.account), array_agg(r."planId")) from jsonb_to_recordset(p_rows) as r(jti text, account text, "planId" text);
  v_now := app_now();
  v_all := decide_holds(p_rows, v_now);
  if exists (select 1 from budgets b where b.account = any (array(select e.account from unnest(v_all) e))) then
    v_refused := budget_refusals(p_rows, array(select e.ord from unnest(v_all) e where e.outcome = 'held'), v_now);
    for i in 1 .. cardinality(v_all) loop
      if v_refused ? v_all[i].ord::text then v_all[i].outcome := 'stale'; end if;
    end loop;
  end if;
  v_held := array(select e from unnest(v_all) e where e.outcome = 'held');

  with written as (
  insert into holds (request_key, builder, agent_request_id, account, plan_id, agent_id, jti, amount, plan_version, state, scheme, created_at, expires_at, requests, subject_hash, attempt, order_tx)
  select e.builder || '/' || e.agent_request_id, e.builder, e.agent_request_id, e.account, e.plan_id, e.agent_id, e.jti, e.amount, e.plan_version, 'held', e.scheme, v_now, e.expires_at, e.requests,
    -- A row's number is its place; replicas of earlier releases send none of these.
    subject_hash(p_rows -> e.ord ->> 'subject'), hashtextextended(p_rows -> e.ord ->> 'attemptId', 0), p_rows -> e.ord ->> 'orderTx'
  from unnest(v_held) e order by 1
  on conflict (request_key) do update set amount = excluded.amount, plan_version = excluded.plan_version, state = 'held', agent_id = excluded.agent_id,
    scheme = excluded.scheme, created_at = excluded.created_at, expires_at = excluded.expires_at, requests = excluded.requests, subject_hash = excluded.subject_hash, attempt = excluded.attempt, order_tx = coalesce(excluded.order_tx, holds.order_tx), resolved_at = null
  where holds.state = 'released' and holds.jti = excluded.jti
  returning request_key, xmax <> 0 as is_again)
  select count(*), array_agg(request_key) filter (where is_again) into v_written, v_again from written;
  -- What was released is under way again.
  if v_again is not null then insert into request_changes (is_settled, refs) values (false, v_again); end if;
  perform require_all(v_written, cardinality(v_held));
  update tokens t set reserved = t.reserved + u.n
  from (select e.jti, sum(coalesce(e.requests, 1)) as n from unnest(v_held) e group by e.jti) u where t.jti = u.jti;
  perform append_transfers(array(
    select row(e.account, e.plan_id, e.ord, 'hold', e.amount, e.builder || '/' || e.agent_request_id)::transfer_entry
    from unnest(v_held) e), v_now);

  return query select e.ord, e.outcome, e.remaining, e.expires_at from unnest(v_all) e;
end $$;

-- Gives held credits back. `p_state` is what the hold becomes: released by the builder, or expired.
create or replace function resolve_holds(p_rows jsonb, p_state text) returns table (ord int, outcome text, released numeric) language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now timestamptz;
  v_keys hold_entry[];
  v_given hold_entry[];
begin
  v_keys := array(
    select row(r.ord, h.builder, h.agent_request_id, h.account, h.plan_id, h.agent_id, h.jti, h.amount, h.scheme, h.expires_at, '', 0, h.plan_version, h.requests)::hold_entry
    from (select distinct on (q.builder, q."agentRequestId") q.* from
        jsonb_to_recordset(p_rows) as q(ord int, builder text, "agentRequestId" text)) r,
      lateral (select * from holds q where q.request_key = r.builder || '/' || r."agentRequestId" offset 0) h);
  perform lock_rows(
    array(select distinct e.jti from unnest(v_keys) e),
    array(select e.account from unnest(v_keys) e),
    array(select e.plan_id from unnest(v_keys) e));
  v_now := app_now();

  -- As the hold is under the locks: before them, a lease may have paid for requests, or a purchase funded the hold.
  with resolved as (
    update holds h set state = p_state, resolved_at = v_now
    from unnest(v_keys) e
    where h.request_key = e.builder || '/' || e.agent_request_id and h.state = 'held'
      and (p_state <> 'expired' or h.expires_at <= v_now)
    returning e.ord, h.builder, h.agent_request_id, h.account, h.plan_id, h.agent_id, h.jti, h.amount, h.scheme,
      h.expires_at, e.outcome, e.remaining, h.plan_version, h.requests
  )
  select array_agg(row(resolved.*)::hold_entry) into v_given from resolved;
  -- What has expired holds no credits any more, and could still be settled from the balance.
  if p_state = 'released' then
    with released as (
    update holds h set state = 'released' from unnest(v_keys) e
    where h.request_key = e.builder || '/' || e.agent_request_id and h.state = 'expired'
      and not exists (select 1 from settlements s where s.request_key = h.request_key)
    returning h.request_key)
    insert into request_changes (is_settled, refs) select false, array_agg(request_key) from released having count(*) > 0;
  end if;
  update tokens t set reserved = t.reserved - u.n
  from (select e.jti, sum(coalesce(e.requests, 1)) as n from unnest(v_given) e group by e.jti) u where t.jti = u.jti;
  insert into request_changes (is_settled, refs)
  select false, array_agg(e.builder || '/' || e.agent_request_id) from unnest(v_given) e having count(*) > 0;
  perform append_transfers(array(
    select row(e.account, e.plan_id, e.ord, 'void', e.amount, e.builder || '/' || e.agent_request_id)::transfer_entry
    from unnest(v_given) e), v_now);
  if exists (select 1 from budgets b where b.account = any (array(select e.account from unnest(v_given) e))) then
    perform return_to_budgets(array_agg(e.builder || '/' || e.agent_request_id), array_agg(e.amount)) from unnest(v_given) e;
  end if;

  return query
  select q.ord, case when g.ord is not null then 'released' when h.state is null then 'unknown' else h.state end, coalesce(g.amount, 0)
  from jsonb_to_recordset(p_rows) as q(ord int, builder text, "agentRequestId" text)
  left join lateral (select x.state from holds x where x.request_key = q.builder || '/' || q."agentRequestId" offset 0) h on true
  left join lateral (select x.ord, x.amount from unnest(v_given) x where x.ord = q.ord offset 0) g on true;
end $$;

-- Writes a delivered request off, so that nothing is charged for it later: 'written-off', 'settled', or 'unknown'. It is a
-- report of the builder's; where there is no report yet, the hold has what it needs. A hold that has expired could still be
-- settled, so it is released.
create or replace function write_off(p_key text, p_reason text) returns text language plpgsql as $$
declare v_hold holds;
begin
  select * into v_hold from holds where request_key = p_key;
  if found then
    -- A settlement is written under these locks.
    perform lock_rows(array[v_hold.jti], array[v_hold.account], array[v_hold.plan_id]);
  end if;
  if exists (select 1 from settlements where request_key = p_key) then return 'settled'; end if;
  update holds set state = 'released' where request_key = p_key and state = 'expired';
  if found then
    insert into request_changes (is_settled, refs) values (false, array[p_key]);
  end if;
  insert into request_reports (request_key, builder, agent_request_id, at, method, path, plan_id, agent_id, http_status, money_status, reason)
  select h.request_key, h.builder, h.agent_request_id, h.created_at, '', '', h.plan_id, h.agent_id, 200, 'not-charged', p_reason
  from holds h where h.request_key = p_key
  union all
  select r.request_key, r.builder, r.agent_request_id, r.at, r.method, r.path, r.plan_id, r.agent_id, r.http_status, 'not-charged', p_reason
  from request_reports r where r.request_key = p_key and not exists (select 1 from holds h where h.request_key = p_key)
  on conflict (request_key) do update set money_status = 'not-charged', reason = excluded.reason;
  return case when found then 'written-off' else 'unknown' end;
end $$;

-- Renews what is still held for another lease, at most until the cap after it began; what each of the ids is now.
-- A row that is being resolved at this moment is left alone. Locks holds only, in no conflict with the lock order.
create or replace function renew_holds(p_builder text, p_ids text[], p_lease interval, p_cap interval) returns table (
  id text, state text, expires_at timestamptz
) language plpgsql as $$
declare v_now timestamptz := app_now();
begin
  update holds h set expires_at = greatest(h.expires_at, least(h.created_at + p_cap, v_now + p_lease))
  from (select q.request_key from holds q
        where q.request_key = any (select p_builder || '/' || unnest(p_ids)) and q.state = 'held'
        for no key update skip locked) live
  where h.request_key = live.request_key;
  return query
  select g.id, coalesce(h.state, 'unknown'), h.expires_at
  from unnest(p_ids) with ordinality g(id, n)
  left join holds h on h.request_key = p_builder || '/' || g.id
  order by g.n;
end $$;

-- Sets credits aside for a hold that was made before they were bought; whether it has them now.
create or replace function fund_hold(p_key text, p_amount numeric) returns boolean language plpgsql as $$
declare v_hold holds;
begin
  select * into strict v_hold from holds where request_key = p_key;
  perform lock_rows(array[v_hold.jti], array[v_hold.account], array[v_hold.plan_id]);
  update holds h set amount = p_amount where h.request_key = p_key and h.state = 'held' and h.amount = 0
    and exists (select 1 from balances b where b.account = h.account and b.plan_id = h.plan_id and b.available >= p_amount);
  if found then
    perform append_transfer(v_hold.account, v_hold.plan_id, 'hold', p_amount, p_key);
    insert into request_changes (is_settled, refs) values (false, array[p_key]);
  end if;
  return (select h.state = 'held' and h.amount >= p_amount from holds h where h.request_key = p_key);
end $$;

-- Requests with a hold and what is left of their permissions: the rows of `HeldRequest`. In plpgsql with one plan, because
-- planning these joins takes longer than a settlement, and Postgres would plan them for each list of keys.
drop function if exists held_requests(text[]);
create or replace function held_requests(p_keys text[]) returns table (
  builder text, "agentRequestId" text, account text, "planId" text, "planOwner" text, "agentId" text, jti text, "delegationId" text,
  amount numeric, requests int, scheme text, state text, "isAlive" boolean, "settleBefore" timestamptz, available numeric,
  "redemptionsLeft" numeric, "minAmount" numeric, "isFixed" boolean, "accessLimit" text, "isPaid" boolean, "orderTx" text,
  "redemptionType" smallint, "callerIsRedeemer" boolean
) language plpgsql stable
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare v_now timestamptz := app_now();
begin
  return query
  select h.builder, h.agent_request_id, h.account, h.plan_id, p.owner, h.agent_id, h.jti, t.delegation_id,
    h.amount, h.requests, h.scheme, h.state,
    t.revoked_at is null and d.revoked_at is null and least(t.expires_at, d.expires_at) > v_now, least(t.expires_at, d.expires_at),
    case when b.expires_at is null or b.expires_at > v_now then b.available else 0 end,
    (t.redemption_limit - t.redeemed - t.reserved)::numeric, v.min_amount, v.is_fixed, p.access_limit,
    exists (select 1 from jsonb_array_elements_text(s.price->'amounts') part where part::numeric > 0),
    h.order_tx, v.redemption_type,
    exists (select 1 from plan_redeemers r where r.plan_id = h.plan_id and r.account = h.builder)
      and not exists (select 1 from accounts o where o.address = p.owner and o.stopped_at is not null)
  from holds h join tokens t on t.jti = h.jti join delegations d on d.delegation_id = t.delegation_id
    join plans p on p.plan_id = h.plan_id
    join balances b on b.account = h.account and b.plan_id = h.plan_id
    join plan_versions v on v.plan_id = b.plan_id and v.version = coalesce(h.plan_version, b.plan_version)
    join plan_versions s on s.plan_id = p.plan_id and s.version = p.version
  where h.request_key = any (p_keys);
end $$;

-- version 12, content e9d4ed02731b5bdd
-- Replicas of release 0.1.0 still call `settle_set`, which their databases keep.
do $$ begin
  create type settle_request_entry as (
    ord int, builder text, agent_request_id text, settlement_id text, fingerprint text, account text, plan_id text,
    agent_id text, jti text, delegation_id text, amount numeric, scheme text, network text, from_hold boolean,
    order_tx text, transaction text, chain_status text, mirror boolean, outcome text, remaining numeric, rest numeric
  );
exception when duplicate_object then null;
end $$;
do $$ begin
  alter type settle_request_entry add attribute lease_id text;
exception when duplicate_column then null;
end $$;

do $$ begin
  alter type settle_request_entry add attribute place int;
exception when duplicate_column then null;
end $$;

-- What each settlement of a batch comes to, under the locks. Reads only. A row has what settlements have in common, and lists of
-- what they don't; what is known about it is read once. Replicas of earlier releases send a row for each.
create or replace function decide_settle_requests(p_rows jsonb, p_now timestamptz) returns settle_request_entry[] language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off as $$
begin
  return array(
    with terms as materialized (
      select r.*, k.is_authorized, t.redemption_limit - t.redeemed - t.reserved as redemptions_left,
        coalesce(t.is_live and d.is_live and b.is_live, false) as is_live, b.available, b.posted, l.requests as leased, l.is_ready as has_lease,
        dense_rank() over (order by r.jti) as token, dense_rank() over (order by r.builder, r."leaseId") as lease,
        dense_rank() over (order by r.account, r."planId") as balance
      from jsonb_to_recordset(p_rows) as r(ord int, builder text, fingerprint text, account text, "planId" text, "agentId" text, jti text,
        "delegationId" text, amount numeric, scheme text, network text, "fromHold" boolean, "leaseId" text, "orderTx" text, "chainStatus" text,
        mirror boolean, "keyHash" text, "agentRequestId" text, "settlementId" text, transaction text,
        ords int[], ids text[], settlements text[], transactions text[])
      -- The facts may be those of the hold; the key that settles must be valid now. A session has none.
      left join lateral (select r."keyHash" is null or exists (select 1 from api_keys q
        where q.hash = r."keyHash" and q.revoked_at is null and q.expires_at > p_now) as is_authorized) k on true
      left join lateral (select q.redemption_limit, q.redeemed, q.reserved, q.revoked_at is null and q.expires_at > p_now as is_live
        from tokens q where q.jti = r.jti offset 0) t on true
      left join lateral (select q.revoked_at is null and q.expires_at > p_now as is_live
        from delegations q where q.delegation_id = r."delegationId" offset 0) d on true
      left join lateral (select q.available, q.available + q.held as posted, q.expires_at is null or q.expires_at > p_now as is_live
        from balances q where q.account = r.account and q.plan_id = r."planId" offset 0) b on true
      -- A lease is the hold of several requests at one price.
      left join lateral (select q.requests, r."fromHold" and q.state = 'held' and q.jti = r.jti and q.account = r.account
          and q.plan_id = r."planId" and q.amount >= r.amount * q.requests as is_ready
        from holds q where q.request_key = r.builder || '/' || r."leaseId" and q.requests is not null offset 0) l on true
    )
    select row(n, builder, id, coalesce(known_id, settlement), fingerprint, account, "planId",
      "agentId", jti, "delegationId", amount, scheme, network, "fromHold", "orderTx", receipt, "chainStatus", mirror,
      case
        when accepted then 'settled'
        when known is not null then case when known = fingerprint then 'replayed' else 'conflict' end
        when not is_authorized then 'unauthorized'
        when copy > 1 then 'retry'
        when not has_hold or not ("fromHold" or is_live) then 'stale'
        when "fromHold" then 'retry'
        when redemptions_left - count(*) filter (where accepted and not "fromHold") over (partition by token) <= 0 then 'limit'
        when available - coalesce(sum(amount) filter (where accepted and not "fromHold") over (partition by balance), 0) < amount
          then 'insufficient'
        else 'retry' end,
      case when known is not null then known_remaining
        else posted - coalesce(sum(amount) filter (where accepted) over (partition by balance order by n), 0) end,
      case when "leaseId" is null then hold_amount - amount else 0 end, "leaseId", ord)::settle_request_entry
    from (
      select *, within_limit and ("fromHold" or running <= available) as accepted from (
        select *, sum(case when within_limit and not "fromHold" then amount else 0 end) over (partition by balance order by n) as running from (
          select *, is_fresh and (("fromHold" and ("leaseId" is null or count(*) filter (where is_fresh) over (partition by lease order by n) <= leased))
            or not "fromHold" and count(*) filter (where is_fresh and not "fromHold") over (partition by token order by n) <= redemptions_left) as within_limit from (
            select *, copy = 1 and is_authorized and known is null and available is not null and has_hold and ("fromHold" or is_live) as is_fresh
            from (
              select t.*, i.*, row_number() over (partition by t.builder, i.id order by i.n) as copy,
                x.fingerprint as known, x.settlement_id as known_id, x.remaining as known_remaining, h.amount as hold_amount,
                coalesce(case when t."leaseId" is null then h.is_ready else t.has_lease end, not t."fromHold") as has_hold
              from terms t cross join lateral unnest(coalesce(t.ords, array[t.ord]), coalesce(t.ids, array[t."agentRequestId"]),
                coalesce(t.settlements, array[t."settlementId"]), coalesce(t.transactions, array[t.transaction])) as i(n, id, settlement, receipt)
              -- What was reserved for the request is settled from its hold, and beside one only after it has expired.
              left join lateral (select q.amount, case when t."fromHold" then q.state = 'held' and q.jti = t.jti
                  and q.account = t.account and q.plan_id = t."planId" and q.requests is null and q.amount >= t.amount
                  else q.state = 'expired' end as is_ready
                from holds q where t."leaseId" is null and q.request_key = t.builder || '/' || i.id offset 0) h on true
              left join lateral (select q.fingerprint, q.settlement_id, q.remaining from settlements q
                where q.request_key = t.builder || '/' || i.id offset 0) x on true
            ) seen
          ) fresh
        ) counted
      ) summed
    ) decided);
end $$;

-- Takes credits, from a hold or straight from the balance. Outcomes: settled, replayed (this request was settled
-- before), conflict (with another body), unauthorized, limit, insufficient, stale, retry, or why a budget refuses it.
create or replace function settle_requests(p_rows jsonb) returns table (
  ord int, outcome text, settlement_id text, remaining numeric, settled_at timestamptz
) language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now timestamptz;
  v_all settle_request_entry[];
  v_taken settle_request_entry[];
  v_refused jsonb;
  v_has_budgets boolean;
  v_has_held boolean;
  v_has_leased boolean;
  v_has_mirrored boolean;
  v_written int;
begin
  perform lock_rows(
    (select array_agg(distinct e->>'jti') from jsonb_array_elements(p_rows) e),
    (select array_agg(e->>'account') from jsonb_array_elements(p_rows) e),
    (select array_agg(e->>'planId') from jsonb_array_elements(p_rows) e));
  v_now := app_now();
  v_all := decide_settle_requests(p_rows, v_now);
  v_has_budgets := exists (select 1 from budgets b where b.account = any (array(select e.account from unnest(v_all) e)));
  if v_has_budgets then
    -- Without the lists, which each would repeat. What leaves a rest of its hold is there for its lock alone: all are locked in order.
    v_refused := budget_refusals(
      (select jsonb_agg((p_rows -> e.place) - '{ords,ids,settlements,transactions}'::text[]
          || jsonb_build_object('ord', e.ord, 'agentRequestId', e.agent_request_id))
        from unnest(v_all) e where e.outcome = 'settled' and (not e.from_hold or e.rest > 0)),
      array(select e.ord from unnest(v_all) e where e.outcome = 'settled' and not e.from_hold), v_now);
    for i in 1 .. cardinality(v_all) loop
      continue when not v_refused ? v_all[i].ord::text;
      v_all[i].outcome := v_refused ->> v_all[i].ord::text;
      -- What it does not take stays for those after it.
      for j in 1 .. cardinality(v_all) loop
        if v_all[j].ord > v_all[i].ord and v_all[j].outcome = 'settled' and v_all[j].account = v_all[i].account and v_all[j].plan_id = v_all[i].plan_id then
          v_all[j].remaining := v_all[j].remaining + v_all[i].amount;
        end if;
      end loop;
    end loop;
  end if;
  -- A statement that finds nothing to write takes a tenth of a lone settlement's time.
  select coalesce(array_agg(e), '{}'), coalesce(bool_or(e.from_hold and e.lease_id is null), false),
    coalesce(bool_or(e.lease_id is not null), false), coalesce(bool_or(e.mirror), false)
  into v_taken, v_has_held, v_has_leased, v_has_mirrored
  from unnest(v_all) e where e.outcome = 'settled';

  insert into settlements (request_key, builder, agent_request_id, settlement_id, fingerprint, account, plan_id, agent_id, jti,
    delegation_id, scheme, network, amount, remaining, from_hold, order_tx, transaction, chain_status, created_at, resource, lease_id)
  select e.builder || '/' || e.agent_request_id, e.builder, e.agent_request_id, e.settlement_id, e.fingerprint, e.account, e.plan_id, e.agent_id, e.jti,
    e.delegation_id, e.scheme, e.network, e.amount, e.remaining, e.from_hold, e.order_tx,
    -- A row's number is its place; replicas of earlier releases send no resource.
    e.transaction, e.chain_status, v_now, p_rows -> e.place ->> 'resource', e.lease_id
  from unnest(v_taken) e order by 1
  on conflict (request_key) do nothing;
  get diagnostics v_written = row_count;
  perform require_all(v_written, cardinality(v_taken));
  update tokens t set redeemed = t.redeemed + u.n, reserved = t.reserved - u.from_hold, last_used_at = v_now
  from (select e.jti, count(*) as n, count(*) filter (where e.from_hold) as from_hold from unnest(v_taken) e group by e.jti) u
  where t.jti = u.jti;
  if v_has_held then
    update holds h set state = 'posted', resolved_at = v_now
    from unnest(v_taken) e where e.from_hold and e.lease_id is null and h.request_key = e.builder || '/' || e.agent_request_id;
  end if;
  if v_has_leased then
    update holds h set amount = h.amount - u.amount, requests = h.requests - u.n,
      state = case when h.requests = u.n then 'posted' else 'held' end, resolved_at = case when h.requests = u.n then v_now end
    from (select e.builder || '/' || e.lease_id as key, sum(e.amount) as amount, count(*) as n
      from unnest(v_taken) e where e.lease_id is not null group by 1) u
    where h.request_key = u.key;
  end if;
  if v_has_mirrored then
    insert into outbox (kind, ref, payload, state, attempts, due_at, fence, created_at)
    select 'chain.burn', e.settlement_id, jsonb_build_object('account', e.account, 'planId', e.plan_id,
      'delegationId', e.delegation_id, 'amount', e.amount::text), 'open', 0, v_now, 0, v_now
    from unnest(v_taken) e where e.mirror;
  end if;
  perform append_transfers(array(
    select row(e.account, e.plan_id, e.ord * 2, case when e.from_hold then 'post' else 'burn' end, e.amount, e.settlement_id)::transfer_entry
    from unnest(v_taken) e
    union all
    select row(e.account, e.plan_id, e.ord * 2 + 1, 'void', e.rest, e.settlement_id)::transfer_entry
    from unnest(v_taken) e where e.from_hold and e.rest > 0), v_now);
  if v_has_budgets then
    perform return_to_budgets(array_agg(e.builder || '/' || e.agent_request_id), array_agg(e.rest)) from unnest(v_taken) e where e.from_hold and e.rest > 0;
  end if;

  return query select e.ord, e.outcome, e.settlement_id, e.remaining, v_now from unnest(v_all) e;
end $$;

-- version 10, content 771b9b921737a083
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

-- What each settlement of a batch comes to, under the locks. Reads only.
create or replace function decide_settle_requests(p_rows jsonb, p_now timestamptz) returns settle_request_entry[] language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return array(
    select row(ord, builder, "agentRequestId", coalesce(known_id, "settlementId"), fingerprint, account, "planId",
      "agentId", jti, "delegationId", amount, scheme, network, "fromHold", "orderTx", transaction, "chainStatus", mirror,
      case
        when accepted then 'settled'
        when known is not null then case when known = fingerprint then 'replayed' else 'conflict' end
        when not is_authorized then 'unauthorized'
        when copy > 1 then 'retry'
        when not has_hold or not ("fromHold" or is_live) then 'stale'
        when "fromHold" then 'retry'
        when redemptions_left - count(*) filter (where accepted and not "fromHold") over (partition by jti) <= 0 then 'limit'
        when available - coalesce(sum(amount) filter (where accepted and not "fromHold") over (partition by account, "planId"), 0) < amount
          then 'insufficient'
        else 'retry' end,
      case when known is not null then known_remaining
        else posted - coalesce(sum(amount) filter (where accepted) over (partition by account, "planId" order by ord), 0) end,
      case when "leaseId" is null then hold_amount - amount else 0 end, "leaseId")::settle_request_entry
    from (
      select *, within_limit and ("fromHold" or running <= available) as accepted from (
        select *, sum(case when within_limit and not "fromHold" then amount else 0 end)
          over (partition by account, "planId" order by ord) as running from (
          select *, is_fresh and (("fromHold" and ("leaseId" is null
              or count(*) filter (where is_fresh) over (partition by builder, "leaseId" order by ord) <= leased))
            or not "fromHold" and count(*) filter (where is_fresh and not "fromHold") over (partition by jti order by ord) <= redemptions_left) as within_limit from (
            select r.*, k.is_authorized, x.fingerprint as known, x.settlement_id as known_id, x.remaining as known_remaining,
              h.amount as hold_amount, h.requests as leased, coalesce(h.is_ready, not r."fromHold") as has_hold,
              t.redemption_limit - t.redeemed - t.reserved as redemptions_left,
              coalesce(t.is_live and d.is_live and b.is_live, false) as is_live, b.available, b.posted,
              copy = 1 and k.is_authorized and x.fingerprint is null and b.available is not null
                and coalesce(h.is_ready, not r."fromHold") and (r."fromHold" or coalesce(t.is_live and d.is_live and b.is_live, false)) as is_fresh
            from (
              select q.*, row_number() over (partition by q.builder, q."agentRequestId" order by q.ord) as copy
              from jsonb_to_recordset(p_rows) as q(ord int, builder text, "agentRequestId" text, "settlementId" text, fingerprint text,
                account text, "planId" text, "agentId" text, jti text, "delegationId" text, amount numeric, scheme text, network text,
                "fromHold" boolean, "leaseId" text, "orderTx" text, transaction text, "chainStatus" text, mirror boolean, "keyHash" text)
            ) r
            -- The facts may be those of the hold; the key that settles must be valid now. A session has none.
            left join lateral (select r."keyHash" is null or exists (select 1 from api_keys q
              where q.hash = r."keyHash" and q.revoked_at is null and q.expires_at > p_now) as is_authorized) k on true
            left join lateral (select q.redemption_limit, q.redeemed, q.reserved, q.revoked_at is null and q.expires_at > p_now as is_live
              from tokens q where q.jti = r.jti offset 0) t on true
            left join lateral (select q.revoked_at is null and q.expires_at > p_now as is_live
              from delegations q where q.delegation_id = r."delegationId" offset 0) d on true
            left join lateral (select q.available, q.available + q.held as posted, q.expires_at is null or q.expires_at > p_now as is_live
              from balances q where q.account = r.account and q.plan_id = r."planId" offset 0) b on true
            -- What was reserved for the request is settled from its hold, and beside one only after it has expired.
            -- A lease is the hold of several requests at one price.
            left join lateral (select q.amount, q.requests, case when r."fromHold" then q.state = 'held' and q.jti = r.jti
                and q.account = r.account and q.plan_id = r."planId" and (q.requests is null) = (r."leaseId" is null)
                and q.amount >= r.amount * coalesce(q.requests, 1) else q.state = 'expired' end as is_ready
              from holds q where q.request_key = r.builder || '/' || coalesce(r."leaseId", r."agentRequestId") offset 0) h on true
            left join lateral (select q.fingerprint, q.settlement_id, q.remaining from settlements q
              where q.request_key = r.builder || '/' || r."agentRequestId" offset 0) x on true
          ) seen
        ) counted
      ) summed
    ) decided);
end $$;

-- Takes credits, from a hold or straight from the balance. Outcomes: settled, replayed (this request was settled
-- before), conflict (with another body), unauthorized, limit, insufficient, stale, retry, or why a budget refuses it.
drop function if exists settle_requests(jsonb);
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
    v_refused := budget_refusals(p_rows, array(select e.ord from unnest(v_all) e where e.outcome = 'settled' and not e.from_hold), v_now);
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
    e.transaction, e.chain_status, v_now, p_rows -> e.ord ->> 'resource', e.lease_id
  from unnest(v_taken) e order by 1
  on conflict do nothing;
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

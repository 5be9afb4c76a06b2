-- version 19, content 5a4366e7df881c10
-- Replicas of release 0.1.0 still call `settle_set`, which their databases keep.
select create_type('settle_request_entry', 'ord int, builder text, agent_request_id text, settlement_id text, fingerprint text,
  account text, plan_id text, agent_id text, jti text, delegation_id text, amount numeric, scheme text, network text, from_hold boolean,
  order_tx text, transaction text, chain_status text, mirror boolean, outcome text, remaining numeric, rest numeric');
select add_attribute('settle_request_entry', 'lease_id text'), add_attribute('settle_request_entry', 'place int');

-- What each settlement of a batch comes to, one after another, under the locks. Reads only. A row has what settlements have in common,
-- and lists of what they don't; what is known about it is read once. Replicas of earlier releases send a row for each. Runs with the
-- settings of `settle_requests`.
create or replace function decide_settle_requests(p_rows jsonb, p_now timestamptz) returns settle_request_entry[] language plpgsql as $$
declare
  v_all settle_request_entry[] := '{}';
  v_row record;
  v_account text;
  v_plan text;
  -- Of the balance, and of its part that is not held.
  v_posted numeric;
  v_available numeric;
  -- How many requests each lease or token has paid for in this batch.
  v_counts jsonb := '{}';
  v_payer text;
  v_paid int;
  -- Requests that come more than once, and those of them that are settled.
  v_repeated text[] := '{}';
  v_ids text[] := '{}';
  v_id text;
  v_outcome text;
begin
  if jsonb_array_length(p_rows) > 1 or p_rows -> 0 ? 'ids' then
    v_repeated := array(select r.builder || '/' || i.id
      from jsonb_to_recordset(p_rows) as r(builder text, "agentRequestId" text, ids text[])
      cross join lateral unnest(coalesce(r.ids, array[r."agentRequestId"])) as i(id)
      group by r.builder, i.id having count(*) > 1);
  end if;
  for v_row in
    -- Without the lists, which each row of a batch would hand on.
    select r.ord, r.builder, r.fingerprint, r.account, r."planId", r."agentId", r.jti, r."delegationId", r.amount, r.scheme, r.network, r."fromHold",
      r."leaseId", r."orderTx", r."chainStatus", r.mirror, i.*, k.is_authorized, t.redemptions_left, t.is_live and d.is_live and b.is_live as is_live, b.available, b.posted, l.requests as leased,
      x.fingerprint as known, x.settlement_id as known_id, x.remaining as known_remaining, h.amount as hold_amount,
      coalesce(case when r."leaseId" is null then h.is_ready else l.is_ready end, not r."fromHold") as has_hold
    from jsonb_to_recordset(p_rows) as r(ord int, builder text, fingerprint text, account text, "planId" text, "agentId" text, jti text,
      "delegationId" text, amount numeric, scheme text, network text, "fromHold" boolean, "leaseId" text, "orderTx" text, "chainStatus" text,
      mirror boolean, "keyHash" text, "agentRequestId" text, "settlementId" text, transaction text,
      ords int[], ids text[], settlements text[], transactions text[])
    -- The facts may be those of the hold; the key that settles must be valid now. A session has none.
    left join lateral (select r."keyHash" is null or exists (select 1 from api_keys q
      where q.hash = r."keyHash" and q.revoked_at is null and q.expires_at > p_now) as is_authorized) k on true
    left join lateral (select q.redemption_limit - q.redeemed - q.reserved as redemptions_left, q.revoked_at is null and q.expires_at > p_now as is_live
      from tokens q where q.jti = r.jti offset 0) t on true
    left join lateral (select q.revoked_at is null and q.expires_at > p_now as is_live
      from delegations q where q.delegation_id = r."delegationId" offset 0) d on true
    left join lateral (select q.available, q.available + q.held as posted, q.expires_at is null or q.expires_at > p_now as is_live
      from balances q where q.account = r.account and q.plan_id = r."planId" offset 0) b on true
    -- A lease is the hold of several requests at one price.
    left join lateral (select q.requests, r."fromHold" and q.state = 'held' and q.jti = r.jti and q.account = r.account
        and q.plan_id = r."planId" and q.amount >= r.amount * q.requests as is_ready
      from holds q where q.request_key = r.builder || '/' || r."leaseId" and q.requests is not null offset 0) l on true
    cross join lateral unnest(coalesce(r.ords, array[r.ord]), coalesce(r.ids, array[r."agentRequestId"]),
      coalesce(r.settlements, array[r."settlementId"]), coalesce(r.transactions, array[r.transaction])) as i(n, id, settlement, receipt)
    -- What was reserved for the request is settled from its hold, and beside one only after it has expired.
    left join lateral (select q.amount, case when r."fromHold" then q.state = 'held' and q.jti = r.jti
        and q.account = r.account and q.plan_id = r."planId" and q.requests is null and q.amount >= r.amount
        else q.state = 'expired' end as is_ready
      from holds q where r."leaseId" is null and q.request_key = r.builder || '/' || i.id offset 0) h on true
    left join lateral (select q.fingerprint, q.settlement_id, q.remaining from settlements q
      where q.request_key = r.builder || '/' || i.id offset 0) x on true
    order by r.account, r."planId", i.n
  loop
    if v_row.account is distinct from v_account or v_row."planId" is distinct from v_plan then
      v_account := v_row.account;
      v_plan := v_row."planId";
      v_posted := v_row.posted;
      v_available := v_row.available;
    end if;
    v_id := v_row.builder || '/' || v_row.id;
    -- A request that has a hold is counted already.
    v_payer := case when v_row."leaseId" is not null then v_row.builder || '/' || v_row."leaseId" when not v_row."fromHold" then v_row.jti end;
    v_paid := coalesce((v_counts ->> v_payer)::int, 0);
    v_outcome := case
      when v_row.known is not null then case when v_row.known = v_row.fingerprint then 'replayed' else 'conflict' end
      when not v_row.is_authorized then 'unauthorized'
      when v_id = any (v_ids) then 'retry'
      when not v_row.has_hold or not (v_row."fromHold" or coalesce(v_row.is_live, false)) then 'stale'
      when v_row."leaseId" is not null and v_paid >= v_row.leased then 'retry'
      when v_row."fromHold" then 'settled'
      when v_paid >= v_row.redemptions_left then 'limit'
      when v_row.amount > v_available then 'insufficient'
      else 'settled' end;
    if v_outcome = 'settled' then
      if v_id = any (v_repeated) then v_ids := v_ids || v_id; end if;
      v_posted := v_posted - v_row.amount;
      if not v_row."fromHold" then v_available := v_available - v_row.amount; end if;
      if v_payer is not null then v_counts := v_counts || jsonb_build_object(v_payer, v_paid + 1); end if;
    end if;
    v_all := v_all || row(v_row.n, v_row.builder, v_row.id, coalesce(v_row.known_id, v_row.settlement), v_row.fingerprint, v_row.account, v_row."planId",
      v_row."agentId", v_row.jti, v_row."delegationId", v_row.amount, v_row.scheme, v_row.network, v_row."fromHold", v_row."orderTx", v_row.receipt,
      v_row."chainStatus", v_row.mirror, v_outcome, coalesce(v_row.known_remaining, least(v_posted, most_amount())),
      case when v_row."leaseId" is null then v_row.hold_amount - v_row.amount else 0 end, v_row."leaseId", v_row.ord)::settle_request_entry;
  end loop;
  return v_all;
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
begin
  perform lock_rows(array_agg(r.jti), array_agg(r.account), array_agg(r."planId")) from jsonb_to_recordset(p_rows) as r(jti text, account text, "planId" text);
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

  begin
    insert into settlements (request_key, builder, agent_request_id, settlement_id, fingerprint, account, plan_id, agent_id, jti,
      delegation_id, scheme, network, amount, remaining, from_hold, order_tx, transaction, chain_status, created_at, resource, lease_id)
    select e.builder || '/' || e.agent_request_id, e.builder, e.agent_request_id, e.settlement_id, e.fingerprint, e.account, e.plan_id, e.agent_id, e.jti,
      e.delegation_id, e.scheme, e.network, e.amount, e.remaining, e.from_hold, e.order_tx,
      -- A row's number is its place; replicas of earlier releases send no resource.
      e.transaction, e.chain_status, v_now, p_rows #>> array[e.place::text, 'resource'], e.lease_id
    from unnest(v_taken) e order by 1;
  exception when unique_violation then
    -- In two batches that lock different balances: the later one starts again and sees the first.
    raise exception 'a request id was taken meanwhile' using errcode = '40001';
  end;
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

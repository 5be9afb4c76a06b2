-- The functions, views and triggers of release 0.1.0, which kept them in migrations. The migrations up to 0010 and
-- then this file make a database as that release left it.

create function app_now() returns timestamptz language sql stable as $$
  select clock_timestamp() + coalesce((select make_interval(secs => offset_ms / 1000.0) from clock where id = 1), interval '0')
$$;

create function chain_step(state bytea, link bytea) returns bytea language sql immutable as $$
  select sha256(coalesce(state, ''::bytea) || link)
$$;

create aggregate hash_chain(bytea) (sfunc = chain_step, stype = bytea);

create function transfer_link(seq bigint, kind text, amount numeric, ref text) returns bytea language sql immutable as $$
  select convert_to(seq::text || '|' || kind || '|' || amount::text || '|' || ref, 'UTF8')
$$;

create type transfer_entry as (account text, plan_id text, ord int, kind text, amount numeric, ref text);

create function append_transfers(p_entries transfer_entry[], p_now timestamptz) returns void language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with entry as (
    select e.*, row_number() over (partition by e.account, e.plan_id order by e.ord) as n
    from unnest(p_entries) e where e.amount > 0
  ), numbered as (
    select entry.*, b.seq + entry.n as seq, b.hash as head
    from entry, lateral (
      select x.seq, x.hash from balances x where x.account = entry.account and x.plan_id = entry.plan_id offset 0
    ) b
  ), chained as (
    select numbered.*,
      hash_chain(case when n = 1 then head else ''::bytea end || transfer_link(seq, kind, amount, ref))
        over (partition by account, plan_id order by n) as hash
    from numbered
  ), written as (
    insert into transfers (account, plan_id, seq, kind, debit, credit, amount, ref, created_at, hash)
    select account, plan_id, seq, kind,
      case kind when 'mint' then 'issue' when 'post' then 'held' when 'void' then 'held' when 'owe' then 'debt'
        when 'restore' then 'refunded' when 'forgive' then 'refunded' else 'available' end,
      case kind when 'mint' then 'available' when 'hold' then 'held' when 'post' then 'burned' when 'void' then 'available'
        when 'burn' then 'burned' when 'expire' then 'expired' when 'restore' then 'available' when 'forgive' then 'debt'
        when 'repay' then 'debt' else 'refunded' end,
      amount, ref, p_now, hash
    from chained
  ), moved as (
    select account, plan_id, max(seq) as seq, (array_agg(hash order by n desc))[1] as hash,
      sum(case when kind in ('mint', 'void', 'restore') then amount
        when kind in ('hold', 'burn', 'expire', 'refund', 'repay') then -amount else 0 end) as available,
      sum(case kind when 'hold' then amount when 'post' then -amount when 'void' then -amount else 0 end) as held,
      sum(case kind when 'owe' then amount when 'repay' then -amount when 'forgive' then -amount else 0 end) as debt
    from chained group by account, plan_id
  )
  update balances b
  set available = b.available + m.available, held = b.held + m.held, debt = b.debt + m.debt, seq = m.seq, hash = m.hash
  from moved m where b.account = m.account and b.plan_id = m.plan_id;
end $$;

create function append_transfer(p_account text, p_plan text, p_kind text, p_amount numeric, p_ref text) returns void language sql as $$
  select append_transfers(array[row(p_account, p_plan, 0, p_kind, p_amount, p_ref)::transfer_entry], app_now())
$$;

create function lock_rows(p_jtis text[], p_accounts text[], p_plans text[]) returns void language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform 1 from tokens where jti = any(p_jtis) order by jti for no key update;
  perform 1 from balances b
    join (select distinct account, plan_id from unnest(p_accounts, p_plans) as k(account, plan_id)) k
      on b.account = k.account and b.plan_id = k.plan_id
    order by b.account, b.plan_id for no key update of b;
end $$;

create function read_facts(p_rows jsonb) returns table (
  ord int, now timestamptz,
  caller text, key_id text, key_usable boolean, caller_is_operator boolean,
  token_account text, token_plan text, token_agent text, token_delegation text, token_can_order boolean,
  redemptions_left bigint, order_left numeric, token_expires_at timestamptz, token_revoked boolean,
  delegation_provider text, delegation_usable boolean, delegation_expires_at timestamptz, session_key_address text,
  budget_left numeric, delegation_order_limit numeric, transactions_left bigint, delegation_currency text, delegation_plans text[],
  plan_owner text, plan_name text, plan_access_limit text, plan_is_trial boolean, plan_version int,
  is_crypto boolean, min_amount numeric, max_amount numeric, is_fixed boolean, redemption_type smallint,
  proof_required boolean, granted numeric, sold_price jsonb, is_redeemer boolean,
  agent_owner text, agent_endpoints jsonb, agent_linked boolean,
  available numeric, held numeric, balance_live boolean,
  hold_account text, hold_plan text, hold_jti text, hold_amount numeric, hold_state text, hold_expires_at timestamptz, hold_usable boolean,
  settlement_fingerprint text, settlement_id text, settled_amount numeric, settled_remaining numeric, settled_order_tx text,
  settled_transaction text, settled_chain_status text, settled_account text, settled_plan text, settled_network text
) language plpgsql stable
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare v_now timestamptz := app_now();
begin
  return query
  select r.ord, v_now,
    k.account, k.key_id, k.revoked_at is null and k.expires_at > v_now, c.is_operator,
    t.account, t.plan_id, t.agent_id, t.delegation_id, t.can_order,
    t.redemption_limit - t.redeemed - t.reserved, t.order_limit - t.order_spent - t.order_reserved, t.expires_at, t.revoked_at is not null,
    d.provider, d.revoked_at is null, d.expires_at, d.session_key_address,
    d.spending_limit_cents - d.spent_cents - d.reserved_cents, d.order_limit, d.max_transactions - d.transaction_count, d.currency, d.plan_ids,
    p.owner, p.metadata->>'name', p.access_limit, p.is_trial, p.version,
    v.is_crypto, v.min_amount, v.max_amount, v.is_fixed, v.redemption_type,
    v.proof_required, s.granted, s.price,
    v.redemption_type = 2 and exists (select 1 from plan_redeemers pr where pr.plan_id = p.plan_id and pr.account = k.account),
    a.owner, a.endpoints, l.plan_id is not null,
    b.available, b.held, b.expires_at is null or b.expires_at > v_now,
    h.account, h.plan_id, h.jti, h.amount, h.state, h.expires_at, h.state = 'held',
    x.fingerprint, x.settlement_id, x.amount, x.remaining, x.order_tx, x.transaction, x.chain_status, x.account, x.plan_id, x.network
  from jsonb_to_recordset(p_rows) as r(ord int, "keyHash" text, jti text, "planId" text, "agentId" text, "agentRequestId" text)
  left join lateral (select * from api_keys q where q.hash = r."keyHash" offset 0) k on true
  left join lateral (select q.is_operator from accounts q where q.address = k.account offset 0) c on true
  left join lateral (select * from tokens q where q.jti = r.jti offset 0) t on true
  left join lateral (select * from delegations q where q.delegation_id = t.delegation_id offset 0) d on true
  left join lateral (select * from plans q where q.plan_id = r."planId" offset 0) p on true
  left join lateral (select * from balances q where q.account = t.account and q.plan_id = p.plan_id offset 0) b on true
  left join lateral (select * from plan_versions q where q.plan_id = p.plan_id and q.version = coalesce(b.plan_version, p.version) offset 0) v on true
  left join lateral (select q.granted, q.price from plan_versions q where q.plan_id = p.plan_id and q.version = p.version offset 0) s on true
  left join lateral (select q.agent_id, q.owner, q.endpoints from agents q where q.agent_id = r."agentId" offset 0) a on true
  left join lateral (select q.plan_id from agent_plans q where q.agent_id = a.agent_id and q.plan_id = p.plan_id offset 0) l on true
  left join lateral (select * from holds q where q.request_key = k.account || '/' || r."agentRequestId" offset 0) h on true
  left join lateral (select * from settlements q where q.request_key = k.account || '/' || r."agentRequestId" offset 0) x on true;
end $$;

create type hold_entry as (
  ord int, builder text, agent_request_id text, account text, plan_id text, agent_id text, jti text, amount numeric,
  scheme text, expires_at timestamptz, outcome text, remaining numeric
);

create function decide_holds(p_rows jsonb, p_now timestamptz) returns hold_entry[] language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return array(
    select row(ord, builder, "agentRequestId", account, "planId", "agentId", jti, amount, scheme,
      p_now + make_interval(secs => "ttlMs" / 1000.0),
      case
        when accepted then 'held'
        when copy > 1 then 'retry'
        when is_settled then 'settled'
        when has_hold then 'existing'
        when not is_live then 'stale'
        when redemptions_left - count(*) filter (where accepted) over (partition by jti) <= 0 then 'limit'
        when available - coalesce(sum(amount) filter (where accepted) over (partition by account, "planId"), 0) < amount then 'insufficient'
        else 'retry' end,
      posted)::hold_entry
    from (
      select *, within_limit and running <= available as accepted from (
        select *, sum(case when within_limit then amount else 0 end) over (partition by account, "planId" order by ord) as running from (
          select *, is_fresh and count(*) filter (where is_fresh) over (partition by jti order by ord) <= redemptions_left as within_limit from (
            select r.*, h.state is not null as has_hold, x.settlement_id is not null as is_settled,
              t.redemption_limit - t.redeemed - t.reserved as redemptions_left,
              coalesce(t.is_live and b.is_live, false) as is_live, b.available, b.posted,
              copy = 1 and h.state is null and x.settlement_id is null and coalesce(t.is_live and b.is_live, false) as is_fresh
            from (
              select q.*, row_number() over (partition by q.builder, q."agentRequestId" order by q.ord) as copy
              from jsonb_to_recordset(p_rows) as q(ord int, builder text, "agentRequestId" text, account text, "planId" text,
                "agentId" text, jti text, amount numeric, scheme text, "ttlMs" bigint)
            ) r
            left join lateral (select q.redemption_limit, q.redeemed, q.reserved, q.revoked_at is null and q.expires_at > p_now as is_live
              from tokens q where q.jti = r.jti offset 0) t on true
            left join lateral (select q.available, q.available + q.held as posted, q.expires_at is null or q.expires_at > p_now as is_live
              from balances q where q.account = r.account and q.plan_id = r."planId" offset 0) b on true
            left join lateral (select q.state from holds q
              where q.request_key = r.builder || '/' || r."agentRequestId" offset 0) h on true
            left join lateral (select q.settlement_id from settlements q
              where q.request_key = r.builder || '/' || r."agentRequestId" offset 0) x on true
          ) seen
        ) counted
      ) summed
    ) decided);
end $$;

create function hold_set(p_rows jsonb) returns table (
  ord int, outcome text, remaining numeric, expires_at timestamptz
) language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now timestamptz;
  v_all hold_entry[];
  v_held hold_entry[];
  v_written int;
begin
  perform lock_rows(
    (select array_agg(distinct e->>'jti') from jsonb_array_elements(p_rows) e),
    (select array_agg(e->>'account') from jsonb_array_elements(p_rows) e),
    (select array_agg(e->>'planId') from jsonb_array_elements(p_rows) e));
  v_now := app_now();
  v_all := decide_holds(p_rows, v_now);
  v_held := array(select e from unnest(v_all) e where e.outcome = 'held');

  insert into holds (request_key, builder, agent_request_id, account, plan_id, agent_id, jti, amount, state, scheme, created_at, expires_at)
  select e.builder || '/' || e.agent_request_id, e.builder, e.agent_request_id, e.account, e.plan_id, e.agent_id, e.jti, e.amount, 'held', e.scheme, v_now, e.expires_at
  from unnest(v_held) e order by 1
  on conflict do nothing;
  get diagnostics v_written = row_count;
  perform require_all(v_written, cardinality(v_held));
  update tokens t set reserved = t.reserved + u.n
  from (select e.jti, count(*) as n from unnest(v_held) e group by e.jti) u where t.jti = u.jti;
  perform append_transfers(array(
    select row(e.account, e.plan_id, e.ord, 'hold', e.amount, e.builder || '/' || e.agent_request_id)::transfer_entry
    from unnest(v_held) e), v_now);

  return query select e.ord, e.outcome, e.remaining, e.expires_at from unnest(v_all) e;
end $$;

create function require_all(p_written int, p_expected int) returns void language plpgsql as $$
begin
  if p_written <> p_expected then
    raise exception 'a request id was taken meanwhile' using errcode = '40001';
  end if;
end $$;

create type settle_entry as (
  ord int, builder text, agent_request_id text, settlement_id text, fingerprint text, account text, plan_id text,
  agent_id text, jti text, delegation_id text, amount numeric, scheme text, network text, from_hold boolean,
  order_tx text, chain_status text, mirror boolean, outcome text, remaining numeric, rest numeric
);

create function decide_settlements(p_rows jsonb, p_now timestamptz) returns settle_entry[] language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return array(
    select row(ord, builder, "agentRequestId", coalesce(known_id, "settlementId"), fingerprint, account, "planId",
      "agentId", jti, "delegationId", amount, scheme, network, "fromHold", "orderTx", "chainStatus", mirror,
      case
        when accepted then 'settled'
        when known is not null then case when known = fingerprint then 'replayed' else 'conflict' end
        when copy > 1 then 'retry'
        when "fromHold" then case when has_hold then 'retry' else 'stale' end
        when not is_live then 'stale'
        when redemptions_left - count(*) filter (where accepted and not "fromHold") over (partition by jti) <= 0 then 'limit'
        when available - coalesce(sum(amount) filter (where accepted and not "fromHold") over (partition by account, "planId"), 0) < amount
          then 'insufficient'
        else 'retry' end,
      case when known is not null then known_remaining
        else posted - coalesce(sum(amount) filter (where accepted) over (partition by account, "planId" order by ord), 0) end,
      hold_amount - amount)::settle_entry
    from (
      select *, within_limit and ("fromHold" or running <= available) as accepted from (
        select *, sum(case when within_limit and not "fromHold" then amount else 0 end)
          over (partition by account, "planId" order by ord) as running from (
          select *, is_fresh and ("fromHold"
            or count(*) filter (where is_fresh and not "fromHold") over (partition by jti order by ord) <= redemptions_left) as within_limit from (
            select r.*, x.fingerprint as known, x.settlement_id as known_id, x.remaining as known_remaining,
              h.amount as hold_amount, coalesce(h.is_ready, false) as has_hold,
              t.redemption_limit - t.redeemed - t.reserved as redemptions_left,
              coalesce(t.is_live and d.is_live and b.is_live, false) as is_live, b.available, b.posted,
              copy = 1 and x.fingerprint is null and b.available is not null
                and case when r."fromHold" then coalesce(h.is_ready, false) else coalesce(t.is_live and d.is_live and b.is_live, false) end as is_fresh
            from (
              select q.*, row_number() over (partition by q.builder, q."agentRequestId" order by q.ord) as copy
              from jsonb_to_recordset(p_rows) as q(ord int, builder text, "agentRequestId" text, "settlementId" text, fingerprint text,
                account text, "planId" text, "agentId" text, jti text, "delegationId" text, amount numeric, scheme text, network text,
                "fromHold" boolean, "orderTx" text, "chainStatus" text, mirror boolean)
            ) r
            left join lateral (select q.redemption_limit, q.redeemed, q.reserved, q.revoked_at is null and q.expires_at > p_now as is_live
              from tokens q where q.jti = r.jti offset 0) t on true
            left join lateral (select q.revoked_at is null and q.expires_at > p_now as is_live
              from delegations q where q.delegation_id = r."delegationId" offset 0) d on true
            left join lateral (select q.available, q.available + q.held as posted, q.expires_at is null or q.expires_at > p_now as is_live
              from balances q where q.account = r.account and q.plan_id = r."planId" offset 0) b on true
            left join lateral (select q.amount, q.state = 'held' and q.jti = r.jti and q.account = r.account and q.plan_id = r."planId"
                and q.amount >= r.amount as is_ready
              from holds q where r."fromHold" and q.request_key = r.builder || '/' || r."agentRequestId" offset 0) h on true
            left join lateral (select q.fingerprint, q.settlement_id, q.remaining from settlements q
              where q.request_key = r.builder || '/' || r."agentRequestId" offset 0) x on true
          ) seen
        ) counted
      ) summed
    ) decided);
end $$;

create function settle_set(p_rows jsonb) returns table (
  ord int, outcome text, settlement_id text, remaining numeric
) language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now timestamptz;
  v_all settle_entry[];
  v_taken settle_entry[];
  v_written int;
begin
  perform lock_rows(
    (select array_agg(distinct e->>'jti') from jsonb_array_elements(p_rows) e),
    (select array_agg(e->>'account') from jsonb_array_elements(p_rows) e),
    (select array_agg(e->>'planId') from jsonb_array_elements(p_rows) e));
  v_now := app_now();
  v_all := decide_settlements(p_rows, v_now);
  v_taken := array(select e from unnest(v_all) e where e.outcome = 'settled');

  insert into settlements (request_key, builder, agent_request_id, settlement_id, fingerprint, account, plan_id, agent_id, jti,
    delegation_id, scheme, network, amount, remaining, from_hold, order_tx, transaction, chain_status, created_at)
  select e.builder || '/' || e.agent_request_id, e.builder, e.agent_request_id, e.settlement_id, e.fingerprint, e.account, e.plan_id, e.agent_id, e.jti,
    e.delegation_id, e.scheme, e.network, e.amount, e.remaining, e.from_hold, e.order_tx,
    -- By card nothing goes on chain: the settlement in the ledger is what can be looked up.
    case when e.scheme = 'svc:card-delegation' then e.settlement_id else '' end, e.chain_status, v_now
  from unnest(v_taken) e order by 1
  on conflict do nothing;
  get diagnostics v_written = row_count;
  perform require_all(v_written, cardinality(v_taken));
  update tokens t set redeemed = t.redeemed + u.n, reserved = t.reserved - u.from_hold, last_used_at = v_now
  from (select e.jti, count(*) as n, count(*) filter (where e.from_hold) as from_hold from unnest(v_taken) e group by e.jti) u
  where t.jti = u.jti;
  update holds h set state = 'posted', resolved_at = v_now
  from unnest(v_taken) e where e.from_hold and h.request_key = e.builder || '/' || e.agent_request_id;
  insert into outbox (kind, ref, payload, state, attempts, due_at, fence, created_at)
  select 'chain.burn', e.settlement_id, jsonb_build_object('account', e.account, 'planId', e.plan_id,
    'delegationId', e.delegation_id, 'amount', e.amount::text), 'open', 0, v_now, 0, v_now
  from unnest(v_taken) e where e.mirror;
  perform append_transfers(array(
    select row(e.account, e.plan_id, e.ord * 2, case when e.from_hold then 'post' else 'burn' end, e.amount, e.settlement_id)::transfer_entry
    from unnest(v_taken) e
    union all
    select row(e.account, e.plan_id, e.ord * 2 + 1, 'void', e.rest, e.settlement_id)::transfer_entry
    from unnest(v_taken) e where e.from_hold and e.rest > 0), v_now);

  return query select e.ord, e.outcome, e.settlement_id, e.remaining from unnest(v_all) e;
end $$;

create function resolve_holds(p_rows jsonb, p_state text) returns table (ord int, outcome text, released numeric) language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now timestamptz;
  v_keys hold_entry[];
  v_given hold_entry[];
begin
  v_keys := array(
    select row(r.ord, h.builder, h.agent_request_id, h.account, h.plan_id, h.agent_id, h.jti, h.amount, h.scheme, h.expires_at, '', 0)::hold_entry
    from (select distinct on (q.builder, q."agentRequestId") q.* from
        jsonb_to_recordset(p_rows) as q(ord int, builder text, "agentRequestId" text)) r,
      lateral (select * from holds q where q.request_key = r.builder || '/' || r."agentRequestId" offset 0) h);
  perform lock_rows(
    array(select distinct e.jti from unnest(v_keys) e),
    array(select e.account from unnest(v_keys) e),
    array(select e.plan_id from unnest(v_keys) e));
  v_now := app_now();

  with resolved as (
    update holds h set state = p_state, resolved_at = v_now
    from unnest(v_keys) e
    where h.request_key = e.builder || '/' || e.agent_request_id and h.state = 'held'
      and (p_state <> 'expired' or h.expires_at <= v_now)
    returning e.*
  )
  select array_agg(row(resolved.*)::hold_entry) into v_given from resolved;
  update tokens t set reserved = t.reserved - u.n
  from (select e.jti, count(*) as n from unnest(v_given) e group by e.jti) u where t.jti = u.jti;
  perform append_transfers(array(
    select row(e.account, e.plan_id, e.ord, 'void', e.amount, e.builder || '/' || e.agent_request_id)::transfer_entry
    from unnest(v_given) e), v_now);

  return query
  select q.ord, case when g.ord is not null then 'released' when h.state is null then 'unknown' else h.state end, coalesce(g.amount, 0)
  from jsonb_to_recordset(p_rows) as q(ord int, builder text, "agentRequestId" text)
  left join lateral (select x.state from holds x where x.request_key = q.builder || '/' || q."agentRequestId" offset 0) h on true
  left join lateral (select x.ord, x.amount from unnest(v_given) x where x.ord = q.ord offset 0) g on true;
end $$;

create function sweep_holds(p_limit int) returns int language plpgsql as $$
declare v_rows jsonb;
begin
  select jsonb_agg(jsonb_build_object('ord', n, 'builder', builder, 'agentRequestId', agent_request_id)) into v_rows
  from (select builder, agent_request_id, row_number() over () as n from holds
        where state = 'held' and expires_at <= app_now() order by expires_at limit p_limit) due;
  if v_rows is null then return 0; end if;
  return (select count(*) from resolve_holds(v_rows, 'expired') where outcome = 'released');
end $$;

create function sweep_balances(p_limit int) returns int language plpgsql as $$
declare
  v_due record;
  v_count int := 0;
begin
  for v_due in select account, plan_id from balances where expires_at <= app_now() and available > 0
    order by account, plan_id limit p_limit
  loop
    v_count := v_count + expire_balance(v_due.account, v_due.plan_id);
  end loop;
  for v_due in select account, plan_id from balances where debt > 0 and available > 0
    order by account, plan_id limit p_limit
  loop
    perform 1 from balances where account = v_due.account and plan_id = v_due.plan_id for no key update;
    v_count := v_count + (repay_debt(v_due.account, v_due.plan_id, 'repaid') > 0)::int;
  end loop;
  return v_count;
end $$;

create function expire_balance(p_account text, p_plan text) returns int language plpgsql as $$
declare v_balance balances;
begin
  select * into v_balance from balances where account = p_account and plan_id = p_plan for no key update;
  if v_balance.available is null or v_balance.available = 0 then return 0; end if;
  if v_balance.expires_at is null or v_balance.expires_at > app_now() then return 0; end if;
  perform append_transfer(p_account, p_plan, 'expire', v_balance.available, 'expired');
  return 1;
end $$;

create function mint_order(p_order text, p_account text, p_plan text, p_version int) returns numeric language plpgsql as $$
declare
  v_now timestamptz := app_now();
  v_plan record;
  v_balance balances;
  v_from timestamptz;
begin
  select v.granted, v.duration_secs, p.access_limit into strict v_plan
  from plan_versions v join plans p on p.plan_id = v.plan_id where v.plan_id = p_plan and v.version = p_version;

  insert into balances (account, plan_id, available, held, plan_version, expires_at, seq, hash)
  values (p_account, p_plan, 0, 0, p_version, null, 0, ''::bytea) on conflict do nothing;
  select * into v_balance from balances where account = p_account and plan_id = p_plan for no key update;
  if exists (select 1 from transfers where ref = p_order and kind = 'mint') then
    return v_balance.available + v_balance.held;
  end if;

  v_from := case when v_plan.access_limit = 'time' and v_balance.expires_at > v_now then v_balance.expires_at else v_now end;
  if v_balance.available > 0 and (v_plan.access_limit = 'time' or v_balance.expires_at <= v_now) then
    perform append_transfer(p_account, p_plan, 'expire', v_balance.available, p_order);
  end if;
  perform append_transfer(p_account, p_plan, 'mint', v_plan.granted, p_order);
  update balances set plan_version = p_version,
    expires_at = case when v_plan.duration_secs = 0 then null else v_from + v_plan.duration_secs * interval '1 second' end
  where account = p_account and plan_id = p_plan;
  perform repay_debt(p_account, p_plan, p_order);
  return (select available + held from balances where account = p_account and plan_id = p_plan);
end $$;

create function refuse_change() returns trigger language plpgsql as $$
begin raise exception '% is append-only', tg_table_name; end $$;

create trigger transfers_append_only before update or delete on transfers for each row execute function refuse_change();

create trigger audit_append_only before update or delete on audit for each row execute function refuse_change();

create view inv_transfer_sides as
  select account, plan_id, seq from transfers where debit = credit or amount <= 0
    or (kind, debit, credit) not in (('mint', 'issue', 'available'), ('hold', 'available', 'held'), ('post', 'held', 'burned'),
      ('void', 'held', 'available'), ('burn', 'available', 'burned'), ('expire', 'available', 'expired'),
      ('refund', 'available', 'refunded'), ('owe', 'debt', 'refunded'), ('repay', 'available', 'debt'),
      ('restore', 'refunded', 'available'), ('forgive', 'refunded', 'debt'));

create view inv_balance_negative as
  select account, plan_id from balances where available < 0 or held < 0 or debt < 0;

create view inv_balance_entries as
  select b.account, b.plan_id, b.available, b.held, e.available as entries_available, e.held as entries_held,
    b.debt, e.debt as entries_debt
  from balances b
  left join (
    select account, plan_id,
      sum(case when credit = 'available' then amount when debit = 'available' then -amount else 0 end) as available,
      sum(case when credit = 'held' then amount when debit = 'held' then -amount else 0 end) as held,
      sum(case when debit = 'debt' then amount when credit = 'debt' then -amount else 0 end) as debt
    from transfers group by account, plan_id
  ) e using (account, plan_id)
  where b.available <> coalesce(e.available, 0) or b.held <> coalesce(e.held, 0) or b.debt <> coalesce(e.debt, 0);

create view inv_entries_without_balance as
  select distinct account, plan_id from transfers t
  where not exists (select 1 from balances b where b.account = t.account and b.plan_id = t.plan_id);

create view inv_plan_totals as
  select t.plan_id from (
    select plan_id, sum(case when kind in ('mint', 'restore') then amount
      when kind in ('hold', 'void', 'owe', 'forgive') then 0 else -amount end) as outstanding
    from transfers group by plan_id
  ) t
  join (select plan_id, sum(available + held) as balance from balances group by plan_id) b using (plan_id)
  where t.outstanding <> b.balance;

create view inv_orders_minted as
  select o.order_id from orders o
  left join transfers t on t.kind = 'mint' and t.ref = o.order_id
  where (o.status in ('minted', 'refunded')) <> (t.ref is not null)
    or (o.status = 'minted' and o.charged_at is null and o.price > 0);

create view inv_mint_without_order as
  select t.ref from transfers t where t.kind = 'mint' and not exists (select 1 from orders o where o.order_id = t.ref);

create view inv_charged_without_credits as
  select order_id from orders
  where charged_at < app_now() - interval '15 minutes' and status not in ('minted', 'refunded');

create view inv_delegation_limits as
  select d.delegation_id from delegations d
  left join (
    select delegation_id,
      coalesce(sum(reserved_cents) filter (where status in ('minted', 'refunded')), 0) as spent,
      coalesce(sum(reserved_cents) filter (where status in ('reserved', 'charging', 'requires_action')), 0) as reserved,
      count(*) filter (where status <> 'declined') as transactions
    from orders group by delegation_id
  ) o using (delegation_id)
  where d.spent_cents <> coalesce(o.spent, 0) or d.reserved_cents <> coalesce(o.reserved, 0)
    or d.transaction_count <> coalesce(o.transactions, 0)
    or d.spent_cents + d.reserved_cents > d.spending_limit_cents
    or d.transaction_count > coalesce(d.max_transactions, d.transaction_count);

create view inv_token_limits as
  select t.jti from tokens t
  left join (select jti, count(*) as n from settlements group by jti) s using (jti)
  left join (select jti, count(*) as n from holds where state = 'held' group by jti) h using (jti)
  where t.redeemed <> coalesce(s.n, 0) or t.reserved <> coalesce(h.n, 0)
    or t.redeemed + t.reserved > t.redemption_limit or t.order_spent + t.order_reserved > t.order_limit;

create view inv_holds_resolved_once as
  select h.builder, h.agent_request_id from holds h
  left join settlements s on s.request_key = h.request_key and s.from_hold
  where (h.state = 'posted') <> (s.settlement_id is not null) or s.amount > h.amount
    or (h.state = 'held') <> (h.resolved_at is null);

create view inv_settlement_burns as
  select s.settlement_id from settlements s
  left join (select ref, sum(amount) as amount, count(*) as n from transfers where kind in ('burn', 'post') group by ref) t
    on t.ref = s.settlement_id
  where coalesce(t.amount, 0) <> s.amount or coalesce(t.n, 0) > 1;

create view inv_burn_without_settlement as
  select t.ref from transfers t where t.kind in ('burn', 'post')
    and not exists (select 1 from settlements s where s.settlement_id = t.ref);

create view inv_burn_after_end as
  select s.settlement_id from settlements s
  join tokens t using (jti)
  left join holds h on s.from_hold and h.request_key = s.request_key
  where coalesce(h.created_at, s.created_at) >= t.expires_at
    or coalesce(h.created_at, s.created_at) > t.revoked_at;

create view inv_trial_once as
  select plan_id, account from orders where is_trial and status <> 'declined' group by plan_id, account having count(*) > 1;

create view inv_settlement_builder as
  select s.settlement_id from settlements s join plans p using (plan_id)
  where s.builder <> p.owner
    -- Who redeemed by the plan's leave may have lost it since.
    and not exists (select 1 from plan_versions v where v.plan_id = s.plan_id and v.redemption_type = 2)
    and not exists (select 1 from accounts a where a.address = s.builder and a.is_operator);

create view inv_settlement_agent as
  select s.settlement_id from settlements s join agents a on a.agent_id = s.agent_id join plans p on p.plan_id = s.plan_id
  where a.owner <> p.owner;

create view inv_chain as
  select account, plan_id, seq from (
    select account, plan_id, seq, hash, row_number() over chain as n,
      hash_chain(transfer_link(seq, kind, amount, ref)) over chain as expected
    from transfers window chain as (partition by account, plan_id order by seq)
  ) t where seq <> n or hash <> expected;

create view inv_chain_head as
  select b.account, b.plan_id from balances b
  left join transfers t on t.account = b.account and t.plan_id = b.plan_id and t.seq = b.seq
  where (b.seq = 0 and exists (select 1 from transfers x where x.account = b.account and x.plan_id = b.plan_id))
    or (b.seq > 0 and (t.seq is null or t.hash <> b.hash));

create view inv_outbox_late as
  select id from outbox where state = 'open' and created_at < app_now() - interval '1 hour';

create view inv_refunds as
  select o.order_id from orders o
  join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
  join plans p on p.plan_id = o.plan_id
  left join (
    select ref, sum(case when kind in ('refund', 'owe') then amount else -amount end) as amount
    from transfers where kind in ('refund', 'owe', 'restore', 'forgive') group by ref
  ) r on r.ref = o.order_id
  where coalesce(r.amount, 0) < 0 or coalesce(r.amount, 0) > v.granted
    or (o.status <> 'refunded' and coalesce(r.amount, 0) <> 0)
    or (o.status = 'refunded' and p.access_limit = 'credits' and coalesce(r.amount, 0) <> v.granted
      and not exists (select 1 from transfers t where t.account = o.account and t.plan_id = o.plan_id and t.kind = 'expire'));

create function broken_invariants() returns table (rule text, broken bigint) language plpgsql as $$
declare v_view record;
begin
  for v_view in select table_name from information_schema.views
    where table_schema = current_schema() and table_name like 'inv\_%' order by table_name
  loop
    rule := v_view.table_name;
    execute format('select count(*) from %I', v_view.table_name) into broken;
    return next;
  end loop;
end $$;

create function queue_chain_revocation() returns trigger language plpgsql as $$
begin
  insert into outbox (kind, ref, payload, state, attempts, due_at, fence, created_at)
  select 'chain.revoke', d.delegation_id, '{}', 'open', 0, app_now(), 0, app_now()
  from delegations d
  where d.delegation_id = new.delegation_id and d.revoked_at is not null
    and exists (select 1 from chain_grants g where g.delegation_id = d.delegation_id)
  on conflict (kind, ref) do update set state = 'open', due_at = excluded.due_at, done_at = null;
  return null;
end $$;

create trigger delegations_revoked after update of revoked_at on delegations for each row
  when (old.revoked_at is null and new.revoked_at is not null) execute function queue_chain_revocation();

create trigger chain_grants_late after insert on chain_grants for each row
  when (new.delegation_id is not null) execute function queue_chain_revocation();

create function repay_debt(p_account text, p_plan text, p_ref text) returns numeric language plpgsql as $$
declare v_amount numeric;
begin
  select least(available, debt) into v_amount from balances where account = p_account and plan_id = p_plan;
  if v_amount > 0 then perform append_transfer(p_account, p_plan, 'repay', v_amount, p_ref); end if;
  return v_amount;
end $$;

create function reverse_order(p_order text) returns table (taken numeric, owed numeric) language plpgsql as $$
declare
  v_order orders;
  v_plan record;
  v_balance balances;
  v_unpaid numeric;
begin
  select * into strict v_order from orders where order_id = p_order;
  select v.granted, v.duration_secs, p.access_limit into strict v_plan
  from plan_versions v join plans p on p.plan_id = v.plan_id
  where v.plan_id = v_order.plan_id and v.version = v_order.plan_version;
  select * into strict v_balance from balances
  where account = v_order.account and plan_id = v_order.plan_id for no key update;
  owed := 0;
  if v_plan.access_limit = 'time' then
    update balances set expires_at = expires_at - v_plan.duration_secs * interval '1 second'
    where account = v_order.account and plan_id = v_order.plan_id;
    taken := case when exists (select 1 from orders o where o.account = v_order.account and o.plan_id = v_order.plan_id
      and o.order_id <> p_order and o.status = 'minted') then 0 else v_balance.available end;
  else
    taken := least(v_balance.available, v_plan.granted);
    -- Credits in use or used that no earlier reversal has made a debt of, or whose debt later credits repaid.
    select v_balance.held + coalesce(sum(case when t.kind in ('burn', 'post', 'forgive', 'repay') then t.amount
        when t.kind = 'owe' then -t.amount else 0 end), 0) into v_unpaid
    from transfers t where t.account = v_order.account and t.plan_id = v_order.plan_id;
    owed := greatest(0, least(v_plan.granted - taken, v_unpaid));
  end if;
  perform append_transfers(array[
    row(v_order.account, v_order.plan_id, 0, 'refund', taken, p_order)::transfer_entry,
    row(v_order.account, v_order.plan_id, 1, 'owe', owed, p_order)::transfer_entry], app_now());
  return next;
end $$;

create function reinstate_order(p_order text) returns void language plpgsql as $$
declare
  v_order orders;
  v_plan record;
  v_balance balances;
  v_total numeric;
  v_owed numeric;
  v_forgiven numeric;
begin
  select * into strict v_order from orders where order_id = p_order;
  select v.duration_secs, p.access_limit into strict v_plan
  from plan_versions v join plans p on p.plan_id = v.plan_id
  where v.plan_id = v_order.plan_id and v.version = v_order.plan_version;
  select * into strict v_balance from balances
  where account = v_order.account and plan_id = v_order.plan_id for no key update;
  if v_plan.access_limit = 'time' then
    update balances set expires_at = expires_at + v_plan.duration_secs * interval '1 second'
    where account = v_order.account and plan_id = v_order.plan_id;
  end if;
  select coalesce(sum(case when kind in ('refund', 'owe') then amount else -amount end), 0),
    coalesce(sum(case kind when 'owe' then amount when 'forgive' then -amount else 0 end), 0)
  into v_total, v_owed
  from transfers where account = v_order.account and plan_id = v_order.plan_id and ref = p_order
    and kind in ('refund', 'owe', 'restore', 'forgive');
  v_forgiven := greatest(0, least(v_owed, v_balance.debt, v_total));
  perform append_transfers(array[
    row(v_order.account, v_order.plan_id, 0, 'forgive', v_forgiven, p_order)::transfer_entry,
    row(v_order.account, v_order.plan_id, 1, 'restore', v_total - v_forgiven, p_order)::transfer_entry], app_now());
  perform repay_debt(v_order.account, v_order.plan_id, p_order);
end $$;

create function book_payables(p_order text, p_kind text, p_reference text) returns void language sql as $$
  insert into payables (order_id, owner, receiver, currency, kind, amount, reference, created_at)
  select o.order_id, p.owner, r.receiver, lower(o.currency), p_kind, a.amount::numeric, p_reference, app_now()
  from orders o
  join plans p on p.plan_id = o.plan_id
  join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
  cross join lateral jsonb_array_elements_text(v.price->'receivers') with ordinality r(receiver, n)
  join lateral jsonb_array_elements_text(v.price->'amounts') with ordinality a(amount, n) on a.n = r.n
  where o.order_id = p_order and o.scheme = 'svc:card-delegation' and a.amount::numeric > 0
  order by r.n
$$;

create trigger payables_append_only before update or delete on payables for each row execute function refuse_change();

create view inv_payables as
  select o.order_id from orders o
  left join (
    select order_id, sum(case when kind in ('earned', 'restored') then amount when kind = 'reversed' then -amount else 0 end) as earned,
      sum(case when kind = 'paid-out' then amount else 0 end) as paid_out
    from payables group by order_id
  ) y using (order_id)
  where o.scheme = 'svc:card-delegation'
    and (coalesce(y.earned, 0) <> case when o.status = 'minted' then o.price else 0 end or coalesce(y.paid_out, 0) > o.price);

create view inv_refunds_late as
  select order_id from orders where refund_state = 'owed' and updated_at < app_now() - interval '1 day';

-- The hot path. Each function takes a batch as JSON, decides and writes it in one transaction, and
-- returns one row per entry. Lock order everywhere: tokens, then balances, each sorted by key; a hold
-- and a settlement are only written under the lock of their balance.
--
-- Every table is reached by index, whatever its size was when the plan was made: lookups are fenced
-- (`lateral … offset 0`), and what joins or updates a table does so by nested loop over the batch. For the
-- same reason requests have one-column keys: with two indexes to choose from, a plan made on an empty table
-- may choose the one that later reads all rows of a builder.

create function app_now() returns timestamptz language sql stable as $$
  select clock_timestamp() + coalesce((select make_interval(secs => offset_ms / 1000.0) from clock where id = 1), interval '0')
$$;
--> statement-breakpoint
create function chain_step(state bytea, link bytea) returns bytea language sql immutable as $$
  select sha256(coalesce(state, ''::bytea) || link)
$$;
--> statement-breakpoint
-- h(n) = sha256(h(n-1) || link(n)); as a window aggregate it yields every h of a batch.
create aggregate hash_chain(bytea) (sfunc = chain_step, stype = bytea);
--> statement-breakpoint
create function transfer_link(seq bigint, kind text, amount numeric, ref text) returns bytea language sql immutable as $$
  select convert_to(seq::text || '|' || kind || '|' || amount::text || '|' || ref, 'UTF8')
$$;
--> statement-breakpoint
create type transfer_entry as (account text, plan_id text, ord int, kind text, amount numeric, ref text);
--> statement-breakpoint
-- Appends transfers and moves their balances. The caller holds the locks of the balances.
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
      case kind when 'mint' then 'issue' when 'post' then 'held' when 'void' then 'held' else 'available' end,
      case kind when 'mint' then 'available' when 'hold' then 'held' when 'post' then 'burned' when 'void' then 'available'
        when 'burn' then 'burned' when 'expire' then 'expired' else 'refunded' end,
      amount, ref, p_now, hash
    from chained
  ), moved as (
    select account, plan_id, max(seq) as seq, (array_agg(hash order by n desc))[1] as hash,
      sum(case kind when 'mint' then amount when 'void' then amount when 'hold' then -amount when 'burn' then -amount
        when 'expire' then -amount when 'refund' then -amount else 0 end) as available,
      sum(case kind when 'hold' then amount when 'post' then -amount when 'void' then -amount else 0 end) as held
    from chained group by account, plan_id
  )
  update balances b
  set available = b.available + m.available, held = b.held + m.held, seq = m.seq, hash = m.hash
  from moved m where b.account = m.account and b.plan_id = m.plan_id;
end $$;
--> statement-breakpoint
create function append_transfer(p_account text, p_plan text, p_kind text, p_amount numeric, p_ref text) returns void language sql as $$
  select append_transfers(array[row(p_account, p_plan, 0, p_kind, p_amount, p_ref)::transfer_entry], app_now())
$$;
--> statement-breakpoint
create function lock_rows(p_jtis text[], p_accounts text[], p_plans text[]) returns void language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform 1 from tokens where jti = any(p_jtis) order by jti for no key update;
  perform 1 from balances b
    join (select distinct account, plan_id from unnest(p_accounts, p_plans) as k(account, plan_id)) k
      on b.account = k.account and b.plan_id = k.plan_id
    order by b.account, b.plan_id for no key update of b;
end $$;
--> statement-breakpoint
-- Everything a decision about a request needs, read at once: the caller, the token and its delegation,
-- the plan as the subscriber ordered it, the agent, the balance, and what was done for this request id.
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
--> statement-breakpoint
create type hold_entry as (
  ord int, builder text, agent_request_id text, account text, plan_id text, agent_id text, jti text, amount numeric,
  scheme text, expires_at timestamptz, outcome text, remaining numeric
);
--> statement-breakpoint
-- What each hold of a batch comes to, under the locks. Reads only.
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
--> statement-breakpoint
-- Sets credits aside. Outcomes: held, existing (this request has its hold), settled, limit, insufficient,
-- stale (token or balance changed since it was read), retry (ask again in a later batch).
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
--> statement-breakpoint
-- One request id in two batches that lock different balances: the later one starts again and sees the first.
create function require_all(p_written int, p_expected int) returns void language plpgsql as $$
begin
  if p_written <> p_expected then
    raise exception 'a request id was taken meanwhile' using errcode = '40001';
  end if;
end $$;
--> statement-breakpoint
create type settle_entry as (
  ord int, builder text, agent_request_id text, settlement_id text, fingerprint text, account text, plan_id text,
  agent_id text, jti text, delegation_id text, amount numeric, scheme text, network text, from_hold boolean,
  order_tx text, chain_status text, mirror boolean, outcome text, remaining numeric, rest numeric
);
--> statement-breakpoint
-- What each settlement of a batch comes to, under the locks. Reads only.
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
--> statement-breakpoint
-- Takes credits, from a hold or straight from the balance. Outcomes: settled, replayed (this request was
-- settled before), conflict (with another body), limit, insufficient, stale, retry.
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
  update tokens t set redeemed = t.redeemed + u.n, reserved = t.reserved - u.from_hold
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
--> statement-breakpoint
-- Gives held credits back. `p_state` is what the hold becomes: released by the builder, or expired.
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
--> statement-breakpoint
-- Expires overdue holds, a bounded number at a time; how many it expired.
create function sweep_holds(p_limit int) returns int language plpgsql as $$
declare v_rows jsonb;
begin
  select jsonb_agg(jsonb_build_object('ord', n, 'builder', builder, 'agentRequestId', agent_request_id)) into v_rows
  from (select builder, agent_request_id, row_number() over () as n from holds
        where state = 'held' and expires_at <= app_now() order by expires_at limit p_limit) due;
  if v_rows is null then return 0; end if;
  return (select count(*) from resolve_holds(v_rows, 'expired') where outcome = 'released');
end $$;
--> statement-breakpoint
-- Takes back what outlived its time: all available credits of expired balances become 'expired'.
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
  return v_count;
end $$;
--> statement-breakpoint
create function expire_balance(p_account text, p_plan text) returns int language plpgsql as $$
declare v_balance balances;
begin
  select * into v_balance from balances where account = p_account and plan_id = p_plan for no key update;
  if v_balance.available is null or v_balance.available = 0 then return 0; end if;
  if v_balance.expires_at is null or v_balance.expires_at > app_now() then return 0; end if;
  perform append_transfer(p_account, p_plan, 'expire', v_balance.available, 'expired');
  return 1;
end $$;
--> statement-breakpoint
-- Grants an order's credits, once per order. A time plan's balance stays its grant: what is left of the
-- time before is added to the new time, and the old unit is taken back.
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
  return (select available + held from balances where account = p_account and plan_id = p_plan);
end $$;
--> statement-breakpoint
-- The ledger is written once: no row of it is ever changed or removed.
create function refuse_change() returns trigger language plpgsql as $$
begin raise exception '% is append-only', tg_table_name; end $$;
--> statement-breakpoint
create trigger transfers_append_only before update or delete on transfers for each row execute function refuse_change();
--> statement-breakpoint
create trigger audit_append_only before update or delete on audit for each row execute function refuse_change();

-- The hot path. Each function takes a batch as JSON, decides and writes it in one transaction, and
-- returns one row per entry. Lock order everywhere: tokens, then balances, each sorted by key; a hold
-- and a settlement are only written under the lock of their balance.
--
-- Index lookups are forced: a plan made while a table was small must not scan it when it is large.

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
-- Appends transfers [{account, planId, ord, kind, amount, ref}] and moves their balances. The caller
-- holds the locks of the balances.
create function append_transfers(p_entries jsonb, p_now timestamptz) returns void language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with entry as (
    select e.account, e."planId" as plan_id, e.ord, e.kind, e.amount, e.ref,
      row_number() over (partition by e.account, e."planId" order by e.ord) as n
    from jsonb_to_recordset(p_entries) as e(account text, "planId" text, ord int, kind text, amount numeric, ref text)
    where e.amount > 0
  ), numbered as (
    select entry.*, b.seq + entry.n as seq, b.hash as head
    from entry join balances b on b.account = entry.account and b.plan_id = entry.plan_id
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
create function lock_rows(p_jtis text[], p_accounts text[], p_plans text[]) returns void language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
  proof_required boolean, granted numeric, price jsonb, sold_price jsonb, is_redeemer boolean,
  agent_owner text, agent_endpoints jsonb, agent_linked boolean,
  available numeric, held numeric, balance_live boolean,
  hold_account text, hold_plan text, hold_jti text, hold_amount numeric, hold_state text, hold_expires_at timestamptz, hold_usable boolean,
  settlement_fingerprint text, settlement_id text, settled_amount numeric, settled_remaining numeric, settled_order_tx text,
  settled_transaction text, settled_chain_status text, settled_account text, settled_plan text, settled_network text
) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
    v.proof_required, s.granted, v.price, s.price,
    exists (select 1 from plan_redeemers pr where pr.plan_id = p.plan_id and pr.account = k.account),
    a.owner, a.endpoints, exists (select 1 from agent_plans ap where ap.agent_id = a.agent_id and ap.plan_id = p.plan_id),
    b.available, b.held, b.expires_at is null or b.expires_at > v_now,
    h.account, h.plan_id, h.jti, h.amount, h.state, h.expires_at, h.state = 'held',
    x.fingerprint, x.settlement_id, x.amount, x.remaining, x.order_tx, x.transaction, x.chain_status, x.account, x.plan_id, x.network
  from jsonb_to_recordset(p_rows) as r(ord int, "keyHash" text, jti text, "planId" text, "agentId" text, "agentRequestId" text)
  left join api_keys k on k.hash = r."keyHash"
  left join accounts c on c.address = k.account
  left join tokens t on t.jti = r.jti
  left join delegations d on d.delegation_id = t.delegation_id
  left join plans p on p.plan_id = r."planId"
  left join balances b on b.account = t.account and b.plan_id = p.plan_id
  left join plan_versions v on v.plan_id = p.plan_id and v.version = coalesce(b.plan_version, p.version)
  left join plan_versions s on s.plan_id = p.plan_id and s.version = p.version
  left join agents a on a.agent_id = r."agentId"
  left join holds h on h.builder = k.account and h.agent_request_id = r."agentRequestId"
  left join settlements x on x.builder = k.account and x.agent_request_id = r."agentRequestId";
end $$;
--> statement-breakpoint
-- Sets credits aside. Outcomes: held, existing (this request has its hold), settled, limit, insufficient,
-- stale (token or balance changed since it was read), retry (ask again in a later batch).
create function hold_set(p_rows jsonb) returns table (
  ord int, outcome text, remaining numeric, amount numeric, expires_at timestamptz
) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now timestamptz;
  v_result jsonb;
begin
  perform lock_rows(
    (select array_agg(distinct e->>'jti') from jsonb_array_elements(p_rows) e),
    (select array_agg(e->>'account') from jsonb_array_elements(p_rows) e),
    (select array_agg(e->>'planId') from jsonb_array_elements(p_rows) e));
  v_now := app_now();

  with r as (
    select q.*, row_number() over (partition by q.builder, q."agentRequestId" order by q.ord) as copy
    from jsonb_to_recordset(p_rows) as q(ord int, builder text, "agentRequestId" text, account text, "planId" text,
      "agentId" text, jti text, amount numeric, scheme text, "ttlMs" bigint)
  ), seen as (
    select r.*, h.state as hold_state, h.amount as hold_amount, h.jti as hold_jti, h.expires_at as hold_expires_at,
      x.settlement_id is not null as is_settled,
      t.redemption_limit - t.redeemed - t.reserved as redemptions_left,
      t.jti is not null and t.revoked_at is null and t.expires_at > v_now as token_live,
      case when b.expires_at is null or b.expires_at > v_now then b.available else 0 end as available,
      b.available + b.held as posted,
      (b.expires_at is null or b.expires_at > v_now) as balance_live
    from r
    left join tokens t on t.jti = r.jti
    left join balances b on b.account = r.account and b.plan_id = r."planId"
    left join holds h on h.builder = r.builder and h.agent_request_id = r."agentRequestId"
    left join settlements x on x.builder = r.builder and x.agent_request_id = r."agentRequestId"
  ), fresh as (
    select seen.*, row_number() over (partition by seen.jti order by seen.ord) as nth
    from seen
    where copy = 1 and hold_state is null and not is_settled and token_live and balance_live and available is not null
  ), affordable as (
    select fresh.*, sum(fresh.amount) over (partition by account, "planId" order by fresh.ord) as running
    from fresh where nth <= redemptions_left
  ), accepted as (
    select * from affordable where running <= available
  ), inserted as (
    insert into holds (builder, agent_request_id, account, plan_id, agent_id, jti, amount, state, scheme, created_at, expires_at)
    select a.builder, a."agentRequestId", a.account, a."planId", a."agentId", a.jti, a.amount, 'held', a.scheme, v_now,
      v_now + make_interval(secs => a."ttlMs" / 1000.0)
    from accepted a order by a.builder, a."agentRequestId"
    on conflict do nothing
    returning holds.builder, holds.agent_request_id, holds.expires_at
  ), final as (
    select a.*, i.expires_at as until from accepted a
    join inserted i on i.builder = a.builder and i.agent_request_id = a."agentRequestId"
  ), counted as (
    update tokens t set reserved = t.reserved + n.n
    from (select f.jti, count(*) as n from final f group by f.jti) n where t.jti = n.jti
  ), token_use as (
    select f.jti, count(*) as n from final f group by f.jti
  ), balance_use as (
    select f.account, f."planId", sum(f.amount) as amount from final f group by f.account, f."planId"
  )
  select jsonb_agg(jsonb_build_object(
    'ord', s.ord,
    'outcome', case
      when f.ord is not null then 'held'
      when s.copy > 1 then 'retry'
      when s.is_settled then 'settled'
      when s.hold_state is not null then 'existing'
      when not coalesce(s.token_live and s.balance_live, false) then 'stale'
      when s.redemptions_left - coalesce(tu.n, 0) <= 0 then 'limit'
      when s.available - coalesce(bu.amount, 0) < s.amount then 'insufficient'
      else 'retry' end,
    'remaining', s.posted,
    'amount', coalesce(f.amount, s.hold_amount),
    'expiresAt', coalesce(f.until, s.hold_expires_at),
    'account', f.account, 'planId', f."planId", 'kind', 'hold',
    'ref', s.builder || '/' || s."agentRequestId"))
  into v_result
  from seen s
  left join final f on f.ord = s.ord
  left join token_use tu on tu.jti = s.jti
  left join balance_use bu on bu.account = s.account and bu."planId" = s."planId";

  perform append_transfers(
    (select jsonb_agg(e) from jsonb_array_elements(v_result) e where e->>'outcome' = 'held'), v_now);

  return query select o.ord, o.outcome, o.remaining, o.amount, o."expiresAt"
    from jsonb_to_recordset(v_result) as o(ord int, outcome text, remaining numeric, amount numeric, "expiresAt" timestamptz);
end $$;
--> statement-breakpoint
-- Takes credits, from a hold or straight from the balance. Outcomes: settled, replayed (this request was
-- settled before), conflict (with another body), limit, insufficient, stale, retry.
create function settle_set(p_rows jsonb) returns table (
  ord int, outcome text, settlement_id text, remaining numeric, created_at timestamptz
) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now timestamptz;
  v_result jsonb;
begin
  perform lock_rows(
    (select array_agg(distinct e->>'jti') from jsonb_array_elements(p_rows) e),
    (select array_agg(e->>'account') from jsonb_array_elements(p_rows) e),
    (select array_agg(e->>'planId') from jsonb_array_elements(p_rows) e));
  v_now := app_now();

  with r as (
    select q.*, row_number() over (partition by q.builder, q."agentRequestId" order by q.ord) as copy
    from jsonb_to_recordset(p_rows) as q(ord int, builder text, "agentRequestId" text, "settlementId" text, fingerprint text,
      account text, "planId" text, "agentId" text, jti text, "delegationId" text, amount numeric, scheme text, network text,
      "fromHold" boolean, "orderTx" text, "chainStatus" text, mirror boolean)
  ), seen as (
    select r.*, x.fingerprint as known, x.settlement_id as known_id, x.remaining as known_remaining, x.created_at as known_at,
      h.amount as hold_amount,
      h.state = 'held' and h.jti = r.jti and h.account = r.account and h.plan_id = r."planId" and h.amount >= r.amount as hold_ok,
      t.redemption_limit - t.redeemed - t.reserved as redemptions_left,
      t.jti is not null and t.revoked_at is null and t.expires_at > v_now and d.revoked_at is null and d.expires_at > v_now as token_live,
      case when b.expires_at is null or b.expires_at > v_now then b.available else 0 end as available,
      b.available + b.held as posted,
      (b.expires_at is null or b.expires_at > v_now) as balance_live
    from r
    left join tokens t on t.jti = r.jti
    left join delegations d on d.delegation_id = t.delegation_id
    left join balances b on b.account = r.account and b.plan_id = r."planId"
    left join holds h on r."fromHold" and h.builder = r.builder and h.agent_request_id = r."agentRequestId"
    left join settlements x on x.builder = r.builder and x.agent_request_id = r."agentRequestId"
  ), usable as (
    select seen.*, row_number() over (partition by seen.jti, seen."fromHold" order by seen.ord) as nth
    from seen
    where copy = 1 and known is null and available is not null
      and case when "fromHold" then coalesce(hold_ok, false) else token_live and balance_live end
  ), affordable as (
    select usable.*,
      sum(case when usable."fromHold" then 0 else usable.amount end) over (partition by account, "planId" order by usable.ord) as running
    from usable where usable."fromHold" or nth <= redemptions_left
  ), accepted as (
    select affordable.*, posted - sum(affordable.amount) over (partition by account, "planId" order by affordable.ord) as after
    from affordable where "fromHold" or running <= available
  ), inserted as (
    insert into settlements (builder, agent_request_id, settlement_id, fingerprint, account, plan_id, agent_id, jti,
      delegation_id, scheme, network, amount, remaining, from_hold, order_tx, transaction, chain_status, created_at)
    select a.builder, a."agentRequestId", a."settlementId", a.fingerprint, a.account, a."planId", a."agentId", a.jti,
      a."delegationId", a.scheme, a.network, a.amount, a.after, a."fromHold", a."orderTx", '', a."chainStatus", v_now
    from accepted a order by a.builder, a."agentRequestId"
    on conflict do nothing
    returning settlements.builder, settlements.agent_request_id
  ), final as (
    select a.* from accepted a join inserted i on i.builder = a.builder and i.agent_request_id = a."agentRequestId"
  ), token_use as (
    select f.jti, count(*) as n, count(*) filter (where f."fromHold") as from_hold from final f group by f.jti
  ), balance_use as (
    select f.account, f."planId", sum(f.amount) filter (where not f."fromHold") as amount from final f group by f.account, f."planId"
  ), counted as (
    update tokens t set redeemed = t.redeemed + u.n, reserved = t.reserved - u.from_hold from token_use u where t.jti = u.jti
  ), posted_holds as (
    update holds h set state = 'posted', resolved_at = v_now
    from final f where f."fromHold" and h.builder = f.builder and h.agent_request_id = f."agentRequestId"
  ), mirrored as (
    insert into outbox (kind, ref, payload, state, attempts, due_at, fence, created_at)
    select 'chain.burn', f."settlementId", jsonb_build_object('account', f.account, 'planId', f."planId",
      'delegationId', f."delegationId", 'amount', f.amount::text), 'open', 0, v_now, 0, v_now
    from final f where f.mirror
  )
  select jsonb_agg(jsonb_build_object(
    'ord', s.ord,
    'outcome', case
      when f.ord is not null then 'settled'
      when s.known is not null and s.known = s.fingerprint then 'replayed'
      when s.known is not null then 'conflict'
      when s.copy > 1 then 'retry'
      when s."fromHold" then case when coalesce(s.hold_ok, false) then 'retry' else 'stale' end
      when not coalesce(s.token_live and s.balance_live, false) then 'stale'
      when s.redemptions_left - coalesce(tu.n - tu.from_hold, 0) <= 0 then 'limit'
      when s.available - coalesce(bu.amount, 0) < s.amount then 'insufficient'
      else 'retry' end,
    'settlementId', coalesce(s.known_id, s."settlementId"),
    'remaining', coalesce(f.after, s.known_remaining, s.posted),
    'createdAt', coalesce(s.known_at, v_now),
    'account', f.account, 'planId', f."planId", 'amount', f.amount, 'fromHold', f."fromHold",
    'rest', f.hold_amount - f.amount))
  into v_result
  from seen s
  left join final f on f.ord = s.ord
  left join token_use tu on tu.jti = s.jti
  left join balance_use bu on bu.account = s.account and bu."planId" = s."planId";

  perform append_transfers((
    select jsonb_agg(t) from (
      select e->'account' as account, e->'planId' as "planId", (e->>'ord')::int * 2 as ord,
        case when (e->>'fromHold')::boolean then 'post' else 'burn' end as kind, e->'amount' as amount, e->'settlementId' as ref
      from jsonb_array_elements(v_result) e where e->>'outcome' = 'settled'
      union all
      select e->'account', e->'planId', (e->>'ord')::int * 2 + 1, 'void', e->'rest', e->'settlementId'
      from jsonb_array_elements(v_result) e where e->>'outcome' = 'settled' and (e->>'fromHold')::boolean and (e->>'rest')::numeric > 0
    ) t), v_now);

  return query select o.ord, o.outcome, o."settlementId", o.remaining, o."createdAt"
    from jsonb_to_recordset(v_result) as o(ord int, outcome text, "settlementId" text, remaining numeric, "createdAt" timestamptz);
end $$;
--> statement-breakpoint
-- Gives held credits back. `p_state` is what the hold becomes: released by the builder, or expired.
create function resolve_holds(p_rows jsonb, p_state text) returns table (ord int, outcome text, released numeric) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now timestamptz;
  v_found jsonb;
begin
  select jsonb_agg(jsonb_build_object('ord', r.ord, 'builder', r.builder, 'agentRequestId', r."agentRequestId",
    'jti', h.jti, 'account', h.account, 'planId', h.plan_id))
  into v_found
  from (select distinct on (q.builder, q."agentRequestId") q.* from
      jsonb_to_recordset(p_rows) as q(ord int, builder text, "agentRequestId" text)) r
  join holds h on h.builder = r.builder and h.agent_request_id = r."agentRequestId";

  perform lock_rows(
    (select array_agg(distinct e->>'jti') from jsonb_array_elements(v_found) e),
    (select array_agg(e->>'account') from jsonb_array_elements(v_found) e),
    (select array_agg(e->>'planId') from jsonb_array_elements(v_found) e));
  v_now := app_now();

  with f as (
    select * from jsonb_to_recordset(coalesce(v_found, '[]'::jsonb)) as q(ord int, builder text, "agentRequestId" text)
  ), resolved as (
    update holds h set state = p_state, resolved_at = v_now
    from f where h.builder = f.builder and h.agent_request_id = f."agentRequestId" and h.state = 'held'
      and (p_state <> 'expired' or h.expires_at <= v_now)
    returning f.ord, h.builder, h.agent_request_id, h.account, h.plan_id, h.jti, h.amount
  ), counted as (
    update tokens t set reserved = t.reserved - n.n
    from (select jti, count(*) as n from resolved group by jti) n where t.jti = n.jti
  )
  select jsonb_agg(jsonb_build_object('ord', r.ord, 'account', r.account, 'planId', r.plan_id, 'kind', 'void',
    'amount', r.amount, 'ref', r.builder || '/' || r.agent_request_id))
  into v_found from resolved r;

  perform append_transfers(v_found, v_now);

  return query
  select q.ord,
    case when e.ord is not null then 'released' when h.state is null then 'unknown' else h.state end,
    coalesce(e.amount, 0)
  from jsonb_to_recordset(p_rows) as q(ord int, builder text, "agentRequestId" text)
  left join holds h on h.builder = q.builder and h.agent_request_id = q."agentRequestId"
  left join jsonb_to_recordset(coalesce(v_found, '[]'::jsonb)) as e(ord int, amount numeric) on e.ord = q.ord;
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
  perform append_transfers(jsonb_build_array(jsonb_build_object('account', p_account, 'planId', p_plan, 'ord', 0,
    'kind', 'expire', 'amount', v_balance.available, 'ref', 'expired')), app_now());
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
    perform append_transfers(jsonb_build_array(jsonb_build_object('account', p_account, 'planId', p_plan, 'ord', 0,
      'kind', 'expire', 'amount', v_balance.available, 'ref', p_order)), v_now);
  end if;
  perform append_transfers(jsonb_build_array(jsonb_build_object('account', p_account, 'planId', p_plan, 'ord', 1,
    'kind', 'mint', 'amount', v_plan.granted, 'ref', p_order)), v_now);
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

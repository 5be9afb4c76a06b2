-- version 8, content 09cc610f7f5582d2
-- Gas that the captures a builder asked for within a day cost the service at most.
create or replace function gas_of_day(p_builder text) returns bigint language sql stable
set enable_seqscan = off as $$
  select coalesce(sum(gas), 0) from authorizations
  where gas is not null and builder = p_builder and created_at > app_now() - interval '1 day'
$$;

-- Writes authorizations, each once, and answers for each: 'open', 'used' when it was written for something else,
-- 'trial-taken' and 'full' when its plan cannot be ordered once more beside what the payer's requests under way buy, 'gas-budget'
-- when its gas and what the builder's others of the day have exceed what is sponsored,
-- 'failed' when it runs code of its payer's, and of their orders of the day one moved nothing though the chain took its capture, or
-- 'underfunded' when its payer's other ones of the token leave too little of the balance, which was read after `since`:
-- those of requests under way, and those captured meanwhile. The lock of their accounts, taken in order, puts a payer's
-- authorizations one after another, and those that count towards a builder's gas. One that buys a plan gets the rows its reservation needs. Its payer may sign it again, until
-- no earlier, as long as no order has it: what is given here was just checked, and is what the order will capture. An order locks
-- the authorization while it is written. One that could not be captured, or whose order was declined, buys nothing any more.
create or replace function open_authorizations(p_rows jsonb) returns table (ord int, outcome text) language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  v_payers text[] := array(select distinct q.payer from jsonb_to_recordset(p_rows) as q(payer text) order by 1);
  v_sponsored text[] := array(select q.builder from jsonb_to_recordset(p_rows) as q(builder text, "mostGas" bigint) where q."mostGas" > 0);
  v_never timestamptz := app_now() + interval '100 years';
  r record;
  v_known authorizations;
  v_order text;
  v_is_same boolean;
  v_plan record;
  v_reserved numeric;
  v_others int;
  v_unsold text;
  v_failed text;
begin
  insert into accounts (address, owner, created_at) select p, p, app_now() from unnest(v_payers) p on conflict do nothing;
  perform from accounts where address = any(v_payers || v_sponsored) order by address for no key update;
  for r in
    select * from jsonb_to_recordset(p_rows) as q(ord int, id text, payer text, asset text, "payTo" text, value numeric,
      "validAfter" numeric, "validBefore" numeric, nonce text, signature text, builder text, "planId" text, "planVersion" int,
      "agentRequestId" text, "sinceBlock" bigint, balance numeric, "leaseSecs" int, since timestamptz, "delegationId" text,
      "keyAddress" text, "sealedKey" text, gas int, "runsCode" boolean, "mostGas" bigint) order by q.ord
  loop
    ord := r.ord;
    select coalesce(sum(a.value), 0), count(*) filter (where a.state = 'open' and a.plan_id = r."planId")
      into v_reserved, v_others from authorizations a left join holds h on h.jti = a.id
      where a.id <> r.id and a.payer = r.payer and (a.closed_at is null or a.closed_at > r.since) and a.asset = r.asset and (
        a.state = 'captured' and a.closed_at > r.since
        or a.state = 'open' and coalesce(h.state = 'held', a.created_at > app_now() - make_interval(secs => r."leaseSecs")));
    select p.is_trial, v.granted, v.duration_secs into v_plan from plans p
      join plan_versions v on v.plan_id = p.plan_id and v.version = r."planVersion" where p.plan_id = r."planId";
    v_unsold := case
      when v_plan.is_trial and (v_others > 0 or exists (select from orders o where o.plan_id = r."planId"
        and o.account = r.payer and o.is_trial and o.status <> 'declined' and o.idempotency_key is distinct from r.id))
        then 'trial-taken'
      when not balance_holds(r.payer, r."planId", v_plan.granted * (v_others + 1))
        or not time_holds(r.payer, r."planId", v_plan.duration_secs::numeric * (v_others + 1)) then 'full' end;
    v_failed := case when r."runsCode" and exists (select from orders o where o.account = r.payer and o.status = 'declined'
      and o.failure_code = 'capture_failed' and o.created_at > app_now() - interval '1 day') then 'failed' end;
    select * into v_known from authorizations where id = r.id for no key update;
    if found then
      v_order := (select o.status from orders o where o.account = r.payer and o.idempotency_key = r.id);
      v_is_same := (v_known.valid_after, v_known.valid_before, v_known.signature) = (r."validAfter", r."validBefore", r.signature);
      outcome := case
        when (v_known.builder, v_known.plan_id, v_known.agent_request_id, v_known.pay_to, v_known.value)
          is distinct from (r.builder, r."planId", r."agentRequestId", r."payTo", r.value) then 'used'
        when r."planId" is not null and not (case when v_is_same then v_known.state <> 'refused' and v_order is distinct from 'declined'
          else v_known.state = 'open' and v_order is null and r."validBefore" >= v_known.valid_before end) then 'used'
        else coalesce(v_unsold, case when v_order is null then v_failed end, 'open') end;
      if outcome = 'open' and r."planId" is not null and not v_is_same then
        update authorizations set valid_after = r."validAfter", valid_before = r."validBefore", signature = r.signature where id = r.id;
      end if;
      return next;
      continue;
    end if;
    outcome := coalesce(v_unsold, v_failed, case when v_reserved + r.value > r.balance then 'underfunded'
      when r."mostGas" > 0 and gas_of_day(r.builder) + r.gas > r."mostGas" then 'gas-budget' else 'open' end);
    if outcome = 'open' then
      if r."planId" is not null then
        insert into delegations (delegation_id, account, provider, currency, plan_ids, spending_limit_cents, spent_cents,
            reserved_cents, transaction_count, session_key_address, session_key, created_at, expires_at)
          values (r."delegationId", r.payer, 'exact', 'usd', '{}', 0, 0, 0, 0, r."keyAddress", r."sealedKey", app_now(), v_never)
          on conflict do nothing;
        insert into tokens (jti, account, plan_id, delegation_id, can_order, redemption_limit, redeemed, reserved, order_limit,
            order_spent, order_reserved, issued_at, expires_at)
          values (r.id, r.payer, r."planId", r."delegationId", false, 1, 0, 0, 0, 0, 0, app_now(), v_never);
        insert into balances (account, plan_id, available, held, plan_version, seq, hash)
          values (r.payer, r."planId", 0, 0, r."planVersion", 0, '') on conflict do nothing;
      end if;
      insert into authorizations (id, payer, asset, pay_to, value, valid_after, valid_before, nonce, signature, builder, plan_id,
          plan_version, agent_request_id, gas, since_block, state, created_at)
        values (r.id, r.payer, r.asset, r."payTo", r.value, r."validAfter", r."validBefore", r.nonce, r.signature, r.builder,
          r."planId", r."planVersion", r."agentRequestId", r.gas, r."sinceBlock", 'open', app_now());
    end if;
    return next;
  end loop;
end $$;

-- Writes what became of authorizations; of two answers about one, that it was captured is true, by the newest transaction.
create or replace function close_authorizations(p_rows jsonb) returns void language sql
set enable_seqscan = off as $$
  update authorizations a set state = q.state, transaction = q.transaction, closed_at = app_now()
  from jsonb_to_recordset(p_rows) as q(id text, state text, transaction text) where a.id = q.id
    and (a.state <> 'captured' or q.state = 'captured' and q.transaction <> a.transaction)
$$;

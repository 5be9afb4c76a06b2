ALTER TABLE "tokens" ADD COLUMN "last_used_at" timestamp with time zone;--> statement-breakpoint
update tokens t set last_used_at = s.at
from (select jti, max(created_at) as at from settlements group by jti) s
where s.jti = t.jti;
--> statement-breakpoint
-- As in 0001_ledger, and a token keeps when it last paid.
create or replace function settle_set(p_rows jsonb) returns table (
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

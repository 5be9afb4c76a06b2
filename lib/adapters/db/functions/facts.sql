-- version 21, content c572289e79c2d062
-- The most credits that one request takes under a version of a plan.
create or replace function per_request(v plan_versions) returns numeric language sql immutable as $$
  select case when v.is_fixed then v.min_amount else v.max_amount end
$$;

-- Everything a decision about a request needs, read at once: the caller, the token and its delegation, the plan as the
-- subscriber ordered it, the agent, the balance, and what was done for this request id. What is not found is null.
-- The shape is `PermissionFacts`; amounts are texts, because JSON's numbers lose digits.
-- Replicas of release 0.1.0 still call `read_facts`, which their databases keep.
create or replace function request_facts(p_rows jsonb) returns table (ord int, facts json) language plpgsql stable
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare v_now timestamptz := app_now();
begin
  return query
  select r.ord, json_build_object(
    'now', v_now,
    'caller', case when k.account is not null then json_build_object(
      'account', k.account,
      'isUsable', k.revoked_at is null and k.expires_at > v_now,
      'isOperator', coalesce(c.is_operator, false)) end,
    'token', case when t.account is not null then json_build_object(
      'account', t.account,
      'planId', t.plan_id,
      'canOrder', t.can_order,
      'redemptionsLeft', (t.redemption_limit - t.redeemed - t.reserved)::text,
      'orderLeft', (t.order_limit - t.order_spent - t.order_reserved)::text,
      'expiresAt', t.expires_at,
      'isRevoked', t.revoked_at is not null,
      'leaseSecs', t.lease_secs) end,
    'delegation', case when d.delegation_id is not null then json_build_object(
      'delegationId', d.delegation_id,
      'provider', d.provider,
      'isRevoked', d.revoked_at is not null,
      'expiresAt', d.expires_at,
      'sessionKeyAddress', d.session_key_address,
      'budgetLeft', (d.spending_limit_cents - d.spent_cents - d.reserved_cents)::text,
      'orderLimit', d.order_limit::text,
      'transactionsLeft', (d.max_transactions - d.transaction_count)::text,
      'currency', d.currency) end,
    'plan', case when p.owner is not null then json_build_object(
      'owner', p.owner,
      'accessLimit', p.access_limit,
      'isTrial', p.is_trial,
      'version', v.version,
      'isArchived', p.archived_at is not null or (p.state = 'draft' and p.owner is distinct from t.account),
      'minAmount', v.min_amount::text,
      'maxAmount', v.max_amount::text,
      'isFixed', v.is_fixed,
      'redemptionType', v.redemption_type,
      'proofRequired', v.proof_required,
      'holderRequired', v.holder_required,
      'newest', json_build_object(
        'version', p.version,
        'granted', s.granted::text,
        'durationSecs', s.duration_secs::text,
        'perRequest', s.per_request::text,
        'price', s.price),
      'signedPerRequest', w.per_request::text,
      'callerIsRedeemer', v.redemption_type = 2
        and exists (select 1 from plan_redeemers pr where pr.plan_id = p.plan_id and pr.account = k.account)) end,
    'agent', case when a.owner is not null then json_build_object(
      'owner', a.owner,
      'endpoints', a.endpoints,
      'isLinked', l.plan_id is not null) end,
    'balance', case when b.available is not null then json_build_object(
      'available', b.available::text,
      'held', b.held::text,
      'debt', b.debt::text,
      'isLive', b.expires_at is null or b.expires_at > v_now) end,
    -- Read for balances that may be short alone. One that waits for its holder concerns its own delegation, while it can be
    -- confirmed: for `CONFIRM_WITHIN_SECS`, and until its token is revoked.
    'openTopUp', case when b.available >= greatest(per_request(v), 1) and (b.expires_at is null or b.expires_at > v_now) then null
      else (select q.status from orders q where q.account = t.account and q.plan_id = p.plan_id
        and q.jti is not null and q.status in ('reserved', 'charging', 'requires_action')
        and (q.status <> 'requires_action' or q.delegation_id = t.delegation_id and q.created_at > v_now - interval '1 hour'
          and exists (select 1 from tokens o where o.jti = q.jti and o.revoked_at is null))
        order by q.status = 'requires_action' limit 1) end,
    -- For replicas of earlier releases: a waiting one concerns the whole balance, as when they order.
    'topUp', case when b.available >= greatest(per_request(v), 1) and (b.expires_at is null or b.expires_at > v_now) then null
      else (select q.status from orders q where q.account = t.account and q.plan_id = p.plan_id
        and q.jti is not null and q.status in ('reserved', 'charging', 'requires_action') limit 1) end,
    'isToppedUp', case when b.available >= greatest(per_request(v), 1) and (b.expires_at is null or b.expires_at > v_now) then false
      else exists (select 1 from orders q where q.account = t.account and q.plan_id = p.plan_id
        and q.jti is not null and q.status in ('reserved', 'charging')) end,
    -- A token that ordered nothing has no order of this request.
    'hasOrdered', coalesce(t.order_spent > 0, false) and h.order_tx is null and exists (select 1 from orders q
      where q.account = t.account and q.idempotency_key = 'top-up/' || k.account || '/' || r."agentRequestId" || '/1'),
    'budgets', case when g.account is not null then
      budget_facts(t.account, d.delegation_id, t.jti, p.owner, r."agentId", r.subject, k.account, r."agentRequestId", v_now) end,
    'hold', case when h.state is not null then json_build_object(
      'jti', h.jti,
      'amount', h.amount::text,
      'state', h.state,
      'expiresAt', h.expires_at,
      'orderTx', h.order_tx,
      'isUsable', h.state = 'held' and h.requests is null,
      -- Replicas of earlier releases keep no subject.
      'isSameCall', coalesce(h.subject_hash = subject_hash(r.subject), true),
      'isSameAttempt', coalesce(h.attempt = hashtextextended(r."attemptId", 0), false)) end,
    'settlement', case when x.fingerprint is not null then json_build_object(
      'fingerprint', x.fingerprint,
      'settlementId', x.settlement_id,
      'amount', x.amount::text,
      'remaining', x.remaining::text,
      'orderTx', x.order_tx,
      'transaction', x.transaction,
      'chainStatus', x.chain_status,
      'account', x.account,
      'planId', x.plan_id,
      'network', x.network) end)
  from jsonb_to_recordset(p_rows) as r(ord int, "keyHash" text, jti text, "planId" text, "agentId" text, "agentRequestId" text, subject text,
    "attemptId" text, "signedVersion" numeric)
  left join lateral (select * from api_keys q where q.hash = r."keyHash" offset 0) k on true
  left join lateral (select q.is_operator from accounts q where q.address = k.account offset 0) c on true
  left join lateral (select * from tokens q where q.jti = r.jti offset 0) t on true
  left join lateral (select * from delegations q where q.delegation_id = t.delegation_id offset 0) d on true
  left join lateral (select q.account from budgets q where q.account = t.account limit 1 offset 0) g on true
  left join lateral (select * from plans q where q.plan_id = r."planId" offset 0) p on true
  left join lateral (select * from balances q where q.account = t.account and q.plan_id = p.plan_id offset 0) b on true
  left join lateral (select * from holds q where q.request_key = k.account || '/' || r."agentRequestId" offset 0) h on true
  -- The terms that credits were reserved under, else those the subscriber ordered, else the newest.
  left join lateral (select * from plan_versions q where q.plan_id = p.plan_id and q.version = coalesce(
    case when h.state = 'held' and h.jti = r.jti then h.plan_version end, b.plan_version, p.version) offset 0) v on true
  left join lateral (select q.granted, q.price, q.duration_secs, per_request(q) from plan_versions q
    where q.plan_id = p.plan_id and q.version = p.version offset 0) s on true
  -- Anyone can sign a token, with any number for a version.
  left join lateral (select per_request(q) from plan_versions q where q.plan_id = p.plan_id
    and q.version = case when r."signedVersion" < 2147483648 then r."signedVersion"::int end offset 0) w on true
  left join lateral (select q.agent_id, q.owner, q.endpoints from agents q where q.agent_id = r."agentId" offset 0) a on true
  left join lateral (select q.plan_id from agent_plans q where q.agent_id = a.agent_id and q.plan_id = p.plan_id offset 0) l on true
  left join lateral (select * from settlements q where q.request_key = k.account || '/' || r."agentRequestId" offset 0) x on true;
end $$;

-- version 27, content ca6e44093cc26f79
-- The most credits that one request takes under a version of a plan.
create or replace function per_request(v plan_versions) returns numeric language sql immutable as $$
  select case when v.is_fixed then v.min_amount else v.max_amount end
$$;

-- What the order that a token made for a balance waits for: `reserved`, `charging` or `requires_action`, or null. One that waits for its
-- holder concerns its own delegation, while it can be confirmed: for `CONFIRM_WITHIN_SECS`, and until its token is revoked; asked
-- without a delegation, the whole balance. In plpgsql, which prepares it only when it is asked.
create or replace function open_top_up(p_account text, p_plan text, p_delegation text, p_now timestamptz) returns text language plpgsql stable as $$
begin
  return (select q.status from orders q where q.account = p_account and q.plan_id = p_plan
    and q.jti is not null and q.status in ('reserved', 'charging', 'requires_action')
    and (q.status <> 'requires_action' or p_delegation is null or q.delegation_id = p_delegation and q.created_at > p_now - interval '1 hour'
      and exists (select 1 from tokens o where o.jti = q.jti and o.revoked_at is null))
    order by q.status = 'requires_action' limit 1);
end $$;

-- What a version of a plan asks of each request.
create or replace function terms_fact(v plan_versions) returns json language sql stable as $$
  select json_build_object(
    'version', v.version,
    'minAmount', v.min_amount::text,
    'maxAmount', v.max_amount::text,
    'isFixed', v.is_fixed,
    'redemptionType', v.redemption_type,
    'proofRequired', v.proof_required,
    'holderRequired', v.holder_required)
$$;

-- Everything a decision about a request needs, read at once: the caller, the token and its delegation, the plan as the
-- subscriber ordered it, the agent, the balance, and what was done for this request id. What is not found is null.
-- A row has what questions have in common, and lists of what they don't: what is common is read and told once, in `shared`, and
-- the rest in `facts`, with `terms` where other terms of the plan than the newest count. The shape is `PermissionFacts`; amounts are
-- texts, because JSON's numbers lose digits. Each lookup writes its own fact and hands on only what others ask of it: most of a lone
-- question's time prepares its joins, and each hands all its columns to the next.
-- Replicas of earlier releases call `request_facts`, and of 0.1.0 `read_facts`, which their databases keep.
create or replace function facts_together(p_rows jsonb) returns table (ord int, shared json, facts json) language plpgsql stable
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare v_now timestamptz := app_now();
begin
  return query
  select i.ord, case when i.place = 1 then json_build_object(
      'now', v_now,
      'caller', k.fact,
      'plan', p.fact,
      'agent', a.fact) end,
    json_build_object(
    'token', t.fact,
    'delegation', d.fact,
    'terms', v.fact,
    'balance', b.fact,
    -- Read for balances that may be short alone.
    'openTopUp', case when b.available >= coalesce(v.most, p.most) then null else open_top_up(t.account, t.plan_id, t.delegation_id, v_now) end,
    -- A token that ordered nothing has no order of this request.
    'hasOrdered', coalesce(t.has_spent, false) and h.order_tx is null and exists (select 1 from orders q
      where q.account = t.account and q.idempotency_key = 'top-up/' || k.account || '/' || i.id || '/1'),
    'budgets', case when t.has_budgets then
      budget_facts(t.account, t.delegation_id, t.jti, p.owner, r."agentId", r.subject, k.account, i.id, v_now) end,
    'hold', h.fact,
    'settlement', x.fact)
  from jsonb_to_recordset(p_rows) as r("keyHash" text, "planId" text, "agentId" text, subject text, "signedVersion" numeric,
    ords int[], jtis text[], ids text[], attempts text[])
  left join lateral (select q.account, (select json_build_object(
        'account', q.account,
        'isUsable', q.revoked_at is null and q.expires_at > v_now and c.stopped_at is null,
        'isStopped', c.stopped_at is not null,
        'isOperator', c.is_operator) from accounts c where c.address = q.account) as fact
    from api_keys q where q.hash = r."keyHash" offset 0) k on true
  left join lateral (select q.plan_id, q.owner, q.version, n.most, json_build_object(
      'owner', q.owner,
      'accessLimit', q.access_limit,
      'isTrial', q.is_trial,
      'isArchived', q.archived_at is not null,
      'isDraft', q.state = 'draft',
      'terms', n.fact,
      'newest', n.sold,
      -- Anyone can sign a token, with any number for a version.
      'signedPerRequest', (select per_request(w)::text from plan_versions w where w.plan_id = q.plan_id
        and w.version = case when r."signedVersion" < 2147483648 then r."signedVersion"::int end),
      'callerIsRedeemer', exists (select 1 from plan_redeemers pr where pr.plan_id = q.plan_id and pr.account = k.account)
        -- A stopped builder's plans are charged by no one.
        and not exists (select 1 from accounts c where c.address = q.owner and c.stopped_at is not null)) as fact
    from plans q, lateral (select greatest(per_request(s), 1) as most, terms_fact(s) as fact, json_build_object(
        'version', s.version,
        'granted', s.granted::text,
        'durationSecs', s.duration_secs::text,
        'perRequest', per_request(s)::text,
        'price', s.price) as sold
      from plan_versions s where s.plan_id = q.plan_id and s.version = q.version offset 0) n
    where q.plan_id = r."planId" offset 0) p on true
  left join lateral (select json_build_object(
      'owner', q.owner,
      'endpoints', q.endpoints,
      'isLinked', (select true from agent_plans l where l.agent_id = q.agent_id and l.plan_id = p.plan_id) is not null) as fact
    from agents q where q.agent_id = r."agentId" offset 0) a on true
  cross join lateral unnest(r.ords, r.jtis, r.ids, r.attempts) with ordinality as i(ord, jti, id, attempt, place)
  left join lateral (select q.jti, q.account, q.plan_id, q.delegation_id, q.order_spent > 0 as has_spent,
      (select true from budgets g where g.account = q.account limit 1) as has_budgets,
      json_build_object(
      'account', q.account,
      'planId', q.plan_id,
      'canOrder', q.can_order,
      'redemptionsLeft', (q.redemption_limit - q.redeemed - q.reserved)::text,
      'orderLeft', (q.order_limit - q.order_spent - q.order_reserved)::text,
      'expiresAt', q.expires_at,
      'isRevoked', q.revoked_at is not null,
      'leaseSecs', q.lease_secs) as fact
    from tokens q where q.jti = i.jti offset 0) t on true
  left join lateral (select json_build_object(
      'delegationId', q.delegation_id,
      'provider', q.provider,
      'isRevoked', q.revoked_at is not null,
      'expiresAt', q.expires_at,
      'sessionKeyAddress', q.session_key_address,
      'budgetLeft', (q.spending_limit_cents - q.spent_cents - q.reserved_cents)::text,
      'orderLimit', q.order_limit::text,
      'transactionsLeft', (q.max_transactions - q.transaction_count)::text,
      'currency', q.currency) as fact
    from delegations q where q.delegation_id = t.delegation_id offset 0) d on true
  left join lateral (select q.plan_version, case when q.expires_at is null or q.expires_at > v_now then q.available end as available, json_build_object(
      'available', q.available::text,
      'held', q.held::text,
      'debt', q.debt::text,
      'isLive', q.expires_at is null or q.expires_at > v_now) as fact
    from balances q where q.account = t.account and q.plan_id = p.plan_id offset 0) b on true
  left join lateral (select q.order_tx, case when q.state = 'held' and q.jti = i.jti then q.plan_version end as plan_version, json_build_object(
      'jti', q.jti,
      'amount', q.amount::text,
      'state', q.state,
      'expiresAt', q.expires_at,
      'orderTx', q.order_tx,
      'isUsable', q.state = 'held' and q.requests is null,
      -- Earlier releases kept no subject. Anyone can read a captured payment and send it, so that it needs a match.
      'isSameCall', coalesce(q.subject_hash = subject_hash(r.subject), q.scheme <> 'exact'),
      'isSameAttempt', coalesce(q.attempt = hashtextextended(i.attempt, 0), false)) as fact
    from holds q where q.request_key = k.account || '/' || i.id offset 0) h on true
  -- The terms that credits were reserved under, else those the subscriber ordered, where they are not the newest.
  left join lateral (select greatest(per_request(q), 1) as most, terms_fact(q) as fact
    from plan_versions q where q.plan_id = p.plan_id and q.version = nullif(coalesce(h.plan_version, b.plan_version), p.version) offset 0) v on true
  left join lateral (select json_build_object(
      'fingerprint', q.fingerprint,
      'settlementId', q.settlement_id,
      'amount', q.amount::text,
      'remaining', q.remaining::text,
      'orderTx', q.order_tx,
      'transaction', q.transaction,
      'chainStatus', q.chain_status,
      'account', q.account,
      'planId', q.plan_id,
      'network', q.network) as fact
    from settlements q where q.request_key = k.account || '/' || i.id offset 0) x on true;
end $$;

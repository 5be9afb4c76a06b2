-- version 9, content fc337f50cc08ff9d
-- What is an event: each trigger queues one in the transaction of its change, so that no writer can forget it.

-- One row of the queue for a batch: the events follow from the settlements, which never change.
create or replace function queue_settlements() returns trigger language plpgsql as $$
begin
  insert into event_queue (type, refs, created_at)
  select 'request.settled', array_agg(settlement_id), min(created_at) from written having count(*) > 0;
  return null;
end $$;
create or replace trigger settlement_events after insert on settlements
  referencing new table as written for each statement execute function queue_settlements();

create or replace function queue_plan() returns trigger language plpgsql as $$
declare v_plan plans := coalesce(new, old);
begin
  perform queue_event(case when tg_op = 'INSERT' then 'plan.created' when tg_op = 'DELETE' then 'plan.deleted'
      when old.archived_at is null and new.archived_at is not null then 'plan.archived'
      when old.archived_at is not null and new.archived_at is null then 'plan.restored' else 'plan.updated' end,
    v_plan.plan_id, array[v_plan.owner],
    jsonb_build_object('planId', v_plan.plan_id, 'name', v_plan.metadata->>'name', 'state', v_plan.state, 'version', v_plan.version));
  return null;
end $$;
create or replace trigger plan_events after insert or delete on plans for each row execute function queue_plan();
create or replace trigger plan_update_events after update of updated_at on plans for each row
  when (old.updated_at is distinct from new.updated_at) execute function queue_plan();

create or replace function queue_agent() returns trigger language plpgsql as $$
declare v_agent agents := coalesce(new, old);
begin
  perform queue_event(case when tg_op = 'INSERT' then 'agent.created' when tg_op = 'DELETE' then 'agent.deleted'
      when old.archived_at is null and new.archived_at is not null then 'agent.archived'
      when old.archived_at is not null and new.archived_at is null then 'agent.restored' else 'agent.updated' end,
    v_agent.agent_id, array[v_agent.owner], jsonb_build_object('agentId', v_agent.agent_id, 'name', v_agent.metadata->>'name'));
  return null;
end $$;
create or replace trigger agent_events after insert or delete on agents for each row execute function queue_agent();
create or replace trigger agent_update_events after update of updated_at on agents for each row
  when (old.updated_at is distinct from new.updated_at) execute function queue_agent();

-- What an order is paid in: a price in a token counts in its currency, and is paid in the stablecoin (lib/console/paid-in.ts).
create or replace function currency_paid(o orders) returns text language sql stable as $$
  select coalesce((select case lower(o.currency) when 'usd' then 'usdc' when 'eur' then 'eurc' end from plan_versions v
    where v.plan_id = o.plan_id and v.version = o.plan_version and v.price->>'tokenAddress' ~ '^0x0*[1-9a-fA-F]'), o.currency)
$$;

create or replace function queue_order() returns trigger language plpgsql as $$
declare
  v_data jsonb := jsonb_build_object('orderId', new.order_id, 'planId', new.plan_id, 'subscriber', new.account,
    'amount', new.price::text, 'currency', currency_paid(new));
begin
  if tg_op = 'INSERT' then perform queue_event('order.created', new.order_id, array[new.account], v_data); end if;
  if new.status in ('minted', 'refunded') then
    perform queue_event(case when new.status = 'refunded' then 'order.refunded'
        when tg_op = 'UPDATE' and old.status = 'refunded' then 'order.reinstated' else 'order.completed' end,
      new.order_id, array[new.account, owner_of_plan(new.plan_id)], v_data);
  elsif new.status in ('declined', 'requires_action') then
    perform queue_event('order.' || new.status, new.order_id, array[new.account],
      v_data || jsonb_build_object('failureCode', new.failure_code));
  end if;
  return null;
end $$;
create or replace trigger order_events after insert on orders for each row execute function queue_order();
create or replace trigger order_update_events after update of status on orders for each row
  when (old.status is distinct from new.status) execute function queue_order();

create or replace function queue_credits() returns trigger language plpgsql as $$
begin
  -- An order of a time plan that has time left takes the old unit back, and access goes on.
  if new.kind = 'expire' and exists (select 1 from balances b join plans p on p.plan_id = b.plan_id where b.account = new.account
    and b.plan_id = new.plan_id and p.access_limit = 'time' and (b.expires_at is null or b.expires_at > app_now())) then
    return null;
  end if;
  perform queue_event(case new.kind when 'mint' then 'credits.granted' when 'expire' then 'credits.expired'
      when 'refund' then 'credits.removed' else 'credits.returned' end,
    case new.kind when 'expire' then new.account || '/' || new.plan_id else new.ref end,
    array[new.account, owner_of_plan(new.plan_id)],
    jsonb_build_object('planId', new.plan_id, 'subscriber', new.account, 'credits', new.amount::text,
      'cause', case when new.kind <> 'expire' then new.ref end));
  return null;
end $$;
create or replace trigger credits_events after insert on transfers for each row
  when (new.kind in ('mint', 'expire', 'refund', 'restore', 'return')) execute function queue_credits();

create or replace function queue_token() returns trigger language plpgsql as $$
begin
  perform queue_event(case when tg_op = 'INSERT' then 'token.created' else 'token.revoked' end, new.jti, array[new.account],
    jsonb_build_object('tokenId', new.jti, 'planId', new.plan_id, 'agentId', new.agent_id, 'delegationId', new.delegation_id,
      'expiresAt', iso_instant(new.expires_at)));
  return null;
end $$;
create or replace trigger token_events after insert on tokens for each row execute function queue_token();
create or replace trigger token_update_events after update of revoked_at on tokens for each row
  when (old.revoked_at is null and new.revoked_at is not null) execute function queue_token();

create or replace function queue_delegation() returns trigger language plpgsql as $$
begin
  perform queue_event(case when tg_op = 'INSERT' then 'delegation.created'
      when old.revoked_at is null and new.revoked_at is not null then 'delegation.revoked' else 'delegation.signed' end,
    new.delegation_id, array[new.account],
    jsonb_build_object('delegationId', new.delegation_id, 'provider', new.provider, 'currency', new.currency,
      'spendingLimitCents', new.spending_limit_cents::text, 'expiresAt', iso_instant(new.expires_at)));
  return null;
end $$;
create or replace trigger delegation_events after insert on delegations for each row execute function queue_delegation();
create or replace trigger delegation_update_events after update of revoked_at, sign_before on delegations for each row
  when ((old.revoked_at is null and new.revoked_at is not null) or (old.sign_before is not null and new.sign_before is null))
  execute function queue_delegation();

-- The gate's report and the service's own record of a refusal come in either order: each account hears of it once. What a gate
-- says in its own words is for its builder alone (docs/adr/0069-one-table-of-causes.md). Anyone can have a call refused with a
-- token that they made up: a refusal is no event until its payer is known. Nor is what a builder reports beyond so many a minute
-- (lib/domain/figures/refusals.ts): `turnpike.silent_reports` has the statuses that make none.
create or replace function queue_report() returns trigger language plpgsql as $$
declare
  v_holder text := (select account from holds where request_key = new.request_key);
  v_payer text := coalesce(new.payer, v_holder);
  v_is_same boolean := tg_op = 'UPDATE' and old.money_status = new.money_status;
  v_is_refused boolean := new.money_status = 'refused';
  v_type text := case when v_is_refused then 'request.declined' else 'request.unsettled' end;
  v_data jsonb := jsonb_build_object('agentRequestId', new.agent_request_id, 'builder', new.builder, 'subscriber', v_payer,
    'planId', new.plan_id, 'agentId', new.agent_id);
begin
  if new.money_status = any(string_to_array(current_setting('turnpike.silent_reports', true), ',')) or v_is_refused and v_payer is null
    or v_is_same and coalesce(old.payer, v_holder) is not distinct from v_payer then return null; end if;
  if not v_is_same or v_is_refused and coalesce(old.payer, v_holder) is null then
    perform queue_event(v_type, new.request_key, array[new.builder], v_data || jsonb_build_object('reason', new.reason));
  end if;
  if v_payer <> new.builder then
    perform queue_event(v_type, new.request_key, array[v_payer], v_data || jsonb_build_object('reason', case when new.reason in
      ('invalid_token', 'expired_token', 'insufficient_balance', 'invalid_plan', 'invalid_agent') then new.reason end));
  end if;
  return null;
end $$;
create or replace trigger report_events after insert on request_reports for each row
  when (new.money_status in ('refused', 'delivered-unsettled')) execute function queue_report();
create or replace trigger report_update_events after update on request_reports for each row
  when (new.money_status in ('refused', 'delivered-unsettled')
    and (old.money_status is distinct from new.money_status or (old.payer is null and new.payer is not null)))
  execute function queue_report();

create or replace function queue_refund() returns trigger language plpgsql as $$
begin
  perform queue_event('refund.' || case new.state when 'open' then 'opened' when 'refused' then 'failed' else new.state end,
    coalesce(new.order_id, new.request_key), array[new.account, new.owner],
    jsonb_build_object('refundId', new.refund_id, 'orderId', new.order_id, 'agentRequestId', split_part(new.request_key, '/', 2),
      'planId', new.plan_id, 'subscriber', new.account, 'amount', new.amount::text, 'currency', new.currency,
      'madeBy', new.made_by, 'failureCode', new.failure_code));
  return null;
end $$;
create or replace trigger refund_events after insert on refunds for each row execute function queue_refund();
create or replace trigger refund_update_events after update of state on refunds for each row
  when (old.state is distinct from new.state) execute function queue_refund();

create or replace function queue_dispute() returns trigger language plpgsql as $$
begin
  perform queue_event('dispute.' || case new.status when 'needs_response' then 'opened' else new.status end,
    new.order_id, array[new.owner],
    jsonb_build_object('disputeId', new.dispute_id, 'orderId', new.order_id, 'amount', new.amount::text,
      'currency', (select currency_paid(o) from orders o where o.order_id = new.order_id), 'reason', new.reason,
      'respondBy', iso_instant(new.respond_by)));
  return null;
end $$;
create or replace trigger dispute_events after insert on disputes for each row execute function queue_dispute();
create or replace trigger dispute_update_events after update of status on disputes for each row
  when (old.status is distinct from new.status) execute function queue_dispute();

create or replace function queue_payout() returns trigger language plpgsql as $$
begin
  perform queue_event('payout.' || case new.state when 'open' then 'created' else new.state end, new.payout_id, array[new.account],
    jsonb_build_object('payoutId', new.payout_id, 'amount', new.amount::text, 'currency', new.currency, 'failureCode', new.failure_code));
  return null;
end $$;
create or replace trigger payout_events after insert on payouts for each row execute function queue_payout();
create or replace trigger payout_update_events after update of state on payouts for each row
  when (old.state is distinct from new.state and new.state in ('sent', 'paid', 'failed')) execute function queue_payout();

create or replace function queue_withdrawal() returns trigger language plpgsql as $$
begin
  perform queue_event('withdrawal.' || case new.state when 'open' then 'created' when 'refused' then 'failed' else 'paid' end,
    new.payment_id, array[new.account],
    jsonb_build_object('withdrawalId', new.payment_id, 'to', new.recipient, 'token', new.token, 'amount', new.amount::text,
      'txHash', new.tx_hash, 'failureCode', new.failure_code));
  return null;
end $$;
create or replace trigger withdrawal_events after insert on account_payments for each row
  when (new.kind = 'withdrawal') execute function queue_withdrawal();
create or replace trigger withdrawal_update_events after update of state on account_payments for each row
  when (new.kind = 'withdrawal' and old.state is distinct from new.state) execute function queue_withdrawal();

-- The first reading of an account finds years of transfers: those up to the block at which it began are no news, but for
-- those of the last hour. `turnpike.deposits` has that block, or says that the chain moved transfers that were told.
create or replace function queue_deposit() returns trigger language plpgsql as $$
declare v_known text := nullif(current_setting('turnpike.deposits', true), '');
begin
  if v_known = 'moved' then return null; end if;
  if new.created_at > now() - interval '1 hour' or new.block > coalesce(v_known::bigint, new.block) then
    perform queue_event('deposit.received', new.tx_hash || ' ' || new.log_index, array[new.account],
      jsonb_build_object('txHash', new.tx_hash, 'from', nullif(new.sender, '0x' || repeat('0', 40)), 'token', new.token,
        'amount', new.amount::text, 'orderId', (select order_id from cause_of_deposit(new))));
  end if;
  return null;
end $$;
create or replace trigger deposit_events after insert on deposits for each row execute function queue_deposit();

create or replace function queue_key() returns trigger language plpgsql as $$
begin
  perform queue_event(case when tg_op = 'INSERT' then 'key.created' else 'key.revoked' end, new.key_id, array[new.account],
    jsonb_build_object('keyId', new.key_id, 'name', new.name, 'preset', new.preset, 'expiresAt', iso_instant(new.expires_at)));
  return null;
end $$;
create or replace trigger key_events after insert on api_keys for each row execute function queue_key();
create or replace trigger key_update_events after update of revoked_at on api_keys for each row
  when (old.revoked_at is null and new.revoked_at is not null) execute function queue_key();

-- Cards are the processor's; their removal is in the audit trail.
create or replace function queue_card() returns trigger language plpgsql as $$
begin
  perform queue_event('card.removed', new.subject, array[new.account], jsonb_build_object('card', new.subject));
  return null;
end $$;
create or replace trigger card_events after insert on audit for each row
  when (new.action = 'payment-method.remove') execute function queue_card();

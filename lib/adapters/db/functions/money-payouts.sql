-- version 16, content 29be97b6e889fbb0
-- Card money that is collected for builders, and what is paid out of it.

-- Whether a row of payables adds to what is owed, or takes away.
create or replace function payable_sign(p_kind text) returns int language sql immutable as $$
  select case when p_kind in ('earned', 'restored', 'returned') then 1 else -1 end
$$;

-- What the platform keeps of an order, once: of its price the plan's rate in hundredths of a percent, rounded down to a multiple
-- of `p_unit`, as payouts are, and spread over the receivers' shares; a share smaller than a unit may be less than its part. A rate is the one of the fee
-- controller that the sold terms name and their owner may name, else the deployment's. It stays when the payment goes back. Replicas of the
-- release before send rates for all owners.
create or replace function write_fees(p_order text, p_default int, p_by_controller jsonb, p_unit numeric) returns void language sql as $$
  insert into payables (order_id, owner, receiver, currency, kind, amount, reference, created_at)
  select y.order_id, y.owner, y.receiver, y.currency, 'fee', f.amount, y.reference, app_now()
  from (select p.*, sum(p.amount) over (order by p.id) as upto from payables p where p.order_id = p_order and p.kind = 'earned') y
  join orders o on o.order_id = y.order_id
  join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
  cross join lateral (select coalesce((p_by_controller->>lower(v.price->>'feeController' || '/' || y.owner))::int,
    (p_by_controller->>lower(v.price->>'feeController'))::int, p_default) as bps) r
  cross join lateral (select (floor(y.upto * r.bps / 10000 / p_unit) - floor((y.upto - y.amount) * r.bps / 10000 / p_unit)) * p_unit as amount) f
  where f.amount > 0
$$;

-- As the release before calls it: in millionths.
create or replace function write_fees(p_order text, p_default int, p_by_controller jsonb) returns void language sql as $$
  select write_fees(p_order, p_default, p_by_controller, 1)
$$;

-- What a row of payables adds to what is owed to its builder; to what of it their own sales that have cleared at the processor
-- cover; and to what of it the processor converted into another currency; and whether that stays so, also where the database's
-- clock goes back by less than a day. Payouts count at once. What a sale brought counts with its clearing, less what of it went
-- on to the builder with the charge; what refunds and chargebacks took of it counts before that too, because it has left the
-- platform's balance. A converted sale is held in another currency with all that was taken of it.
create or replace view payable_shares as
  select y.id, y.owner, y.currency, s.amount, case when y.order_id is null or s.is_available and not s.is_converted
      or (not s.is_converted and y.kind in ('refunded', 'reversed', 'restored')) then s.amount else 0 end as cleared,
    case when s.is_converted then s.amount else 0 end as converted, y.order_id is null or s.is_settled as is_final
  from payables y left join clearings c using (order_id)
  cross join lateral (select payable_sign(y.kind) * y.amount as amount, coalesce(c.currency <> y.currency, false) as is_converted,
    coalesce(c.available_on <= (select app_now()), false) as is_available,
    coalesce(c.available_on <= (select app_now()) - interval '1 day', false) as is_settled) s;

-- The same of all of a builder's rows, per currency.
create or replace function sums_owed(p_owner text) returns table (currency text, amount numeric, cleared numeric, converted numeric) language sql stable as $$
  select each.currency, sum(each.amount), sum(each.cleared), sum(each.converted)
  from (select s.currency, s.amount, s.cleared, s.converted from owed_sums s where s.owner = p_owner
    union all select s.currency, s.amount, s.cleared, s.converted from open_payables t join payable_shares s using (id) where t.owner = p_owner) each
  group by each.currency
$$;

-- Adds open rows that stay as they are to the sums; how many.
create or replace function sum_payables(p_limit int) returns bigint language sql as $$
  with done as (delete from open_payables where id in (
      select t.id from open_payables t join payable_shares s using (id) where s.is_final order by t.id limit p_limit for update of t skip locked)
    returning id),
  summed as (insert into owed_sums as o (owner, currency, amount, cleared, converted)
    select s.owner, s.currency, sum(s.amount), sum(s.cleared), sum(s.converted) from done join payable_shares s using (id) group by 1, 2 order by 1, 2
    on conflict (owner, currency) do update
      set amount = o.amount + excluded.amount, cleared = o.cleared + excluded.cleared, converted = o.converted + excluded.converted)
  select count(*) from done
$$;

-- Every row is open at first, and every sale is to be cleared. Replicas of release 0.1.0 write payables alone.
create or replace function open_payable() returns trigger language plpgsql as $$
begin
  insert into open_payables (id, owner) values (new.id, new.owner);
  if new.kind = 'earned' and new.order_id is not null then
    insert into clearings (order_id, due_at) values (new.order_id, app_now()) on conflict (order_id) do nothing;
  end if;
  return null;
end $$;
create or replace trigger payables_open after insert on payables for each row execute function open_payable();

-- Writes when sales clear. Those of which the processor does not know it are asked about again: after ten minutes, later after
-- as long as it does not know it, and at least daily.
create or replace function write_clearings(p_clearings jsonb) returns void language sql as $$
  update clearings c
  set currency = g.currency, available_on = g."availableOn",
    absent_since = case when g."availableOn" is null then coalesce(c.absent_since, app_now()) end,
    due_at = case when g."availableOn" is null then app_now() + greatest(interval '10 minutes',
      least(interval '1 day', app_now() - coalesce(c.absent_since, app_now()))) end
  from jsonb_to_recordset(p_clearings) as g("orderId" text, currency text, "availableOn" timestamptz)
  where c.order_id = g."orderId" and c.available_on is null
$$;

-- Decides one at a time what payouts and refunds take of what a builder is owed in a currency.
create or replace function lock_owed(p_owner text, p_currency text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('payout ' || p_owner || ' ' || p_currency, 0))
$$;

-- Begins a payout of all that is owed in a currency and covered by cleared sales, in whole units and at most `p_most`, where
-- that is not null; what was owed, when it began none, as for an account that is stopped.
create or replace function begin_payout(p_payout text, p_account text, p_processor_account text, p_currency text, p_key text, p_unit numeric, p_most numeric)
returns numeric language plpgsql as $$
declare
  v_owed numeric;
  v_cleared numeric;
  v_amount numeric;
begin
  perform lock_owed(p_account, p_currency);
  select coalesce(sum(amount), 0), coalesce(sum(cleared), 0) into v_owed, v_cleared
  from sums_owed(p_account) where currency = p_currency;
  v_amount := floor(least(v_owed, v_cleared, p_most) / p_unit) * p_unit;
  if v_amount <= 0 or exists (select 1 from accounts where address = p_account and stopped_at is not null) then return v_owed; end if;
  insert into payouts (payout_id, account, processor_account, currency, amount, state, idempotency_key, created_at, updated_at, due_at)
  values (p_payout, p_account, p_processor_account, p_currency, v_amount, 'open', p_key, app_now(), app_now(), app_now() + interval '1 minute');
  insert into payables (payout_id, owner, receiver, currency, kind, amount, created_at)
  values (p_payout, p_account, p_account, p_currency, 'paid-out', v_amount, app_now());
  return null;
end $$;

-- As the release before calls it.
create or replace function begin_payout(p_payout text, p_account text, p_processor_account text, p_currency text, p_key text, p_unit numeric)
returns numeric language sql as $$
  select begin_payout(p_payout, p_account, p_processor_account, p_currency, p_key, p_unit, null)
$$;

-- Ends a payout that failed: its money is owed again, once.
create or replace function fail_payout(p_payout text, p_code text, p_message text) returns void language sql as $$
  with failed as (
    update payouts set state = 'failed', failure_code = coalesce(p_code, failure_code),
      failure_message = coalesce(p_message, failure_message), updated_at = app_now(), due_at = null
    where payout_id = p_payout and state in ('open', 'returning') returning *
  )
  insert into payables (payout_id, owner, receiver, currency, kind, amount, created_at)
  select payout_id, account, account, currency, 'returned', amount, app_now() from failed
$$;

-- Each payout took its amount out of the book once, and gave it back exactly when it failed.
create or replace view inv_payouts as
  select p.payout_id from payouts p
  left join (
    select payout_id, sum(amount) filter (where kind = 'paid-out') as taken, sum(amount) filter (where kind = 'returned') as returned
    from payables where payout_id is not null group by payout_id
  ) y using (payout_id)
  where y.taken is distinct from p.amount
    or y.returned is distinct from case when p.state = 'failed' then p.amount end
    or (p.state in ('sent', 'paid') and (p.transfer_reference is null or p.payout_reference is null));

-- Sums of card money are those of the rows that are not open.
create or replace view inv_owed_sums as
  select owner from (
    select s.owner, s.currency, s.amount, s.cleared, s.converted from payable_shares s
      where not exists (select 1 from open_payables t where t.id = s.id)
    union all select owner, currency, -amount, -cleared, -converted from owed_sums) each
  group by owner, currency having sum(amount) <> 0 or sum(cleared) <> 0 or sum(converted) <> 0;

-- The platform keeps at most what an order's receivers earned together.
create or replace view inv_fees as
  select order_id from payables where order_id is not null group by order_id
  having coalesce(sum(amount) filter (where kind = 'fee'), 0) > coalesce(sum(amount) filter (where kind = 'earned'), 0);

-- A payment out of an account ended once: paid with its transaction, or refused with its reason.
create or replace view inv_account_payments as
  select payment_id from account_payments
  where (state = 'open') <> (closed_at is null) or (state = 'paid') <> (tx_hash is not null)
    or (state = 'refused') <> (failure_code is not null) or (state <> 'open') <> (due_at is null)
    or (state = 'paid' and operation_hash is null);

-- version 9, content 2b9bc47e02621af9
-- Time and the hash chain; everything else builds on these.

-- In plpgsql, as all that others call for each batch or row: a function in SQL is planned and started again each time.
create or replace function app_now() returns timestamptz language plpgsql stable as $$
declare v_offset bigint;
begin
  select offset_ms into v_offset from clock where id = 1;
  return clock_timestamp() + case when v_offset is null then interval '0' else make_interval(secs => v_offset / 1000.0) end;
end $$;

create or replace function chain_step(state bytea, link bytea) returns bytea language plpgsql immutable as $$
begin return sha256(coalesce(state, ''::bytea) || link); end $$;

-- h(n) = sha256(h(n-1) || link(n)); as a window aggregate it yields every h of a batch.
create or replace aggregate hash_chain(bytea) (sfunc = chain_step, stype = bytea);

create or replace function transfer_link(seq bigint, kind text, amount numeric, ref text) returns bytea language plpgsql immutable as $$
begin return convert_to(seq::text || '|' || kind || '|' || amount::text || '|' || ref, 'UTF8'); end $$;

-- Creates a type of rows that functions hand on, once; an attribute that it got later is added where it lacks it.
create or replace function create_type(p_name text, p_attributes text) returns void language plpgsql as $$
begin
  execute format('create type %I as (%s)', p_name, p_attributes);
exception when duplicate_object then null;
end $$;
create or replace function add_attribute(p_type text, p_attribute text) returns void language plpgsql as $$
begin
  execute format('alter type %I add attribute %s', p_type, p_attribute);
exception when duplicate_column then null;
end $$;

-- The ledger is written once: no row of it is ever changed or removed.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin raise exception '% is append-only', tg_table_name; end $$;

-- Who writes transfers has written to these before, in this order. Locked after transfers, as by the triggers of later files, each would
-- wait for the other: no upgrade would come to an end beside settlements and orders.
lock table settlements, tokens, delegations, orders in share row exclusive mode;
create or replace trigger transfers_append_only before update or delete on transfers for each row execute function refuse_change();

create or replace trigger audit_append_only before update or delete on audit for each row execute function refuse_change();

create or replace trigger payables_append_only before update or delete on payables for each row execute function refuse_change();

-- 2^256-1: what a transfer, an order or a request is of at most. Balances and debts are sums, which nothing bounds.
create or replace function most_amount() returns numeric language sql immutable as $$
  select 115792089237316195423570985008687907853269984665640564039457584007913129639935
$$;

-- Whether a balance can hold that many more credits of an order. Of a time plan it is always one.
create or replace function balance_holds(p_account text, p_plan text, p_more numeric) returns boolean language sql as $$
  select p.access_limit = 'time' or p_more + coalesce(b.available + b.held, 0) <= most_amount()
  from plans p left join balances b on b.plan_id = p.plan_id and b.account = p_account where p.plan_id = p_plan
$$;

-- Whether the time that a balance has of a time plan can be longer by that many seconds: it ends by the year 9999, because
-- an order that no date can express would be paid and never minted.
create or replace function time_holds(p_account text, p_plan text, p_secs numeric) returns boolean language sql as $$
  select p.access_limit <> 'time'
    or extract(epoch from greatest(b.expires_at, app_now())) + p_secs <= extract(epoch from timestamptz '9999-12-31T00:00:00Z')
  from plans p left join balances b on b.plan_id = p.plan_id and b.account = p_account where p.plan_id = p_plan
$$;

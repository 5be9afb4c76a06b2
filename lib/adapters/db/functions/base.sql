-- version 1, content 96f366ebd26a7692
-- Time and the hash chain; everything else builds on these.

create or replace function app_now() returns timestamptz language sql stable as $$
  select clock_timestamp() + coalesce((select make_interval(secs => offset_ms / 1000.0) from clock where id = 1), interval '0')
$$;

create or replace function chain_step(state bytea, link bytea) returns bytea language sql immutable as $$
  select sha256(coalesce(state, ''::bytea) || link)
$$;

-- h(n) = sha256(h(n-1) || link(n)); as a window aggregate it yields every h of a batch.
create or replace aggregate hash_chain(bytea) (sfunc = chain_step, stype = bytea);

create or replace function transfer_link(seq bigint, kind text, amount numeric, ref text) returns bytea language sql immutable as $$
  select convert_to(seq::text || '|' || kind || '|' || amount::text || '|' || ref, 'UTF8')
$$;

-- The ledger is written once: no row of it is ever changed or removed.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin raise exception '% is append-only', tg_table_name; end $$;

create or replace trigger transfers_append_only before update or delete on transfers for each row execute function refuse_change();

create or replace trigger audit_append_only before update or delete on audit for each row execute function refuse_change();

create or replace trigger payables_append_only before update or delete on payables for each row execute function refuse_change();

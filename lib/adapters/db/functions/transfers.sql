-- version 6, content 7d0c7913b19547e1
-- How credits move. Each function of the hot path takes a batch as JSON, decides and writes it in one transaction, and
-- returns one row per entry. Lock order everywhere: tokens, then balances, each sorted by key; a hold and a settlement
-- are only written under the lock of their balance.
--
-- Every table is reached by index, whatever its size was when the plan was made: lookups are fenced
-- (`lateral … offset 0`), and what joins or updates a table does so by nested loop over the batch. For the same reason
-- requests have one-column keys: with two indexes to choose from, a plan made on an empty table may choose the one
-- that later reads all rows of a builder.

select create_type('transfer_entry', 'account text, plan_id text, ord int, kind text, amount numeric, ref text');
select create_type('transfer_row', 'account text, plan_id text, seq bigint, kind text, amount numeric, ref text, hash bytea');
select create_type('balance_move', 'account text, plan_id text, seq bigint, hash bytea, available numeric, held numeric, debt numeric');

-- Appends transfers and moves their balances. The caller holds the locks of the balances.
create or replace function append_transfers(p_entries transfer_entry[], p_now timestamptz) returns void language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_rows transfer_row[] := '{}';
  v_moves balance_move[] := '{}';
  v_move balance_move;
  v_entry record;
begin
  for v_entry in
    select e.account, e.plan_id, e.kind, e.amount, e.ref from unnest(p_entries) e where e.amount > 0 order by e.account, e.plan_id, e.ord
  loop
    if v_entry.account is distinct from v_move.account or v_entry.plan_id is distinct from v_move.plan_id then
      select b.account, b.plan_id, b.seq, b.hash, 0, 0, 0 into strict v_move
      from balances b where b.account = v_entry.account and b.plan_id = v_entry.plan_id;
      v_moves := v_moves || v_move;
    end if;
    v_move.seq := v_move.seq + 1;
    v_move.hash := chain_step(v_move.hash, transfer_link(v_move.seq, v_entry.kind, v_entry.amount, v_entry.ref));
    v_move.available := v_move.available + case when v_entry.kind in ('mint', 'void', 'restore', 'return') then v_entry.amount
      when v_entry.kind in ('hold', 'burn', 'expire', 'refund', 'repay') then -v_entry.amount else 0 end;
    v_move.held := v_move.held + case v_entry.kind when 'hold' then v_entry.amount when 'post' then -v_entry.amount when 'void' then -v_entry.amount else 0 end;
    v_move.debt := v_move.debt + case v_entry.kind when 'owe' then v_entry.amount when 'repay' then -v_entry.amount when 'forgive' then -v_entry.amount else 0 end;
    v_moves[cardinality(v_moves)] := v_move;
    v_rows := v_rows || row(v_entry.account, v_entry.plan_id, v_move.seq, v_entry.kind, v_entry.amount, v_entry.ref, v_move.hash)::transfer_row;
  end loop;

  insert into transfers (account, plan_id, seq, kind, debit, credit, amount, ref, created_at, hash)
  select account, plan_id, seq, kind,
    case kind when 'mint' then 'issue' when 'post' then 'held' when 'void' then 'held' when 'owe' then 'debt'
      when 'restore' then 'refunded' when 'forgive' then 'refunded' when 'return' then 'burned' else 'available' end,
    case kind when 'mint' then 'available' when 'hold' then 'held' when 'post' then 'burned' when 'void' then 'available'
      when 'burn' then 'burned' when 'expire' then 'expired' when 'restore' then 'available' when 'return' then 'available' when 'forgive' then 'debt'
      when 'repay' then 'debt' else 'refunded' end,
    amount, ref, p_now, hash
  from unnest(v_rows);
  update balances b
  set available = b.available + m.available, held = b.held + m.held, debt = b.debt + m.debt, seq = m.seq, hash = m.hash
  from unnest(v_moves) m where b.account = m.account and b.plan_id = m.plan_id;
end $$;

-- A balance is a sum: what moves all of it may be more than one amount can be, and takes several then.
create or replace function append_transfer(p_account text, p_plan text, p_kind text, p_amount numeric, p_ref text) returns void language sql as $$
  select append_transfers(array(
    select row(p_account, p_plan, n, p_kind, least(p_amount - n * most_amount(), most_amount()), p_ref)::transfer_entry
    from generate_series(0, div(p_amount - 1, most_amount())::int) n), app_now())
$$;

create or replace function lock_rows(p_jtis text[], p_accounts text[], p_plans text[]) returns void language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform 1 from tokens where jti = any(p_jtis) order by jti for no key update;
  perform 1 from unnest(p_accounts, p_plans) as k(account, plan_id) join balances b on b.account = k.account and b.plan_id = k.plan_id
    order by b.account, b.plan_id for no key update of b;
end $$;

-- One request id in two batches that lock different balances: the later one starts again and sees the first.
create or replace function require_all(p_written int, p_expected int) returns void language plpgsql as $$
begin
  if p_written <> p_expected then
    raise exception 'a request id was taken meanwhile' using errcode = '40001';
  end if;
end $$;

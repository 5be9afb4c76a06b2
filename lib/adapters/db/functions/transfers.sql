-- version 2, content 0500359c0e750b6e
-- How credits move. Each function of the hot path takes a batch as JSON, decides and writes it in one transaction, and
-- returns one row per entry. Lock order everywhere: tokens, then balances, each sorted by key; a hold and a settlement
-- are only written under the lock of their balance.
--
-- Every table is reached by index, whatever its size was when the plan was made: lookups are fenced
-- (`lateral … offset 0`), and what joins or updates a table does so by nested loop over the batch. For the same reason
-- requests have one-column keys: with two indexes to choose from, a plan made on an empty table may choose the one
-- that later reads all rows of a builder.

do $$ begin
  create type transfer_entry as (account text, plan_id text, ord int, kind text, amount numeric, ref text);
exception when duplicate_object then null;
end $$;

-- Appends transfers and moves their balances. The caller holds the locks of the balances.
create or replace function append_transfers(p_entries transfer_entry[], p_now timestamptz) returns void language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with entry as (
    select e.*, row_number() over (partition by e.account, e.plan_id order by e.ord) as n
    from unnest(p_entries) e where e.amount > 0
  ), numbered as (
    select entry.*, b.seq + entry.n as seq, b.hash as head
    from entry, lateral (
      select x.seq, x.hash from balances x where x.account = entry.account and x.plan_id = entry.plan_id offset 0
    ) b
  ), chained as (
    select numbered.*,
      hash_chain(case when n = 1 then head else ''::bytea end || transfer_link(seq, kind, amount, ref))
        over (partition by account, plan_id order by n) as hash
    from numbered
  ), written as (
    insert into transfers (account, plan_id, seq, kind, debit, credit, amount, ref, created_at, hash)
    select account, plan_id, seq, kind,
      case kind when 'mint' then 'issue' when 'post' then 'held' when 'void' then 'held' when 'owe' then 'debt'
        when 'restore' then 'refunded' when 'forgive' then 'refunded' when 'return' then 'burned' else 'available' end,
      case kind when 'mint' then 'available' when 'hold' then 'held' when 'post' then 'burned' when 'void' then 'available'
        when 'burn' then 'burned' when 'expire' then 'expired' when 'restore' then 'available' when 'return' then 'available' when 'forgive' then 'debt'
        when 'repay' then 'debt' else 'refunded' end,
      amount, ref, p_now, hash
    from chained
  ), moved as (
    select account, plan_id, max(seq) as seq, (array_agg(hash order by n desc))[1] as hash,
      sum(case when kind in ('mint', 'void', 'restore', 'return') then amount
        when kind in ('hold', 'burn', 'expire', 'refund', 'repay') then -amount else 0 end) as available,
      sum(case kind when 'hold' then amount when 'post' then -amount when 'void' then -amount else 0 end) as held,
      sum(case kind when 'owe' then amount when 'repay' then -amount when 'forgive' then -amount else 0 end) as debt
    from chained group by account, plan_id
  )
  update balances b
  set available = b.available + m.available, held = b.held + m.held, debt = b.debt + m.debt, seq = m.seq, hash = m.hash
  from moved m where b.account = m.account and b.plan_id = m.plan_id;
end $$;

create or replace function append_transfer(p_account text, p_plan text, p_kind text, p_amount numeric, p_ref text) returns void language sql as $$
  select append_transfers(array[row(p_account, p_plan, 0, p_kind, p_amount, p_ref)::transfer_entry], app_now())
$$;

create or replace function lock_rows(p_jtis text[], p_accounts text[], p_plans text[]) returns void language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform 1 from tokens where jti = any(p_jtis) order by jti for no key update;
  perform 1 from balances b
    join (select distinct account, plan_id from unnest(p_accounts, p_plans) as k(account, plan_id)) k
      on b.account = k.account and b.plan_id = k.plan_id
    order by b.account, b.plan_id for no key update of b;
end $$;

-- One request id in two batches that lock different balances: the later one starts again and sees the first.
create or replace function require_all(p_written int, p_expected int) returns void language plpgsql as $$
begin
  if p_written <> p_expected then
    raise exception 'a request id was taken meanwhile' using errcode = '40001';
  end if;
end $$;

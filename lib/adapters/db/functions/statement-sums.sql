-- version 4, content 2c97764d1962fdc8
-- Sums by month of what came and went by an account's sales, for the list of its statements. They are of rows that stay as they
-- are: payables are never changed, and what a transfer paid is known once its time is closed.

-- What was written of an account's sales in a time, by the month that its statement has it in. `movesOf` says the same of each.
create or replace function sales_written(p_account text, p_token text, p_from timestamptz, p_to timestamptz)
returns table (month text, unit text, amount numeric) language sql stable as $$
  select to_char(case when y.kind in ('earned', 'fee') then coalesce(o.charged_at, o.created_at) else y.created_at end at time zone 'UTC', 'YYYY-MM'),
    y.currency, payable_sign(y.kind) * y.amount
  from payables y left join orders o on o.order_id = y.order_id
  where y.owner = p_account and y.created_at >= p_from and y.created_at < p_to
  union all
  select to_char(coalesce(c.at, d.created_at) at time zone 'UTC', 'YYYY-MM'), 'usdc', d.amount
  from deposits d left join lateral (select x.at from cause_of_deposit(d) x offset 0) c on true
  where d.account = p_account and d.token = p_token and d.created_at >= p_from and d.created_at < p_to
$$;

-- The same by month, with what was summed before. Its statements see one moment. What came since is little: its orders are looked up.
create or replace function sales_by_month(p_account text, p_token text) returns table (month text, unit text, came numeric, went numeric)
language plpgsql stable
set jit = off set plan_cache_mode = force_custom_plan set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_since timestamptz := coalesce((select summed_to from statement_marks where account = p_account and token = p_token), '-infinity');
begin
  return query
  select s.month, s.unit, s.came, s.went from statement_months s where s.account = p_account and s.token = p_token
  union all
  select w.month, w.unit, coalesce(sum(w.amount) filter (where w.amount > 0), 0), coalesce(sum(w.amount) filter (where w.amount < 0), 0)
  from sales_written(p_account, p_token, v_since, 'infinity') w group by 1, 2;
end $$;

-- Adds what was written of an account's sales until its statements are closed, but for the last day: a clock may go back by less,
-- and a sandbox's is ahead of its chain's.
create or replace function sum_sales(p_account text, p_token text, p_closed timestamptz) returns void language plpgsql
set jit = off set plan_cache_mode = force_custom_plan as $$
declare
  v_from timestamptz;
  v_to timestamptz := least(p_closed, app_now() - interval '1 day', clock_timestamp() - interval '1 day');
begin
  insert into statement_marks (account, token, summed_to, sales) values (p_account, p_token, '-infinity', 0) on conflict do nothing;
  select summed_to into v_from from statement_marks where account = p_account and token = p_token for update;
  if v_to <= v_from then return; end if;
  insert into statement_months as m (account, token, month, unit, came, went)
  select p_account, p_token, w.month, w.unit, coalesce(sum(w.amount) filter (where w.amount > 0), 0), coalesce(sum(w.amount) filter (where w.amount < 0), 0)
  from sales_written(p_account, p_token, v_from, v_to) w group by w.month, w.unit
  on conflict (account, token, month, unit) do update set came = m.came + excluded.came, went = m.went + excluded.went;
  update statement_marks set summed_to = v_to, sales = coalesce((select max(number) from invoices where owner = p_account and created_at < v_to), 0)
  where account = p_account and token = p_token;
end $$;

-- Sums of sales are those of the rows that were summed.
create or replace view inv_statement_months as
  select account from (
    select m.account, m.token, w.month, w.unit, greatest(w.amount, 0) as came, least(w.amount, 0) as went
    from statement_marks m cross join lateral sales_written(m.account, m.token, '-infinity', m.summed_to) w
    union all select account, token, month, unit, -came, -went from statement_months) each
  group by account, token, month, unit having sum(came) <> 0 or sum(went) <> 0;

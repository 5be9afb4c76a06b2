-- version 7, content 514f184a455faf36
-- Expires overdue holds, a bounded number at a time; how many it expired.
create or replace function sweep_holds(p_limit int) returns int language plpgsql as $$
declare v_rows jsonb;
begin
  select jsonb_agg(jsonb_build_object('ord', n, 'builder', builder, 'agentRequestId', agent_request_id)) into v_rows
  from (select builder, agent_request_id, row_number() over () as n from holds
        where state = 'held' and expires_at <= app_now() order by expires_at limit p_limit) due;
  if v_rows is null then return 0; end if;
  return (select count(*) from resolve_holds(v_rows, 'expired') where outcome = 'released');
exception when check_violation or numeric_value_out_of_range then
  -- One of them contradicts its token or balance, which the rules report, or is too large for it. It must not keep those of everyone else, and thousands
  -- of an account's must not fill each sweep.
  select jsonb_agg(jsonb_build_object('ord', n, 'builder', builder, 'agentRequestId', agent_request_id)) into v_rows
  from (select builder, agent_request_id, row_number() over () as n from holds
        where state = 'held' and expires_at <= app_now() order by row_number() over (partition by account order by expires_at), expires_at limit p_limit) due;
  return expire_each(v_rows);
end $$;

create or replace function expire_each(p_rows jsonb) returns int language plpgsql as $$
declare
  v_row jsonb;
  v_count int := 0;
begin
  for v_row in select e from jsonb_array_elements(p_rows) e loop
    begin
      v_count := v_count + (select count(*) from resolve_holds(jsonb_build_array(v_row), 'expired') where outcome = 'released');
    exception when check_violation or numeric_value_out_of_range then
      raise warning 'The hold of request % cannot be expired: %', v_row->>'agentRequestId', sqlerrm;
    end;
  end loop;
  return v_count;
end $$;

-- Takes back what outlived its time: all available credits of expired balances become 'expired'. Each of these two runs
-- alone: a transaction locks balances in one order, and no balance after a budget. They are taken
-- at random: hundreds that fail would be the first each time.
create or replace function sweep_expired_balances(p_limit int) returns int language plpgsql as $$
declare
  v_due record;
  v_count int := 0;
begin
  for v_due in select account, plan_id from (
      select account, plan_id from balances where expires_at <= app_now() and available > 0 order by random() limit p_limit
    ) due order by account, plan_id
  loop
    begin
      v_count := v_count + expire_balance(v_due.account, v_due.plan_id);
    exception when integrity_constraint_violation or numeric_value_out_of_range then
      raise warning 'The balance of % in plan % cannot expire: %', v_due.account, v_due.plan_id, sqlerrm;
    end;
  end loop;
  return v_count;
end $$;

-- Credits that came back from a hold repay debt.
create or replace function sweep_debts(p_limit int) returns int language plpgsql as $$
declare
  v_due record;
  v_count int := 0;
begin
  for v_due in select account, plan_id from (
      select account, plan_id from balances where debt > 0 and available > 0 order by random() limit p_limit
    ) due order by account, plan_id
  loop
    begin
      perform 1 from balances where account = v_due.account and plan_id = v_due.plan_id for no key update;
      v_count := v_count + (repay_debt(v_due.account, v_due.plan_id, 'repaid') > 0)::int;
    exception when integrity_constraint_violation or numeric_value_out_of_range then
      raise warning 'The debt of % in plan % cannot be repaid: %', v_due.account, v_due.plan_id, sqlerrm;
    end;
  end loop;
  return v_count;
end $$;

create or replace function expire_balance(p_account text, p_plan text) returns int language plpgsql as $$
declare v_balance balances;
begin
  select * into v_balance from balances where account = p_account and plan_id = p_plan for no key update;
  if v_balance.available is null or v_balance.available = 0 then return 0; end if;
  if v_balance.expires_at is null or v_balance.expires_at > app_now() then return 0; end if;
  perform append_transfer(p_account, p_plan, 'expire', v_balance.available, 'expired');
  return 1;
end $$;

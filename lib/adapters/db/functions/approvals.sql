-- version 5, content b4f1c0177f9280eb
-- Gives back the approval that a declined order used, until it expires. A request for the same that waits meanwhile takes it over.
-- What paid for something stays used: credits of the order's request, or another order of it. Locks the account's budgets.
create or replace function return_approval(p_order text) returns void language plpgsql as $$
declare
  v_order orders := (select o from orders o where o.order_id = p_order);
  v_request text := case when v_order.jti is null then p_order else substring(v_order.idempotency_key from '^top-up/(.*)/[0-9]+$') end;
begin
  perform 1 from budgets where scope = v_order.account for no key update;
  if not found then return; end if;
  -- What has expired keeps the place of an open request until someone asks again.
  update approvals w set state = 'expired' from approvals u
  where u.account = v_order.account and u.state = 'used' and u.used_by = v_request
    and w.account = u.account and w.jti = u.jti and w.subject_hash = u.subject_hash
    and w.state in ('pending', 'approved') and w.expires_at <= app_now();
  update approvals t set state = 'approved', used_by = null, expires_at = u.expires_at, decided_at = u.decided_at,
    decided_key = u.decided_key, decided_by = u.decided_by, secret_hash = null
  from (
    select a.* from approvals a
    where a.account = v_order.account and a.state = 'used' and a.used_by = v_request and a.expires_at > app_now()
      -- The last word of a person on the same stands.
      and not exists (select 1 from approvals d where d.account = a.account and d.jti is not distinct from a.jti
        and d.subject_hash = a.subject_hash and d.state = 'declined' and d.decided_at > a.decided_at)
      and not exists (select 1 from holds h where h.request_key = v_request and h.state <> 'released')
      and not exists (select 1 from settlements s where s.request_key = v_request)
      and not exists (select 1 from orders o where o.account = a.account and o.status <> 'declined' and o.created_at >= a.decided_at
        and o.idempotency_key = any (select 'top-up/' || v_request || '/' || n
          from generate_series(1, case when v_order.jti is not null then substring(v_order.idempotency_key from '^top-up/.*/([0-9]{1,9})$')::int end) n))
    order by a.decided_at desc limit 1) u
  where t.approval_id = coalesce((select w.approval_id from approvals w where w.account = u.account and w.jti = u.jti
      and w.subject_hash = u.subject_hash and w.state in ('pending', 'approved')), u.approval_id)
    and (t.state = 'used' or t.state = 'pending' and t.max_cents <= u.max_cents and t.max_credits <= u.max_credits
      and (t.max_cents = 0 or t.currency is not distinct from u.currency));
end $$;

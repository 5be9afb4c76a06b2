-- version 1, content e2b4644d09c2728d
-- A delegation that is revoked takes its grants on chain with it, once what was settled under it has been burned there.
create or replace function queue_chain_revocation() returns trigger language plpgsql as $$
begin
  insert into outbox (kind, ref, payload, state, attempts, due_at, fence, created_at)
  select 'chain.revoke', d.delegation_id, '{}', 'open', 0, app_now(), 0, app_now()
  from delegations d
  where d.delegation_id = new.delegation_id and d.revoked_at is not null
    and exists (select 1 from chain_grants g where g.delegation_id = d.delegation_id)
  on conflict (kind, ref) do update set state = 'open', due_at = excluded.due_at, done_at = null;
  return null;
end $$;

create or replace trigger delegations_revoked after update of revoked_at on delegations for each row
  when (old.revoked_at is null and new.revoked_at is not null) execute function queue_chain_revocation();

create or replace trigger chain_grants_late after insert on chain_grants for each row
  when (new.delegation_id is not null) execute function queue_chain_revocation();

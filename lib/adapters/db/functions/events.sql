-- version 14, content 9e7aefa1731596e1
-- Events: `event-triggers.sql` queues them in the transaction of the change, `sequence_events` numbers and chains them a
-- moment later. A row of the queue takes its id under the lock of the object it is about, so the order of ids is the
-- order of commits for each object.

-- An object of strings, whole numbers and booleans as RFC 8785 writes it.
create or replace function canonical_json(p_data jsonb) returns text language sql immutable as $$
  select '{' || coalesce(string_agg(to_json(key)::text || ':' || value::text, ',' order by key collate "C"), '') || '}' from jsonb_each(p_data)
$$;

create or replace function iso_instant(p_at timestamptz) returns text language sql immutable as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create or replace function queue_event(p_type text, p_subject text, p_accounts text[], p_data jsonb) returns void language sql as $$
  insert into event_queue (type, subject, accounts, data, created_at)
  select p_type, p_subject, array(select distinct a from unnest(p_accounts) a where a is not null), jsonb_strip_nulls(p_data), app_now()
$$;

create or replace function owner_of_plan(p_plan text) returns text language sql stable as $$
  select owner from plans where plan_id = p_plan
$$;

-- An event is never changed, and deleted only once its account's cut holds its place in the chain.
create or replace function refuse_uncut() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.sequence <= (select sequence from event_cuts where account = old.account) then return old; end if;
  raise exception 'events is append-only';
end $$;
create or replace trigger events_append_only before update or delete on events for each row execute function refuse_uncut();

create or replace function wants_event(p_events text[], p_type text) returns boolean language sql immutable as $$
  select '*' = any(p_events) or p_type = any(p_events) or split_part(p_type, '.', 1) || '.*' = any(p_events)
$$;

-- The copy of the database this is: another cluster, timeline or database means that it was restored or failed over.
create or replace function database_origin() returns text language sql stable as $$
  select s.system_identifier || '/' || c.timeline_id || '/' || (select oid from pg_database where datname = current_database())
  from pg_control_system() s, pg_control_checkpoint() c
$$;

-- Accounts hear of a restored database before anything else: numbers they have seen may come again, with other hashes.
create or replace function note_restored() returns void language plpgsql as $$
declare v_origin text := database_origin();
begin
  if v_origin = (select origin from event_origin where id = 1) then return; end if;
  if exists (select 1 from event_origin) then
    insert into event_queue (id, type, subject, accounts, data, created_at)
    select (select coalesce(min(id), nextval('event_queue_id_seq')) from event_queue) - row_number() over (), 'history.restored', 'history', array[account],
      jsonb_build_object('lastSequence', sequence, 'lastHash', '0x' || encode(hash, 'hex')), app_now()
    from event_heads;
  end if;
  insert into event_origin (id, origin) values (1, v_origin) on conflict (id) do update set origin = excluded.origin;
end $$;

-- What a settlement's event says, before and after the delegation, which only the subscriber is told. Hashed, so never changed:
-- a new field takes a new type of event, or a new pair of functions for settlements from then on.
create or replace function settled_start(s settlements) returns text language sql immutable as $$
  select '{' || coalesce('"agentId":"' || s.agent_id || '",', '') || '"agentRequestId":"' || s.agent_request_id || '","builder":"' || s.builder
    || '","credits":"' || s.amount::text || '",'
$$;
create or replace function settled_rest(s settlements) returns text language sql immutable as $$
  select '"planId":"' || s.plan_id || '","remaining":"' || s.remaining::text || '","settlementId":"' || s.settlement_id
    || '","subscriber":"' || s.account || '","tokenId":"' || s.jti || '"}'
$$;

-- The text of an event that was hashed. That of a settlement is not kept twice: it follows from its row, which never changes.
create or replace function event_data(e events) returns text language sql stable as $$
  select coalesce(e.data, (select settled_start(s) || case when s.account = e.account then '"delegationId":"' || s.delegation_id || '",' else '' end
    || settled_rest(s) from settlements s where s.request_key = e.subject))
$$;

-- Numbers and chains the oldest rows of the queue, and writes the deliveries of the new events; how many rows it took.
-- One at a time, of all replicas: what it writes is in the order of commits for each account.
create or replace function sequence_events(p_limit int) returns int language plpgsql
set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_memoize = off as $$
declare v_taken int;
begin
  if not pg_try_advisory_xact_lock(7402002) then return 0; end if;
  perform note_restored();
  if not exists (select 1 from event_queue) then return 0; end if;
  -- What many events share is worded once: the time of a row of the queue, and both sides' text of a settlement.
  with taken as materialized (
    delete from event_queue where id = any(array(select id from event_queue order by id limit p_limit))
    returning id, type, subject, accounts, data, refs, date_trunc('milliseconds', created_at) as created_at,
      '","createdAt":"' || iso_instant(date_trunc('milliseconds', created_at)) || '","data":' as at_text
  ), handed_on as (
    insert into request_changes (is_settled, refs) select true, refs from taken where refs is not null
  ), expanded as (
    select t.id, 0::bigint as ord, a.account, t.type, t.subject, canonical_json(t.data) as data, t.created_at, t.at_text,
      false as is_settled
    from taken t, unnest(t.accounts) a(account) where t.refs is null
    union all
    select t.id, r.ord, a.account, t.type, s.request_key, s.start || a.delegation || s.rest, t.created_at, t.at_text, true
    from taken t, unnest(t.refs) with ordinality r(ref, ord),
      lateral (select q.request_key, q.builder, q.account, q.delegation_id,
        settled_start(q) as start, settled_rest(q) as rest from settlements q where q.settlement_id = r.ref offset 0) s,
      lateral (select s.account, '"delegationId":"' || s.delegation_id || '",' as delegation
        union all select s.builder, '' where s.builder <> s.account) a
  ), numbered as (
    select x.*, row_number() over mine as n, lead(1) over mine is null as is_last,
      coalesce(h.sequence, 0) + row_number() over mine as sequence, coalesce(h.hash, decode(repeat('00', 32), 'hex')) as head
    from expanded x left join lateral (select q.sequence, q.hash from event_heads q where q.account = x.account offset 0) h on true
    window mine as (partition by x.account order by x.id, x.ord)
  ), chained as materialized (
    select account, sequence, type, subject, case when not is_settled then data end as data, created_at, is_last,
      hash_chain(case when n = 1 then head else ''::bytea end
        || convert_to('{"account":"' || account || at_text || data || ',"sequence":' || sequence || ',"type":"' || type || '"}', 'UTF8'))
      over (partition by account order by id, ord) as hash
    from numbered m
  ), written as (
    insert into events (account, sequence, type, subject, data, created_at, hash)
    select account, sequence, type, subject, data, created_at, hash from chained
  ), headed as (
    insert into event_heads (account, sequence, hash)
    select account, sequence, hash from chained where is_last
    on conflict (account) do update set sequence = excluded.sequence, hash = excluded.hash
  ), listening as materialized (
    select w.* from chained c, lateral (select * from webhook_endpoints q where q.account = c.account and q.state = 'active' offset 0) w
    where c.is_last
  ), sent as (
    insert into webhook_deliveries (endpoint_id, account, sequence, type, subject, state, attempts, due_at, fence, tries, created_at)
    select w.endpoint_id, c.account, c.sequence, c.type, c.subject, 'waiting', 0, app_now(), 0, '[]', app_now()
    from listening w join chained c on c.account = w.account
    where wants_event(w.events, c.type) or (c.type = 'webhook_endpoint.test' and split_part(c.subject, '.', 1) = w.endpoint_id)
  )
  select count(*) into v_taken from taken;
  return v_taken;
end $$;

-- Sends a range of events once more, or for the first time; how many.
create or replace function replay_events(p_endpoint text, p_from bigint, p_to bigint, p_forced boolean) returns int language sql as $$
  with replayed as (
    insert into webhook_deliveries (endpoint_id, account, sequence, type, subject, state, attempts, due_at, fence, tries, created_at)
    select w.endpoint_id, e.account, e.sequence, e.type, e.subject, 'waiting', 0, app_now(), 0, '[]', app_now()
    from webhook_endpoints w join events e on e.account = w.account
    where w.endpoint_id = p_endpoint and e.sequence between p_from and p_to and (p_forced or wants_event(w.events, e.type))
    on conflict (endpoint_id, sequence) do update set state = 'waiting', attempts = 0, due_at = app_now(), leased_until = null,
      delivered_at = null, fence = webhook_deliveries.fence + 1
    returning 1
  )
  select count(*)::int from replayed
$$;

-- Stops an endpoint, where there is a reason, with an event for the account's other endpoints and its pages.
create or replace function disable_endpoint(p_endpoint text, p_reason text) returns void language sql as $$
  with stopped as (
    update webhook_endpoints w set state = 'disabled', disabled_reason = p_reason, disabled_at = app_now(),
      disabled_sequence = coalesce((select sequence from event_heads h where h.account = w.account), 0)
    where endpoint_id = p_endpoint and state = 'active' and p_reason is not null returning *
  )
  select queue_event('webhook_endpoint.disabled', endpoint_id, array[account],
    jsonb_build_object('endpointId', endpoint_id, 'reason', p_reason)) from stopped
$$;

-- What an endpoint could not take when it was disabled, to be called before it is enabled: it is sent as if for the first time. Of
-- hundreds of thousands the oldest, in the time that a statement has: the others keep their tries and the time of the next one.
create or replace function retry_undelivered(p_endpoint text) returns void language sql as $$
  update webhook_deliveries d set state = 'waiting', attempts = 0, due_at = app_now()
  where d.endpoint_id = p_endpoint and d.sequence = any (array(
    select o.sequence from webhook_endpoints w join webhook_deliveries o on o.endpoint_id = w.endpoint_id
    where w.endpoint_id = p_endpoint and w.state = 'disabled'
      -- The delivery whose failure disabled it ended just before.
      and (o.state = 'waiting' and (o.attempts > 0 or o.due_at > app_now())
        or o.state = 'failed' and o.due_at > w.disabled_at - interval '1 minute')
    order by o.state = 'waiting', o.sequence limit 20000))
$$;

-- Deletes events older than some days, a bounded number at a time, with their deliveries; how many. An account's chain is cut at one
-- place, which stays: number and hash of the last event that went, from which the next one's hash follows. What an active
-- endpoint still waits for is kept for the three days that a delivery is tried, and no longer: an account that has its oldest events sent
-- again would keep those of all accounts.
create or replace function cut_events(p_days int, p_limit int) returns int language plpgsql as $$
declare
  v_cut text[];
  v_deleted int;
begin
  if not pg_try_advisory_xact_lock(7402004) then return 0; end if;
  with cut as (insert into event_cuts as c (account, sequence, hash, cut_at)
  select o.account, o.sequence, e.hash, app_now()
  from (
    select oldest.account, greatest(
      least(max(oldest.sequence), (select min(d.sequence) - 1 from webhook_endpoints w
        join webhook_deliveries d on d.endpoint_id = w.endpoint_id and d.state = 'waiting'
        where w.account = oldest.account and w.state = 'active')),
      max(oldest.sequence) filter (where oldest.created_at < app_now() - make_interval(days => p_days + 3))) as sequence
    from (select account, sequence, created_at from events order by position limit p_limit) oldest
    where oldest.created_at < app_now() - make_interval(days => p_days)
    group by oldest.account
  ) o join events e on e.account = o.account and e.sequence = o.sequence
  order by o.account
  on conflict (account) do update set sequence = excluded.sequence, hash = excluded.hash, cut_at = excluded.cut_at
  where excluded.sequence > c.sequence returning c.account)
  select array_agg(account) into v_cut from cut;
  delete from webhook_deliveries d using event_cuts c, webhook_endpoints w
  where c.account = any(v_cut) and w.account = c.account and d.endpoint_id = w.endpoint_id and d.sequence <= c.sequence;
  delete from events e using event_cuts c where c.account = any(v_cut) and e.account = c.account and e.sequence <= c.sequence;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end $$;

-- Each account's events are numbered without a gap from its cut up to its head, and each hash follows from the one before.
create or replace view inv_events as
  select e.account, e.sequence from events e
  left join events p on p.account = e.account and p.sequence = e.sequence - 1
  left join event_heads h on h.account = e.account
  left join event_cuts c on c.account = e.account
  where e.hash <> sha256(coalesce(p.hash, case when c.sequence = e.sequence - 1 then c.hash end, decode(repeat('00', 32), 'hex')) || convert_to('{"account":"' || e.account || '","createdAt":"'
      || iso_instant(e.created_at) || '","data":' || event_data(e) || ',"sequence":' || e.sequence || ',"type":"' || e.type || '"}', 'UTF8'))
    or (p.hash is null and e.sequence > coalesce(c.sequence, 0) + 1) or e.sequence <= coalesce(c.sequence, 0) or e.sequence > coalesce(h.sequence, 0)
  union all
  select h.account, h.sequence from event_heads h
  where not exists (select 1 from events e where e.account = h.account and e.sequence = h.sequence and e.hash = h.hash)
    and not exists (select 1 from event_cuts c where c.account = h.account and c.sequence = h.sequence and c.hash = h.hash);

// Many requests of one builder, written to the tables directly.
import { performance } from "node:perf_hooks";
import pg from "pg";
import type { TestMarket } from "@/lib/server/testing/test-service.ts";

const SUBSCRIBERS = 1_000;
/** The number of the subscriber who sends a tenth of all requests. */
const BUSY = 3;

const addressOf = (subscriber: number) => `0x${subscriber.toString(16).padStart(40, "0")}`;
export const busySubscriber = addressOf(BUSY);
export const ordinarySubscriber = addressOf(7);

/** Subscribers with an order and its credits, before any request. */
const SEED_SUBSCRIBERS = `
  with subscriber as (
    select '0x' || lpad(to_hex(i), 40, '0') as account, i, now() - interval '91 days' as at from generate_series(0, ${SUBSCRIBERS - 1}) i
  ), account as (
    insert into accounts (address, owner, created_at) select account, account, at from subscriber
  ), ordered as (
    insert into orders (order_id, account, plan_id, plan_version, is_trial, status, scheme, price, currency, reserved_cents,
      reserved_amount, fingerprint, attempt, created_at, updated_at)
    select 'order-' || i, account, $1, 1, false, 'minted', 'svc:erc4337', 0, 'usd', 0, 0, '', 1, at, at from subscriber
  )
  insert into transfers (account, plan_id, seq, kind, debit, credit, amount, ref, created_at, hash)
  select account, $1, 1, 'mint', 'issue', 'available', 1000000, 'order-' || i, at, sha256('') from subscriber`;

/** A burn for each settlement, and what is left of each balance. */
const SEED_TRANSFERS = `
  insert into transfers (account, plan_id, seq, kind, debit, credit, amount, ref, created_at, hash)
  select account, plan_id, 1 + row_number() over (partition by account order by created_at), 'burn', 'available', 'burned', 1,
    settlement_id, created_at, sha256(settlement_id::bytea) from settlements where builder = $1`;
const SEED_BALANCES = `
  with used as (select account, count(*) as n, max(created_at) as last from settlements where builder = $1 group by 1),
    token as (
      insert into tokens (jti, account, plan_id, delegation_id, can_order, redemption_limit, redeemed, reserved, order_limit,
        order_spent, order_reserved, issued_at, expires_at, last_used_at)
      select 'jti-' || account, account, $2, 'del', false, 1000000, n, 0, 0, 0, 0, now() - interval '91 days', now() + interval '1 day', last
      from used
    )
  insert into balances (account, plan_id, available, held, plan_version, seq, hash)
  select account, $2, 1000000 - n, 0, 1, 1 + n, sha256('') from used`;

/** A builder's requests over ninety days, a quarter of them reserved first; a tenth reported; one in forty, of every subscriber, not charged. */
const SEED = `
  with request as (
    select i, 'req-' || lpad(to_hex((i::bigint * 2654435761) % 4294967296), 8, '0') || '-' || i as id,
      '0x' || lpad(to_hex(case when i % 40 = 0 then i / 40 % ${SUBSCRIBERS} when i % 10 = ${BUSY} then ${BUSY} else i % ${SUBSCRIBERS} end), 40, '0') as account,
      now() - (($1::int - i)::float8 / $1::int) * interval '90 days' as at
    from generate_series(1, $1::int) i
  ), held as (
    insert into holds (request_key, builder, agent_request_id, account, plan_id, agent_id, jti, amount, plan_version, state, scheme, created_at, expires_at, resolved_at)
    select $2 || '/' || id, $2, id, account, $3, $4, 'jti', 1, 1, case when i % 40 = 0 then 'released' else 'posted' end,
      'svc:erc4337', at, at + interval '2 minutes', at + interval '1 second' from request where i % 4 = 0
  ), reported as (
    insert into request_reports (request_key, builder, agent_request_id, at, method, path, plan_id, agent_id, http_status, money_status, verify_ms, work_ms, settle_ms)
    select $2 || '/rep-' || id, $2, 'rep-' || id, at, 'POST', '/ask', $3, $4, 402, 'challenged', 1, 2, 3
    from request where i % 10 = 0 and at > now() - interval '30 days'
  )
  insert into settlements (request_key, builder, agent_request_id, settlement_id, fingerprint, account, plan_id, agent_id, jti, delegation_id,
    scheme, network, amount, remaining, from_hold, transaction, chain_status, created_at)
  select $2 || '/' || id, $2, id, 'stl-' || id, '', account, $3, $4, 'jti', 'del', 'svc:erc4337', 'eip155:84532', 1, 1, i % 4 = 0, '', 'final', at
  from request where i % 40 <> 0`;

const INDEXES = `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition,
  (select conname from pg_constraint where conindid = indexrelid and contype = 'p') as key, indrelid::regclass::text as table
  from pg_index where indrelid = any('{holds,settlements,transfers}'::regclass[])`;

/** Fills the tables without their indexes, which are made afterwards; how many seconds it took. */
export async function seed(url: string, rows: number, market: TestMarket): Promise<number> {
  const start = performance.now();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set session_replication_role = replica");
  await client.query("set maintenance_work_mem = '512MB'");
  const indexes = (await client.query(INDEXES)).rows;
  for (const { name, key, table } of indexes) {
    await client.query(key ? `alter table ${table} drop constraint ${key}` : `drop index ${name}`);
  }
  const { builder, planId, agentId } = market;
  await client.query(SEED_SUBSCRIBERS, [planId]);
  await client.query(SEED, [rows, builder.address, planId, agentId]);
  await client.query(SEED_TRANSFERS, [builder.address]);
  await client.query(SEED_BALANCES, [builder.address, planId]);
  for (const { definition, key, name, table } of indexes) {
    await client.query(definition);
    if (key)
      await client.query(
        `alter table ${table} add constraint ${key} primary key using index ${name}`,
      );
  }
  // As the background has it of accounts that became busy while they were watched.
  await client.query(
    `insert into summed_accounts (account, role, seen, covered_from, unpaid_from)
     select builder, 'builder', count(*), 'infinity'::timestamptz, 'infinity'::timestamptz from settlements group by 1 having count(*) >= 5000
     union all select account, 'subscriber', count(*), 'infinity', 'infinity' from settlements group by 1 having count(*) >= 5000`,
  );
  await client.query("vacuum analyze");
  await client.end();
  return (performance.now() - start) / 1_000;
}

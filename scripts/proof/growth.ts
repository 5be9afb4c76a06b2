import { performance } from "node:perf_hooks";
import { type Database, openDatabase } from "@/lib/adapters/db/client.ts";
import { createActivity } from "@/lib/adapters/db/figures/activity.ts";
import { createFigures } from "@/lib/adapters/db/figures/figures.ts";
import { createSearch } from "@/lib/adapters/db/figures/search.ts";
import { startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { quantile } from "./measure.ts";

// Lists, filters, searches and figures of one builder at many rows against few: each by its p95 of 30 reads.
const FEW = 10_000;
const MANY = Number(
  process.env.GROWTH_ROWS ?? (process.env.PROOF === "full" ? 1_000_000 : 100_000),
);
const READS = 30;
const SUBSCRIBERS = 1_000;
const builder = `0x${"b".repeat(40)}`;

/** A builder's requests over ninety days, for a quarter of them reserved first; a tenth reported. */
const SEED = `
  with request as (
    select i, 'req-' || lpad(to_hex((i::bigint * 2654435761) % 4294967296), 8, '0') || '-' || i as id,
      '0x' || lpad(to_hex(i % ${SUBSCRIBERS}), 40, '0') as account,
      now() - (($1::int - i)::float8 / $1::int) * interval '90 days' as at
    from generate_series(1, $1::int) i
  ), held as (
    insert into holds (request_key, builder, agent_request_id, account, plan_id, agent_id, jti, amount, plan_version, state, scheme, created_at, expires_at, resolved_at)
    select $2 || '/' || id, $2, id, account, '1', 'agent', 'jti', 1, 1, case when i % 40 = 0 then 'released' else 'posted' end,
      'svc:erc4337', at, at + interval '2 minutes', at + interval '1 second' from request where i % 4 = 0
  ), reported as (
    insert into request_reports (request_key, builder, agent_request_id, at, method, path, plan_id, agent_id, http_status, money_status, verify_ms, work_ms, settle_ms)
    select $2 || '/rep-' || id, $2, 'rep-' || id, at, 'POST', '/ask', '1', 'agent', 402, 'challenged', 1, 2, 3
    from request where i % 10 = 0 and at > now() - interval '30 days'
  )
  insert into settlements (request_key, builder, agent_request_id, settlement_id, fingerprint, account, plan_id, agent_id, jti, delegation_id,
    scheme, network, amount, remaining, from_hold, transaction, chain_status, created_at)
  select $2 || '/' || id, $2, id, 'stl-' || id, '', account, '1', 'agent', 'jti', 'del', 'svc:erc4337', 'eip155:84532', 1, 1, i % 4 = 0, '', 'final', at
  from request where i % 40 <> 0`;

async function seed(database: Database, rows: number): Promise<void> {
  await database.query("insert into accounts (address, owner, created_at) values ($1, $1, now())", [
    builder,
  ]);
  for (const table of ["holds", "settlements", "request_reports"]) {
    await database.query(`alter table ${table} disable trigger user`, []);
  }
  await database.query(
    "insert into plans (plan_id, owner, state, version, access_limit, is_trial, metadata, created_at, updated_at) values ('1', $1, 'listed', 1, 'credits', false, '{\"name\":\"P\"}', now(), now())",
    [builder],
  );
  await database.query("set statement_timeout = 0", []);
  await database.query(SEED, [rows, builder]);
  await database.query("vacuum analyze", []);
}

const reads = (database: Database): Record<string, () => Promise<unknown>> => {
  const activity = createActivity(database);
  const figures = createFigures(database);
  const search = createSearch(database);
  const role = "builder";
  const since = new Date(Date.now() - 86_400_000);
  const settled = { role, moneyStatus: ["settled" as const] } as const;
  return {
    list: () => activity.list(builder, { role }, { limit: 25 }),
    settled: () => activity.list(builder, settled, { limit: 25 }),
    released: () => activity.list(builder, { role, moneyStatus: ["not-charged"] }, { limit: 25 }),
    "list, subscriber": () =>
      activity.list(`0x${"7".padStart(40, "0")}`, { role: "subscriber" }, { limit: 25 }),
    "list, one payer": () =>
      activity.list(builder, { role, payer: `0x${"7".padStart(40, "0")}` }, { limit: 25 }),
    "list, deep page": () => activity.list(builder, { role }, { limit: 25, offset: 5_000 }),
    "list, search": () =>
      activity.list(builder, { role, search: "nothing-like-it" }, { limit: 25 }),
    "search requests": () => search.requestsLike(builder, "nothing-like-it", 5),
    home: () => figures.home(builder, new Date(), false),
    funnel: () => figures.funnel(builder, { role, since, includeTest: false }),
    series: () => figures.series(builder, { role, since, includeTest: false }, 3_600),
    served: () => figures.served(builder, since, 3_600, false),
  };
};

async function measure(database: Database): Promise<Record<string, number>> {
  const p95: Record<string, number> = {};
  for (const [name, read] of Object.entries(reads(database))) {
    const took: number[] = [];
    for (let n = 0; n < READS; n += 1) {
      const start = performance.now();
      await read();
      took.push(performance.now() - start);
    }
    p95[name] = took.sort((a, b) => a - b)[Math.ceil(READS * 0.95) - 1] ?? 0;
  }
  return p95;
}

/** The indexes that lists and checks of the last minutes need. */
const INDEXES = {
  settlements_recent: "on settlements using brin (created_at)",
  holds_builder_unposted: "on holds (builder, created_at) where state <> 'posted'",
};
const WRITTEN = 20_000;

/** Seconds to write requests with and without these indexes, in turn: the median of five each. */
async function measureWrites(database: Database): Promise<{ with: number; without: number }> {
  const took: { with: number[]; without: number[] } = { with: [], without: [] };
  for (let round = 0; round < 10; round += 1) {
    const variant = round % 2 === 0 ? "with" : "without";
    for (const [name, columns] of Object.entries(INDEXES)) {
      const statement =
        variant === "with"
          ? `create index if not exists ${name} ${columns}`
          : `drop index if exists ${name}`;
      await database.query(statement, []);
    }
    const key = `${variant}-${round}`;
    const start = performance.now();
    await database.query(
      `insert into holds (request_key, builder, agent_request_id, account, plan_id, jti, amount, state, scheme, created_at, expires_at)
       select $1 || '/' || $2 || i, $1, $2 || i, $1, '1', 'jti', 1, 'held', '', clock_timestamp(), now() from generate_series(1, ${WRITTEN}) i`,
      [builder, key],
    );
    await database.query(
      `insert into settlements (request_key, builder, agent_request_id, settlement_id, fingerprint, account, plan_id, jti, delegation_id,
         scheme, network, amount, remaining, from_hold, transaction, chain_status, created_at)
       select $1 || '/' || $2 || i, $1, $2 || i, $2 || i, '', $1, '1', 'jti', 'del', '', '', 1, 1, true, '', 'none', clock_timestamp()
       from generate_series(1, ${WRITTEN}) i`,
      [builder, key],
    );
    await database.query(
      "update holds set state = 'posted', resolved_at = now() where request_key in (select $1 || '/' || $2 || i from generate_series(1, $3::int) i)",
      [builder, key, WRITTEN],
    );
    took[variant].push((performance.now() - start) / 1_000);
  }
  return { with: quantile(took.with, 0.5), without: quantile(took.without, 0.5) };
}

/** What has to stay below the bar at any number of rows; the others read a day of rows, and are printed. */
const BOUNDED = [
  "list",
  "settled",
  "list, subscriber",
  "list, one payer",
  "list, deep page",
  "list, search",
  "search requests",
];
const BAR_MS = 100;

const cluster = await startPostgres();
if (!cluster) throw new Error("Postgres is not installed.");
try {
  const figures: Record<string, number>[] = [];
  for (const rows of [FEW, MANY]) {
    const url = await cluster.createDatabase(`rows_${rows}`);
    const database = await openDatabase({ url, poolSize: 4 });
    await seed(database, rows);
    figures.push(await measure(database));
    if (rows === MANY) {
      const writes = await measureWrites(database);
      const ratio = (writes.with / writes.without).toFixed(2);
      console.log(
        `${WRITTEN} requests written: ${writes.with.toFixed(2)} s, without the new indexes ${writes.without.toFixed(2)} s (${ratio} x)`,
      );
    }
    await database.close();
  }
  const [few = {}, many = {}] = figures;
  for (const [name, ms] of Object.entries(many)) {
    const before = few[name] ?? ms;
    const isOver = BOUNDED.includes(name) && ms > BAR_MS;
    if (isOver) process.exitCode = 1;
    console.log(
      `${isOver ? "OVER " : ""}${name}: p95 ${before.toFixed(1)} ms at ${FEW} rows, ${ms.toFixed(1)} ms at ${MANY} (${(ms / before).toFixed(2)} x)`,
    );
  }
} finally {
  await cluster.stop();
}

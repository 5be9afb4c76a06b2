// Lists, filters, searches and figures of one builder, and verify and settle, at many rows against few.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { buildPaymentRequired, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import pg from "pg";
import { type Database, openDatabase } from "@/lib/adapters/db/client.ts";
import { createActivity } from "@/lib/adapters/db/figures/activity.ts";
import { createBusiness } from "@/lib/adapters/db/figures/business.ts";
import { createFigures } from "@/lib/adapters/db/figures/figures.ts";
import { createSearch } from "@/lib/adapters/db/figures/search.ts";
import { startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { sumRequests } from "@/lib/adapters/db/testing/sum-requests.ts";
import { createMarket, createTestService } from "@/lib/server/testing/test-service.ts";

const FEW = 10_000;
const SIZES = (process.env.GROWTH_ROWS ?? (process.env.PROOF === "full" ? "1e6,1e7" : "1e5"))
  .split(",")
  .map(Number);
const READS = 100;
const BUSY_FROM = 5_000;
const CALLS = 2_000;
const AT_ONCE = 32;
const SUBSCRIBERS = 1_000;
const BAR_MS = 100;
const BAR_RATIO = 1.5;
/** Below this a ratio says nothing: one page of the disk or one turn of the scheduler doubles it. */
const FLOOR_MS = 20;
const BAR_CALL_RATIO = 1.1;
/** What sums by the hour cannot answer, and why they are printed only: `docs/adr/0130-sums-by-the-hour.md`. */
const NOT_SUMMED = [
  "causes, day",
  "causes, month",
  "plan, two months",
  "agent, market",
  "customers",
];
const subscriber = `0x${"7".padStart(40, "0")}`;

/** A builder's requests over ninety days, a quarter of them reserved first; a tenth reported; one in forty not charged. */
const SEED = `
  with request as (
    select i, 'req-' || lpad(to_hex((i::bigint * 2654435761) % 4294967296), 8, '0') || '-' || i as id,
      '0x' || lpad(to_hex(i % ${SUBSCRIBERS}), 40, '0') as account,
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
  from pg_index where indrelid = any('{holds,settlements}'::regclass[])`;

/** Fills the tables without their indexes, which are made afterwards; how many seconds it took. */
async function seed(url: string, rows: number, market: Market): Promise<number> {
  const start = performance.now();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set session_replication_role = replica");
  await client.query("set maintenance_work_mem = '512MB'");
  const indexes = (await client.query(INDEXES)).rows;
  for (const { name, key, table } of indexes) {
    await client.query(key ? `alter table ${table} drop constraint ${key}` : `drop index ${name}`);
  }
  await client.query(SEED, [rows, market.builder.address, market.planId, market.agentId]);
  for (const { definition, key, name, table } of indexes) {
    await client.query(definition);
    if (key)
      await client.query(
        `alter table ${table} add constraint ${key} primary key using index ${name}`,
      );
  }
  // As the background has it of accounts that became busy while they were watched.
  await client.query(
    `insert into summed_accounts (account, role, seen, covered_from)
     select builder, 'builder', count(*), 'infinity'::timestamptz from settlements group by 1 having count(*) >= 5000
     union all select account, 'subscriber', count(*), 'infinity' from settlements group by 1 having count(*) >= 5000`,
  );
  await client.query("vacuum analyze");
  await client.end();
  return (performance.now() - start) / 1_000;
}

type Market = Awaited<ReturnType<typeof createMarket>>;

const reads = (
  database: Database,
  { builder, planId, agentId }: Market,
): Record<string, () => Promise<unknown>> => {
  const account = builder.address;
  const activity = createActivity(database);
  const figures = createFigures(database);
  const business = createBusiness(database);
  const search = createSearch(database);
  const role = "builder" as const;
  const now = Date.now();
  const daysAgo = (days: number) => new Date(Math.floor(now / 86_400_000 - days) * 86_400_000);
  const day = {
    role,
    since: new Date(Math.floor(now / 3_600_000 - 23) * 3_600_000),
    includeTest: false,
  };
  const month = { role, since: daysAgo(29), includeTest: false };
  const used = { ...month, role: "subscriber" as const };
  const list = (more: object = {}, page: object = {}) =>
    activity.list(account, { role, ...more }, { limit: 25, ...page });
  return {
    list: () => list(),
    "list, settled": () => list({ moneyStatus: ["settled"] }),
    "list, not charged": () => list({ moneyStatus: ["not-charged"] }),
    "list, 402": () => list({ moneyStatus: ["challenged"] }),
    "list, subscriber": () => activity.list(subscriber, { role: "subscriber" }, { limit: 25 }),
    "list, one payer": () => list({ payer: subscriber }),
    "list, deep page": () => list({}, { offset: 5_000 }),
    "list, search": () => list({ search: "nothing-like-it" }),
    "search, requests": () => search.requestsLike(account, "nothing-like-it", 5),
    home: () => figures.home(account, new Date(), false),
    "home, subscriber": () => figures.home(subscriber, new Date(), false),
    "credits due": () => figures.creditsDue(account, new Date(), false),
    "funnel, day": () => figures.funnel(account, day),
    "funnel, month": () => figures.funnel(account, month),
    "series, day": () => figures.series(account, day, 3_600),
    "series, month": () => figures.series(account, month, 86_400),
    "series, subscriber": () => figures.series(subscriber, used, 86_400),
    "served, day": () => figures.served(account, day.since, 3_600, false),
    "served, two months": () => figures.served(account, daysAgo(59), 86_400, false),
    "causes, day": () => figures.causes(account, day, new Date(now - 2 * 86_400_000)),
    "causes, month": () => figures.causes(account, month, daysAgo(59)),
    "plan, two months": () =>
      business.calls(account, { since: daysAgo(29), before: daysAgo(59), planId }),
    "agent, market": () => business.agentFacts([agentId], daysAgo(29)),
    customers: () => business.customers(account, { limit: 25 }),
  };
};

type Percentiles = { p50: number; p95: number; p99: number };

function percentilesOf(took: number[]): Percentiles {
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.ceil(took.length * share) - 1] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

async function measureReads(database: Database, market: Market) {
  const all: Record<string, Percentiles> = {};
  for (const [name, read] of Object.entries(reads(database.for("reads"), market))) {
    const took: number[] = [];
    const first = performance.now();
    // What takes a second is measured a few times: its figure is far from the bar either way.
    for (let n = 0; n < READS && performance.now() - first < 8_000; n += 1) {
      const start = performance.now();
      // The deadline of reads ends what takes longer, and a page shows that it failed.
      const isRead = await read().then(
        () => true,
        () => false,
      );
      took.push(performance.now() - start);
      if (!isRead) break;
    }
    all[name] = percentilesOf(took);
  }
  return all;
}

const TICKS_A_SECOND = 100;

/** Processor time of each of this database's connections so far, in milliseconds. */
async function readProcessorMs(database: Database): Promise<Map<number, number>> {
  const rows = await database.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'",
    [],
  );
  return new Map(
    rows.map(({ pid }) => {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return [pid, ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_A_SECOND];
    }),
  );
}

type Cost = { processorUs: number; p99: number };

/** Verify and settle through the API's function, some at once: Postgres' processor time of each, and their times. */
async function measureCalls(
  service: ReturnType<typeof createTestService>,
  market: Market,
  kind: "verify" | "settle",
): Promise<Cost> {
  const { planId, agentId, endpoint, token, builder } = market;
  const took: number[] = [];
  let next = 0;
  const one = async () => {
    while (next < CALLS) {
      const agentRequestId = `growth-${kind}-${String(next++).padStart(16, "0")}`;
      const start = performance.now();
      const response = await service.call(builder, "POST", `/x402/${kind}`, {
        paymentRequired: buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" }),
        x402AccessToken: token,
        ...(kind === "settle" && { agentRequestId }),
      });
      took.push(performance.now() - start);
      if (response.status !== 200) throw new Error(`${kind}: ${await response.text()}`);
    }
  };
  const before = await readProcessorMs(service.database);
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  // An idle connection may have been closed meanwhile.
  const after = await readProcessorMs(service.database);
  const used = [...after].reduce((all, [pid, ms]) => all + ms - (before.get(pid) ?? 0), 0);
  return { processorUs: (used * 1_000) / CALLS, p99: percentilesOf(took).p99 };
}

const cluster = await startPostgres();
if (!cluster) throw new Error("Postgres is not installed.");

async function measure(rows: number) {
  const url = (await cluster?.createDatabase(`rows_${rows}`)) ?? "";
  const database = await openDatabase({ url, poolSize: 4 });
  const service = createTestService(database);
  const market = await createMarket(service, { credits: getFixedCreditsConfig(1_000_000n, 1n) });
  const seeded = await seed(url, rows, market);
  const start = performance.now();
  await sumRequests(database, BUSY_FROM);
  const summed = (performance.now() - start) / 1_000;
  console.log(
    `${rows} rows: seeded in ${seeded.toFixed(1)} s, summed up in ${summed.toFixed(1)} s`,
  );
  const all = await measureReads(database, market);
  const verify = await measureCalls(service, market, "verify");
  const settle = await measureCalls(service, market, "settle");
  await database.close();
  return { all, calls: { verify, settle } };
}

try {
  const few = await measure(FEW);
  for (const rows of SIZES) {
    const many = await measure(rows);
    for (const [name, { p50, p95, p99 }] of Object.entries(many.all)) {
      const ratio = p50 / (few.all[name]?.p50 ?? p50);
      const isOver = p99 > BAR_MS || (ratio > BAR_RATIO && p50 > FLOOR_MS);
      if (isOver && !NOT_SUMMED.includes(name)) process.exitCode = 1;
      const times = [p50, p95, p99].map((ms) => ms.toFixed(1)).join(" / ");
      console.log(
        `${isOver ? "OVER " : ""}${name}: p50 / p95 / p99 ${times} ms at ${rows} rows, p50 ${ratio.toFixed(2)} x that of ${FEW}`,
      );
    }
    for (const kind of ["verify", "settle"] as const) {
      const [now, then] = [many.calls[kind], few.calls[kind]];
      const ratio = now.processorUs / then.processorUs;
      if (ratio > BAR_CALL_RATIO) process.exitCode = 1;
      console.log(
        `${ratio > BAR_CALL_RATIO ? "OVER " : ""}${kind}: ${now.processorUs.toFixed(0)} µs of Postgres each at ${rows} rows, ${ratio.toFixed(2)} x that of ${FEW}; p99 ${now.p99.toFixed(1)} ms, ${(now.p99 / then.p99).toFixed(2)} x`,
      );
    }
  }
  console.log(
    `Bars: p99 <= ${BAR_MS} ms, p50 <= ${BAR_RATIO} x above ${FLOOR_MS} ms, ${NOT_SUMMED.join("; ")} not yet; verify and settle <= ${BAR_CALL_RATIO} x.`,
  );
} finally {
  await cluster.stop();
}

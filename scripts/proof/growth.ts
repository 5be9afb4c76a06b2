// Lists, filters, searches and figures of one builder, and verify and settle, at many rows against few.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { buildPaymentRequired, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { type Database, openDatabase } from "@/lib/adapters/db/client.ts";
import { requirePostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { sumRequests } from "@/lib/adapters/db/testing/sum-requests.ts";
import { createMarket, createTestService } from "@/lib/server/testing/test-service.ts";
import { reads } from "./growth-reads.ts";
import { seed } from "./growth-seed.ts";
import { measureStorage } from "./growth-storage.ts";
import { measureReads, percentilesOf } from "./measure.ts";

const FEW = 10_000;
const SIZES = (process.env.GROWTH_ROWS ?? (process.env.PROOF === "full" ? "1e6,1e7" : "1e5"))
  .split(",")
  .map(Number);
const BUSY_FROM = 5_000;
/** Verify and settle at many rows and at few take turns, so that a busy moment of the machine is both's. */
const ROUNDS = 5;
const CALLS = 1_000;
const AT_ONCE = 32;
const BAR_MS = 100;
const BAR_RATIO = 1.5;
/** Below this a ratio says nothing: one page of the disk or one turn of the scheduler doubles it. */
const FLOOR_MS = 20;
const BAR_CALL_RATIO = 1.1;
/** What a paid request may leave in the database. The goal is 1,200: `docs/adr/0160-partitions-and-storage.md`. */
const BAR_BYTES_ALONE = 2_200;
const BAR_BYTES_RESERVED = 3_200;
/** Looks at each customer once, and of few requests hardly any customer is busy: no ratio says whether it grows. */
const BY_CUSTOMER = ["agent, market"];

/** Processor time of each of this database's connections so far, in milliseconds. */
async function readProcessorMs(database: Database): Promise<Map<number, number>> {
  const rows = await database.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'",
    [],
  );
  // In nanoseconds: ticks of the clock are a tenth of what all these calls take.
  const spentBy = (pid: number) =>
    Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]);
  return new Map(rows.map(({ pid }) => [pid, spentBy(pid) / 1e6]));
}

type Cost = { processorMs: number; took: number[] };
let named = 0;

/** Verify and settle through the API's function, some at once: Postgres' processor time of all, and their times. */
async function measureCalls(
  { service, market }: Filled,
  kind: "verify" | "settle",
  cost: Cost,
): Promise<void> {
  const { planId, agentId, endpoint, token, builder } = market;
  let left = CALLS;
  const one = async () => {
    while (left-- > 0) {
      const agentRequestId = `growth-${kind}-${String(named++).padStart(16, "0")}`;
      const start = performance.now();
      const response = await service.call(builder, "POST", `/x402/${kind}`, {
        paymentRequired: buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" }),
        x402AccessToken: token,
        ...(kind === "settle" && { agentRequestId }),
      });
      cost.took.push(performance.now() - start);
      if (response.status !== 200) throw new Error(`${kind}: ${await response.text()}`);
    }
  };
  const before = await readProcessorMs(service.database);
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  // An idle connection may have been closed meanwhile.
  const after = await readProcessorMs(service.database);
  for (const [pid, ms] of after) cost.processorMs += ms - (before.get(pid) ?? 0);
}

/** What Postgres spends on a call at many rows and at few, in microseconds, with the calls' p99. */
async function compareCalls(many: Filled, few: Filled, kind: "verify" | "settle") {
  const costs = [many, few].map((filled) => ({ filled, processorMs: 0, took: [] as number[] }));
  // The first calls of a connection plan its functions.
  for (const { filled } of costs) await measureCalls(filled, kind, { processorMs: 0, took: [] });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const cost of costs) await measureCalls(cost.filled, kind, cost);
  }
  const [now, then] = costs.map(({ processorMs, took }) => ({
    processorUs: (processorMs * 1_000) / took.length,
    p99: percentilesOf(took).p99,
  }));
  if (!now || !then) throw new Error("Both are measured.");
  return { now, then, ratio: now.processorUs / then.processorUs };
}

const cluster = await requirePostgres();

/** A database with so many requests, and how long its reads took. */
async function fill(rows: number) {
  const url = await cluster.createDatabase(`rows_${rows}`);
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
  return { service, market, all: await measureReads(reads(database.for("reads"), market)) };
}

type Filled = Awaited<ReturnType<typeof fill>>;

/** Prints each question at many rows beside its bar. */
async function compare(rows: number, many: Filled, few: Filled): Promise<void> {
  let over = 0;
  for (const [name, { p50, p95, p99 }] of Object.entries(many.all)) {
    const ratio = p50 / (few.all[name]?.p50 ?? p50);
    const isGrowing = ratio > BAR_RATIO && p50 > FLOOR_MS && !BY_CUSTOMER.includes(name);
    const isOver = p99 > BAR_MS || isGrowing;
    if (isOver) over += 1;
    const times = [p50, p95, p99].map((ms) => ms.toFixed(1)).join(" / ");
    console.log(
      `${isOver ? "OVER " : ""}${name}: p50 / p95 / p99 ${times} ms at ${rows} rows, p50 ${ratio.toFixed(2)} x that of ${FEW}`,
    );
  }
  const ratios: string[] = [];
  for (const kind of ["verify", "settle"] as const) {
    const { now, then, ratio } = await compareCalls(many, few, kind);
    if (ratio > BAR_CALL_RATIO) process.exitCode = 1;
    console.log(
      `${ratio > BAR_CALL_RATIO ? "OVER " : ""}${kind}: ${now.processorUs.toFixed(0)} µs of Postgres each at ${rows} rows, ${ratio.toFixed(2)} x that of ${FEW}; p99 ${now.p99.toFixed(1)} ms, ${(now.p99 / then.p99).toFixed(2)} x`,
    );
    ratios.push(`${kind} ${ratio.toFixed(2)} x`);
  }
  await many.service.database.close();
  if (over > 0) process.exitCode = 1;
  const asked = Object.keys(many.all).length;
  console.log(`growth: ${asked} questions at ${rows} rows, ${over} over; ${ratios.join(", ")}`);
}

/** Prints what a paid request takes, part by part; in all, bytes. */
async function printStorage(name: string, isReserved: boolean): Promise<number> {
  const parts = await measureStorage(await cluster.createDatabase(name), isReserved);
  const listed = parts.map(({ name, bytes }) => `${name} ${bytes.toFixed(0)}`).join(", ");
  console.log(`${name}, bytes a request: ${listed}`);
  return Math.round(parts.reduce((sum, { bytes }) => sum + bytes, 0));
}

try {
  const alone = await printStorage("settled_alone", false);
  const reserved = await printStorage("reserved_first", true);
  if (alone > BAR_BYTES_ALONE || reserved > BAR_BYTES_RESERVED) process.exitCode = 1;
  console.log(`growth: ${alone} bytes a request settled alone, ${reserved} one reserved first`);
  const few = await fill(FEW);
  for (const rows of SIZES) await compare(rows, await fill(rows), few);
  await few.service.database.close();
  console.log(
    `Bars: p99 <= ${BAR_MS} ms, p50 <= ${BAR_RATIO} x above ${FLOOR_MS} ms, but for ${BY_CUSTOMER.join("; ")}; verify and settle <= ${BAR_CALL_RATIO} x; <= ${BAR_BYTES_ALONE} and ${BAR_BYTES_RESERVED} bytes.`,
  );
} finally {
  await cluster.stop();
}

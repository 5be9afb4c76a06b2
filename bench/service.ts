import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { getFixedCreditsConfig, toJson } from "@turnpike/payments/protocol";
import { startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { startService } from "@/lib/server/testing/spawn-service.ts";
import { seedFolder } from "@/lib/server/testing/spawned-service.ts";
import {
  createMarket,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { inFolder } from "@/lib/testing/temp-folder.ts";
import { subscribe } from "./chain-market.ts";
import type { LoadPlan, LoadResult } from "./load.ts";
import { type BenchOptions, type Measured, ratio } from "./ratios.ts";

export const CONNECTIONS = 64;
const SUBSCRIBERS = 200;
/** About what a token with its requirement takes. */
const ECHO_BYTES = 2_000;

type Setup = { databaseUrl?: string; maxBatch?: number };
type Market = { apiKey: string; bodies: string[] };
type Figures = Record<"verify" | "settle" | "hot", LoadResult>;

/**
 * Verify and settle over HTTP, with and without batching, beside plain Hono and Postgres alone: on Postgres, or on the
 * embedded database where the machine has none.
 */
export async function run({ secs, say }: BenchOptions): Promise<Measured> {
  const cluster = await startPostgres();
  try {
    const echo = await measureEcho(secs);
    say(`\nplain Hono, which gives back a body of the same size: ${echo.perSecond}/s`);
    const store = cluster ? `Postgres ${cluster.version}` : "PGlite";
    const setupOf = async (name: string): Promise<Setup> =>
      cluster ? { databaseUrl: await cluster.createDatabase(name) } : {};
    const batched = await measure(secs, await setupOf("batched"));
    const single = await measure(secs, { ...(await setupOf("single")), maxBatch: 1 });
    report(say, store, batched, single);
    const pgbench = cluster && (await runPgbench(await cluster.createDatabase("pgbench"), secs));
    say(
      pgbench
        ? `\npgbench: TPC-B ${pgbench.tpcb}/s, one row ${pgbench.oneRow}/s`
        : "\nThere is no pgbench: no comparison with Postgres alone.",
    );
    return {
      figures: { echo, [store]: { batched, single }, ...(pgbench && { pgbench }) },
      ratios: {
        verifyToEcho: ratio(batched.verify.perSecond, echo.perSecond),
        settleToPgbench: ratio(batched.settle.perSecond, pgbench?.tpcb),
        hotToSpread: ratio(batched.hot.perSecond, batched.settle.perSecond),
        batchedToUnbatched: ratio(batched.hot.perSecond, single.hot.perSecond),
      },
    };
  } finally {
    await cluster?.stop();
  }
}

/** The same load on plain Hono, with a body as long as one of verify. */
async function measureEcho(secs: number): Promise<LoadResult> {
  const peer = await startService({ entry: "bench/echo.ts", settings: {} });
  const load = (duration: number) =>
    runLoad({
      url: peer.url,
      path: "/echo",
      apiKey: "",
      bodies: [toJson({ filler: "x".repeat(ECHO_BYTES), agentRequestId: "$ID" })],
      connections: CONNECTIONS,
      secs: duration,
      expect: '"agentRequestId"',
    });
  try {
    await load(2);
    return await load(secs);
  } finally {
    await peer.end("SIGTERM");
  }
}

function report(say: BenchOptions["say"], store: string, batched: Figures, single: Figures): void {
  say(`\n${store}: service, store and load on this machine's cores, ${CONNECTIONS} connections\n`);
  for (const [name, figures] of [
    ["batched", batched],
    ["one by one", single],
  ] as const) {
    for (const [what, result] of Object.entries(figures)) {
      const label =
        what === "hot"
          ? "settle, one balance"
          : what === "settle"
            ? `settle, ${SUBSCRIBERS} balances`
            : "verify";
      say(
        `  ${name.padEnd(11)} ${label.padEnd(21)} ${String(result.perSecond).padStart(6)}/s  p50 ${result.p50} ms  p99 ${result.p99} ms  ${result.sent} calls`,
      );
    }
  }
  const percent = Math.round((100 * batched.hot.perSecond) / batched.settle.perSecond);
  const ratio = (batched.hot.perSecond / single.hot.perSecond).toFixed(1);
  const { verify, settle } = batched;
  say(
    `\n  figures: ${store}: verify ${verify.perSecond}/s, settle ${settle.perSecond}/s, one balance ${percent} % of many, batching ${ratio} x`,
  );
}

async function measure(secs: number, { databaseUrl, maxBatch }: Setup): Promise<Figures> {
  const { folder, seeded } = await seedFolder(databaseUrl, seed);
  const { hot, spread } = seeded;
  try {
    const service = await startService({
      settings: {
        TURNPIKE_DATA_DIR: folder,
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
        ...(maxBatch && { LEDGER_MAX_BATCH: String(maxBatch) }),
      },
    });
    try {
      const load = (path: Path, market: Market) => loadCalls(service.url, path, market, secs);
      // Warm up the compiler first.
      await loadCalls(service.url, "settle", spread, 2);
      return {
        verify: await load("verify", spread),
        settle: await load("settle", spread),
        hot: await load("settle", hot),
      };
    } finally {
      await service.end("SIGTERM");
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One plan, one agent, and many subscribers with credits and a token each. */
export async function seed(service: TestService): Promise<{ hot: Market; spread: Market }> {
  const market = await createMarket(service, {
    credits: getFixedCreditsConfig(1_000_000_000n, 1n),
  });
  const tokens = [market.token];
  while (tokens.length < SUBSCRIBERS) tokens.push(await subscribe(await service.party(), market));
  return { hot: callsOf(market, [market.token]), spread: callsOf(market, tokens) };
}

/** Calls that a market's builder makes, each with the next of the tokens. */
export const callsOf = (market: TestMarket, tokens: readonly string[]): Market => ({
  apiKey: market.builder.apiKey,
  bodies: tokens.map((x402AccessToken) =>
    toJson({ paymentRequired: requirementOf(market), x402AccessToken, agentRequestId: "$ID" }),
  ),
});

type Path = "verify" | "settle";
const PAID = { verify: '"isValid":true', settle: '"success":true' };

/** Makes the calls for so many seconds. */
export const loadCalls = (
  url: string,
  path: Path,
  market: Market,
  secs: number,
  connections = CONNECTIONS,
) =>
  runLoad({
    url,
    path: `/api/v1/x402/${path}`,
    ...market,
    connections,
    secs,
    expect: PAID[path],
  });

export const runLoad = (plan: LoadPlan): Promise<LoadResult> =>
  new Promise((done, failed) => {
    const child = execFile(
      process.execPath,
      ["--import", "./scripts/typescript.mjs", "bench/load.ts"],
      (cause, stdout, stderr) => {
        if (stderr) process.stderr.write(stderr);
        if (cause) failed(cause);
        else done(JSON.parse(stdout));
      },
    );
    child.stdin?.end(JSON.stringify(plan));
  });

const runFile = promisify(execFile);
const CLIENTS = "64";
const THREADS = "2";

/** Transactions per second of Postgres alone: its own TPC-B, and updates of one row by everyone. */
type PgbenchRates = { tpcb: number; oneRow: number };

/** Runs pgbench with as many branches as clients, as its manual advises; null where it is not installed. */
async function runPgbench(databaseUrl: string, secs: number): Promise<PgbenchRates | null> {
  const pgbench = findPgbench();
  if (!pgbench) return null;
  await runFile(pgbench, ["--initialize", "--quiet", "--scale", CLIENTS, databaseUrl]);
  const load = ["--client", CLIENTS, "--jobs", THREADS, "--time", String(secs)];
  const rateOf = async (...script: string[]) => {
    const { stdout } = await runFile(pgbench, [
      ...load,
      ...["--protocol", "prepared", "--no-vacuum", ...script, databaseUrl],
    ]);
    return Math.round(Number(/tps = ([\d.]+)/.exec(stdout)?.[1]));
  };
  return inFolder(async (folder) => {
    const script = join(folder, "one-row.sql");
    await writeFile(
      script,
      "UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = 1 RETURNING abalance;\n",
    );
    return { tpcb: await rateOf("--builtin", "tpcb-like"), oneRow: await rateOf("--file", script) };
  });
}

function findPgbench(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  return [
    ...(process.env.PATH ?? "").split(delimiter),
    ...versions.toSorted((a, b) => Number(b) - Number(a)).map((each) => join(debian, each, "bin")),
  ]
    .map((folder) => join(folder, "pgbench"))
    .find((path) => existsSync(path));
}

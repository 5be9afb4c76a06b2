import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  buildPaymentRequired,
  getFixedCreditsConfig,
  getFreePriceConfig,
  toJson,
} from "@turnpike/payments/protocol";
import type { Hex } from "viem";
import { addressOfKey } from "@/lib/adapters/crypto/signatures.ts";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { startService } from "@/lib/server/testing/spawn-service.ts";
import { createTestService, type TestParty } from "@/lib/server/testing/test-service.ts";
import type { LoadPlan, LoadResult } from "./load.ts";

const CONNECTIONS = 64;
const SUBSCRIBERS = 200;
const ENDPOINT = "https://agent.example/ask";

type Store = { name: string; databaseUrl?: string };
type Market = { apiKey: string; bodies: string[] };
type Figures = Record<"verify" | "settle" | "hot", LoadResult>;

/** Verify and settle over HTTP, with and without batching, on each store. */
export async function run({ secs }: { secs: number }): Promise<void> {
  const cluster = await startPostgres();
  try {
    if (cluster) {
      const version = `Postgres ${cluster.version}`;
      const batched = await measure(
        { name: version, databaseUrl: await cluster.createDatabase("batched") },
        secs,
      );
      const single = await measure(
        { name: version, databaseUrl: await cluster.createDatabase("single") },
        secs,
        1,
      );
      report(version, batched, single);
    }
    report(
      "PGlite",
      await measure({ name: "PGlite" }, secs),
      await measure({ name: "PGlite" }, secs, 1),
    );
  } finally {
    await cluster?.stop();
  }
}

function report(store: string, batched: Figures, single: Figures): void {
  console.log(
    `\n${store}: service, store and load on this machine's cores, ${CONNECTIONS} connections\n`,
  );
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
      console.log(
        `  ${name.padEnd(11)} ${label.padEnd(21)} ${String(result.perSecond).padStart(6)}/s  p50 ${result.p50} ms  p99 ${result.p99} ms  failed ${result.failed} of ${result.sent}`,
      );
    }
  }
  const percent = Math.round((100 * batched.hot.perSecond) / batched.settle.perSecond);
  const ratio = (batched.hot.perSecond / single.hot.perSecond).toFixed(1);
  const { verify, settle } = batched;
  console.log(
    `\n  figures: ${store}: verify ${verify.perSecond}/s, settle ${settle.perSecond}/s, one balance ${percent} % of many, batching ${ratio} x`,
  );
}

async function measure(store: Store, secs: number, maxBatch?: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-bench-"));
  try {
    const secrets = { secretKey: hex(), settlerPrivateKey: hex() };
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "secrets.json"), JSON.stringify(secrets), { mode: 0o600 });
    const { hot, spread } = await seed(folder, secrets, store);
    const service = await startService({
      settings: {
        TURNPIKE_DATA_DIR: folder,
        ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }),
        ...(maxBatch && { LEDGER_MAX_BATCH: String(maxBatch) }),
      },
    });
    try {
      const load = (path: string, market: Market, expect: string, duration = secs) =>
        runLoad({
          url: service.url,
          path: `/api/v1/x402/${path}`,
          ...market,
          connections: CONNECTIONS,
          secs: duration,
          expect,
        });
      // Warm up the compiler first.
      await load("settle", spread, '"success":true', 2);
      return {
        verify: await load("verify", spread, '"isValid":true'),
        settle: await load("settle", spread, '"success":true'),
        hot: await load("settle", hot, '"success":true'),
      };
    } finally {
      await service.end("SIGTERM");
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const hex = () => randomBytes(32).toString("hex");

/** One plan, one agent, and many subscribers with credits and a token each. */
async function seed(
  folder: string,
  secrets: { secretKey: string; settlerPrivateKey: string },
  { databaseUrl }: Store,
): Promise<{ hot: Market; spread: Market }> {
  const database = await openDatabase(
    databaseUrl ? { url: databaseUrl } : { dataDir: join(folder, "postgres") },
  );
  const service = createTestService(database, {
    secretKey: Buffer.from(secrets.secretKey, "hex"),
    admin: addressOfKey(Buffer.from(secrets.settlerPrivateKey, "hex")) as Hex,
  });
  const builder = await service.party();
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "Bench" },
    getFreePriceConfig(),
    getFixedCreditsConfig(1_000_000_000n, 1n),
  );
  const { agentId } = await builder.payments.agents.registerAgent(
    { name: "Bench" },
    { endpoints: [{ POST: ENDPOINT }], agentDefinitionUrl: ENDPOINT },
    [planId],
  );
  const paymentRequired = buildPaymentRequired({
    planId,
    endpoint: ENDPOINT,
    agentId,
    httpVerb: "POST",
  });
  const bodies: string[] = [];
  for (let index = 0; index < SUBSCRIBERS; index++) {
    const token = await subscribe(await service.party(), planId, agentId);
    bodies.push(toJson({ paymentRequired, x402AccessToken: token, agentRequestId: "$ID" }));
  }
  await database.close();
  const { apiKey } = builder;
  return { hot: { apiKey, bodies: bodies.slice(0, 1) }, spread: { apiKey, bodies } };
}

async function subscribe(party: TestParty, planId: string, agentId: string): Promise<string> {
  await party.payments.plans.orderPlan(planId);
  const options = { redemptionLimit: 1_000_000_000 };
  return (await party.payments.x402.getX402AccessToken(planId, agentId, options)).accessToken;
}

const runLoad = (plan: LoadPlan): Promise<LoadResult> =>
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

// What a flood does to paid calls beside it: verify's 99th percentile, quiet and flooded in turn, in the same run.
import { Agent, type RequestOptions, request } from "node:http";
import { getFixedCreditsConfig, getFreePriceConfig, toJson } from "@turnpike/payments/protocol";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { createSpawnable } from "@/lib/server/testing/spawned-service.ts";
import { memoryOf, quantile, startClient } from "./measure.ts";

const CONNECTIONS = 16;
const ROUNDS = 3;
const ROUND_MS = 5_000;
/** The 99th percentile of fewer calls is that of a handful. */
const ENOUGH = 1_000;
const PLANS = 100;
const PART = Buffer.alloc(64 * 1024, 120);
const PARTS = 4_800; // 300 MB

const FLOODS = {
  reads: { path: "/api/v1/protocol/plans/public?limit=100", method: "GET" },
  bodies: { path: "/api/v1/api-keys", method: "POST" },
} satisfies Record<string, RequestOptions>;
type Flood = keyof typeof FLOODS;

/** Floods a service from this process until it is told to stop. */
async function flood(kind: Flood, url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const statuses: Record<number, number> = {};
  process.once("SIGTERM", () => {
    process.stdout.write(JSON.stringify(statuses), () => process.exit(0));
  });
  const once = () =>
    new Promise<void>((done) => {
      const asked = request({ hostname, port, agent, ...FLOODS[kind] });
      asked.once("response", (answer) => {
        if (Object.keys(statuses).length === 0) process.stdout.write("started\n");
        statuses[answer.statusCode ?? 0] = (statuses[answer.statusCode ?? 0] ?? 0) + 1;
        answer.resume().once("close", done);
      });
      asked.once("error", () => {});
      asked.once("close", done);
      if (kind === "reads") asked.end();
      else sendParts(asked);
    });
  const loop = async () => {
    for (;;) await once();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, loop));
}

/** A body of 300 MB without a declared length, as fast as it is taken. */
function sendParts(asked: ReturnType<typeof request>): void {
  let left = PARTS;
  const send = () => {
    while (left-- > 0 && !asked.destroyed) if (!asked.write(PART)) return;
    asked.end();
  };
  asked.on("drain", send);
  send();
}

async function measure(kind: Flood): Promise<void> {
  const world = await createSpawnable();
  try {
    const service = await world.start();
    const terms = {
      metadataAttributes: { name: "Plan" },
      priceConfig: getFreePriceConfig(),
      creditsConfig: getFixedCreditsConfig(100n, 1n),
    };
    for (let n = 0; n < PLANS; n++) {
      const answer = await service.post("/protocol/plans", JSON.parse(toJson(terms)));
      if (!answer.ok) throw new Error(await answer.text());
    }
    const verification = {
      paymentRequired: requirementOf(world.market),
      x402AccessToken: world.market.token,
    };
    const verify = async () => {
      const answer = await service.post("/x402/verify", verification);
      if (!(await answer.json()).isValid) throw new Error("verify was refused");
    };
    // As many calls as are measured, or the memory that verify itself takes at first would count as the flood's.
    await during((2 * ROUNDS - 1) * ROUND_MS, verify);
    // Memory rises and falls with each collection: the most of one quiet round is what the flooded ones are compared with.
    const before = sampleMemory(service.pid);
    await during(ROUND_MS, verify);
    const mostBefore = before();
    const quiet: number[] = [];
    const flooded: number[] = [];
    const statuses: Record<string, number> = {};
    let most = 0;
    const isEnough = () => Math.min(quiet.length, flooded.length) >= ENOUGH;
    for (let round = 0; round < ROUNDS || !isEnough(); round++) {
      quiet.push(...(await during(ROUND_MS, verify)));
      const sampled = sampleMemory(service.pid);
      // The client's own start is not part of the flood.
      const stop = await startClient(import.meta.filename, [kind, service.url]);
      flooded.push(...(await during(ROUND_MS, verify)));
      most = Math.max(most, sampled());
      const counts: Record<string, number> = JSON.parse(await stop());
      for (const [status, count] of Object.entries(counts)) {
        statuses[status] = (statuses[status] ?? 0) + count;
      }
    }
    const [calm, busy] = [p99(quiet), p99(flooded)];
    const answers = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`);
    console.log(
      `flood of ${kind}: ${CONNECTIONS} connections, answers ${answers.join(", ")}; ` +
        `verify ${quiet.length} and ${flooded.length} calls, p50 ${middle(quiet)} and ${middle(flooded)} ms, ` +
        `p99 ${calm} and ${busy} ms, ratio ${(busy / calm).toFixed(2)}; ` +
        `memory grew ${Math.round((most - mostBefore) / 2 ** 20)} MB`,
    );
    await service.stop();
  } finally {
    await world.remove();
  }
}

/** Reads a process's memory until asked for the most it was. */
function sampleMemory(pid: number): () => number {
  let most = 0;
  const sampler = setInterval(() => {
    most = Math.max(most, memoryOf(pid));
  }, 50);
  return () => {
    clearInterval(sampler);
    return most;
  };
}

/** Calls one after another for a while; how many milliseconds each took. */
async function during(ms: number, call: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  return times;
}

const p99 = (times: number[]) => Number(quantile(times, 0.99).toFixed(1));
const middle = (times: number[]) => Number(quantile(times, 0.5).toFixed(1));

const [, , kind, url] = process.argv as [string, string, Flood, string?];
if (url) await flood(kind, url);
else await measure(kind);

// What the service holds while calls of every kind go on: flat memory, handles and connections, and settle's times by minute.
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { Command } from "commander";
import { subscribe } from "@/bench/chain-market.ts";
import { query, requirePostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { brokenRulesAt } from "@/lib/adapters/db/testing/stores.ts";
import { startService } from "@/lib/server/testing/spawn-service.ts";
import { seedFolder } from "@/lib/server/testing/spawned-service.ts";
import { createMarket } from "@/lib/server/testing/test-service.ts";
import { freePort } from "@/lib/testing/free-port.ts";
import { quantile } from "./measure.ts";
import { openReceiver, type SoakLoad, startSoakLoad, unwanted } from "./soak-load.ts";
import type { Held } from "./soak-service.ts";

const SUBSCRIBERS = 20;
const SAMPLE_MS = 15_000;
/** Caches and pools fill first; they are bounded, so they are not what is looked for. */
const WARM_MINUTES = 2;

type Sample = Held & { at: number; descriptors: number; connections: number };
type Series = Exclude<keyof Sample, "at" | "cpuMs">;

/**
 * How much each may grow from the second minute to the last, by the median of all slopes. About 55 calls a second are some
 * 26,000 in eight minutes: a leak of 400 bytes a call would be 10 MB, and a leaked socket or connection of one call in a
 * thousand would be 26. A sample is off by less: streams and deliveries come and go.
 */
const MOST: Record<Series, number> = {
  rss: 30 * 2 ** 20,
  heap: 10 * 2 ** 20,
  handles: 12,
  descriptors: 12,
  connections: 6,
};

const { minutes } = new Command("node scripts/proof/soak.ts")
  .option("--minutes <n>", "how long", "10")
  .parse()
  .opts<{ minutes: string }>();

async function measure(databaseUrl: string): Promise<void> {
  const receiver = await openReceiver();
  const { folder, seeded } = await seedFolder(databaseUrl, async (service) => {
    const credits = getFixedCreditsConfig(100_000_000n, 1n);
    const market = await createMarket(service, { credits, redemptionLimit: 100_000_000 });
    await market.builder.payments.webhooks.createWebhookEndpoint({ url: receiver.url });
    const tokens = [market.token];
    while (tokens.length < SUBSCRIBERS) tokens.push(await subscribe(await service.party(), market));
    return { market, tokens };
  });
  const port = String(await freePort());
  const service = await startService({
    entry: "scripts/proof/soak-service.ts",
    settings: { TURNPIKE_DATA_DIR: folder, DATABASE_URL: databaseUrl, SOAK_PORT: port },
  });
  const load = startSoakLoad(service.url, seeded);
  try {
    const samples = await sampleFor(Number(minutes) * 60_000, async () => ({
      ...((await (await fetch(`http://127.0.0.1:${port}`)).json()) as Held),
      at: performance.now(),
      descriptors: readdirSync(`/proc/${service.child.pid}/fd`).length,
      connections: await countConnections(databaseUrl),
    }));
    await load.end();
    const broken = await brokenRulesAt(databaseUrl);
    report(samples, load, { deliveries: receiver.deliveries(), broken: broken.length });
  } finally {
    const code = await service.end("SIGTERM");
    process.stderr.write(service.stderr().slice(0, 2_000));
    console.log(`stopped with ${code}`);
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function sampleFor(ms: number, take: () => Promise<Sample>): Promise<Sample[]> {
  const samples: Sample[] = [];
  const start = performance.now();
  for (let due = start + SAMPLE_MS; due <= start + ms; due += SAMPLE_MS) {
    await new Promise((wake) => setTimeout(wake, Math.max(0, due - performance.now())));
    const sample = await take();
    samples.push(sample);
    const { rss, heap, handles, descriptors, connections } = sample;
    console.log(
      `  ${Math.round((due - start) / 1_000)} s: rss ${mb(rss)} MB, heap ${mb(heap)} MB, ${handles} handles, ` +
        `${descriptors} descriptors, ${connections} connections`,
    );
  }
  return samples;
}

async function countConnections(url: string): Promise<number> {
  const [row] = await query(
    url,
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  return Number(row?.n);
}

type Outside = { deliveries: number; broken: number };

function report(samples: Sample[], load: SoakLoad, { deliveries, broken }: Outside): void {
  const first = samples[0]?.at ?? 0;
  const settled = samples.filter(({ at }) => at - first >= WARM_MINUTES * 60_000 - SAMPLE_MS);
  const series = Object.keys(MOST) as Series[];
  const grown = series.map((name) => ({ name, by: growth(settled, name) }));
  const steady = grown.filter(({ name, by }) => by <= MOST[name]);
  const isBytes = (name: Series) => name === "rss" || name === "heap";
  const told = grown.map(({ name, by }) =>
    isBytes(name) ? `${name} ${mb(by)} MB` : `${name} ${Math.round(by)}`,
  );
  const p99s = load.settleMs.slice(0, Number(minutes)).map(p99);
  const [second = 0, last = 0] = [p99s[1], p99s.at(-1)];
  const counts = Object.entries(load.statuses).map(([name, count]) => `${name} x ${count}`);
  const cpuMs = (samples.at(-1)?.cpuMs ?? 0) - (samples[0]?.cpuMs ?? 0);
  console.log(`answers: ${counts.sort().join(", ")}`);
  console.log(`settle p99 by minute: ${p99s.map((ms) => ms.toFixed(1)).join(", ")} ms`);
  console.log(
    `soak: ${minutes} minutes, ${load.calls()} calls, ${deliveries} deliveries, ${load.events()} streamed messages, ` +
      `${(cpuMs / load.calls()).toFixed(2)} ms of processor a call; grew by ${told.join(", ")}: ${steady.length} of ${series.length} flat; ` +
      `settle p99 second minute ${second.toFixed(1)} ms, last ${last.toFixed(1)} ms, ratio ${(last / second).toFixed(2)}; ` +
      `${unwanted(load)} unexpected answers, ${broken} broken rules`,
  );
}

/** From the first sample to the last, by the median of the slopes between every two: outliers do not move it. */
function growth(samples: Sample[], name: Series): number {
  const slopes = samples.flatMap((one, index) =>
    samples.slice(index + 1).map((other) => (other[name] - one[name]) / (other.at - one.at)),
  );
  return quantile(slopes, 0.5) * ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0));
}

const p99 = (times: number[] = []): number => quantile(times, 0.99);
const mb = (bytes: number) => (bytes / 2 ** 20).toFixed(1);

const cluster = await requirePostgres();
await measure(await cluster.createDatabase("soak")).finally(cluster.stop);

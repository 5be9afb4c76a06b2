import { startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { createSpawnable } from "@/lib/server/testing/spawned-service.ts";
import { quantile } from "../scripts/proof/measure.ts";
import { type GateStand, openStands, PATH } from "./gate-stands.ts";
import type { LoadResult } from "./load.ts";
import { type BenchOptions, type Measured, ratio } from "./ratios.ts";
import { runLoad } from "./service.ts";

/** Enough calls to compile the code of service and gates. */
const WARM_UP = 1500;
const ROUNDS = 1000;

/**
 * What a payment adds to a call: the same route without a gate, behind our gate, and behind stock `@x402/hono` with our
 * facilitator, called in turn over loopback, with the service in a separate process.
 */
export async function run({ secs, say }: BenchOptions): Promise<Measured> {
  const cluster = await startPostgres();
  const databaseUrl = await cluster?.createDatabase("gate");
  const spawnable = await createSpawnable(databaseUrl ? { databaseUrl } : {});
  try {
    say(`\n${cluster ? `Postgres ${cluster.version}` : "PGlite"}, service in a separate process`);
    const service = await spawnable.start();
    const stands = await openStands(service.url, spawnable.market);
    try {
      const measured = await report(say, stands);
      const rates = await measureRates(stands, secs);
      for (const [name, { perSecond }] of Object.entries(rates))
        say(`  ${name.padEnd(28)} ${perSecond} calls/s`);
      return { ...measured, figures: { ...measured.figures, rates } };
    } finally {
      for (const stand of stands) await stand.close();
      await service.stop();
    }
  } finally {
    await spawnable.remove();
    await cluster?.stop();
  }
}

async function report(say: BenchOptions["say"], stands: GateStand[]): Promise<Measured> {
  const times = new Map<string, number[]>(stands.map(({ name }) => [name, []]));
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    // Call them in turn, so that other load affects all equally.
    for (const { name, ask } of stands) {
      const start = performance.now();
      await ask();
      if (round >= WARM_UP) times.get(name)?.push(performance.now() - start);
    }
  }
  const timesOf = (name: string) => {
    const taken = times.get(name) ?? [];
    return { p50: quantile(taken, 0.5), p99: quantile(taken, 0.99) };
  };
  const open = timesOf("ungated");
  say(`\nSequential calls over loopback, ${ROUNDS} of each kind in turn\n`);
  for (const { name } of stands) {
    const { p50, p99 } = timesOf(name);
    say(
      `  ${name.padEnd(28)} p50 ${ms(p50)}  p99 ${ms(p99)}  adds p50 ${ms(p50 - open.p50)}  p99 ${ms(p99 - open.p99)}`,
    );
  }
  const ours = timesOf("our gate, Hono");
  const leased = timesOf("our gate, leased");
  const stock = timesOf("stock @x402/hono");
  say(
    `\n  figures: gate: adds p50 ${ms(ours.p50 - open.p50)}, p99 ${ms(ours.p99 - open.p99)}; stock adds p50 ${ms(stock.p50 - open.p50)}, p99 ${ms(stock.p99 - open.p99)}`,
  );
  return {
    figures: Object.fromEntries(stands.map(({ name }) => [name, timesOf(name)])),
    ratios: {
      gateToStock: ratio(ours.p50 - open.p50, stock.p50 - open.p50),
      leasedGateToStock: ratio(leased.p50 - open.p50, stock.p50 - open.p50),
    },
  };
}

/** Calls a second through one process each, 64 connections at once, with the load in another process. */
async function measureRates(stands: GateStand[], secs: number) {
  const rates: Record<string, LoadResult> = {};
  for (const { name, origin, token } of stands) {
    if (name.includes("Express") || name.includes("stock")) continue;
    rates[name] = await runLoad({
      url: origin,
      path: PATH,
      apiKey: "",
      token,
      connections: 64,
      secs,
      bodies: ["{}"],
      expect: '"answer":42',
    });
  }
  return rates;
}

const ms = (value: number) => `${value.toFixed(2)} ms`;

import { rm } from "node:fs/promises";
import pg from "pg";
import { QUEUED_A_ROUND } from "@/lib/adapters/db/events/events.ts";
import { requirePostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { startService } from "@/lib/server/testing/spawn-service.ts";
import { seedFolder } from "@/lib/server/testing/spawned-service.ts";
import { quantile } from "../scripts/proof/measure.ts";
import { cpuMs, parentOf, runMs } from "./processor-time.ts";
import type { BenchOptions, Measured } from "./ratios.ts";
import { loadCalls, seed } from "./service.ts";

const ROUNDS = 5;
/** As often as the service numbers. */
const EVERY_MS = 500;
const QUEUE_TRIGGERS = ["queue_settlements", "queue_credits"];

/**
 * What events take of a settle's processor time, in one run: the triggers that queue them, and the numbering, which the
 * bench does itself, at the service's pace, so that its time can be told from the rest. Each round is one ratio:
 * what else the machine does falls on both parts.
 */
export async function run({ secs, say }: BenchOptions): Promise<Measured> {
  const cluster = await requirePostgres();
  const databaseUrl = await cluster.createDatabase("events");
  const numbering = new pg.Client({ connectionString: databaseUrl });
  await numbering.connect();
  const only = async (sql: string, values: unknown[] = []) =>
    Object.values((await numbering.query(sql, values)).rows[0] ?? {}).map(Number);
  const { folder, seeded } = await seedFolder(databaseUrl, seed);
  // The service finds the lock of the numbering taken, and times its functions.
  await numbering.query("alter database events set track_functions = 'pl'");
  await numbering.query("select pg_advisory_lock(7402002)");
  const [backend = 0] = await only("select pg_backend_pid()");
  const service = await startService({
    settings: { TURNPIKE_DATA_DIR: folder, DATABASE_URL: databaseUrl },
  });
  const load = async (duration: number) => {
    let isOver = false;
    const loaded = loadCalls(service.url, "settle", seeded.spread, duration).finally(() => {
      isOver = true;
    });
    for (let n = 1; n > 0 || !isOver; ) {
      [n = 0] = await only("select sequence_events($1)", [QUEUED_A_ROUND]);
      if (n < QUEUED_A_ROUND) await new Promise((wake) => setTimeout(wake, EVERY_MS));
    }
    return (await loaded).sent;
  };
  const queueMs = async () => {
    const [total = 0] = await only(
      "select coalesce(sum(total_time), 0) from pg_stat_user_functions where funcname = any($1)",
      [QUEUE_TRIGGERS],
    );
    return total;
  };
  try {
    await load(3);
    const rounds: { settles: number; all: number; queueing: number; numbering: number }[] = [];
    for (let n = 0; n < ROUNDS; n++) {
      const all = () => cpuMs(service.child.pid ?? 0) + cpuMs(parentOf(backend));
      const before = [all(), await queueMs(), runMs(backend)] as const;
      const settles = await load(secs);
      const after = [all(), runMs(backend)] as const;
      const round = {
        settles,
        all: after[0] - before[0],
        numbering: after[1] - before[2],
        queueing: (await settledStatistics(queueMs)) - before[1],
      };
      rounds.push(round);
      const each = (ms: number) => `${((1000 * ms) / settles).toFixed(0)} us`;
      say(
        `  ${settles} settles: ${each(round.all)} of CPU each; numbering ${each(round.numbering)}, queueing ${each(round.queueing)} or less`,
      );
    }
    const shares = rounds.map(({ all, queueing, numbering }) => {
      const events = queueing + numbering;
      return events / (all - events);
    });
    const percent = (100 * quantile(shares, 0.5)).toFixed(1);
    say(`\n  figures: events add ${percent} % to the CPU of a settle, numbering included`);
    return { figures: { rounds }, ratios: {} };
  } finally {
    await numbering.end();
    await service.end("SIGTERM");
    await rm(folder, { recursive: true, force: true });
    await cluster.stop();
  }
}

/** Backends hand in their statistics a moment after they become idle. */
async function settledStatistics(read: () => Promise<number>): Promise<number> {
  for (let last = -1; ; ) {
    const now = await read();
    if (now === last) return now;
    last = now;
    await new Promise((wake) => setTimeout(wake, 1_500));
  }
}

import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import pg from "pg";
import { startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { startService } from "@/lib/server/testing/spawn-service.ts";
import { seedFolder } from "@/lib/server/testing/spawned-service.ts";
import type { BenchOptions, Measured } from "./ratios.ts";
import { CONNECTIONS, runLoad, seed } from "./service.ts";

const PAIRS = 6;
const TRIGGERS = [
  ["settlements", "settlement_events"],
  ["transfers", "credits_events"],
] as const;

/** What events cost a settle: rounds with and without them in turn, on one service and one database. */
export async function run({ secs, say }: BenchOptions): Promise<Measured> {
  const cluster = await startPostgres();
  if (!cluster) throw new Error("This machine has no Postgres.");
  const databaseUrl = await cluster.createDatabase("events");
  const { folder, seeded } = await seedFolder(databaseUrl, seed);
  const service = await startService({
    settings: { TURNPIKE_DATA_DIR: folder, DATABASE_URL: databaseUrl },
  });
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  const queued = async () =>
    Number((await admin.query("select count(*) as n from event_queue")).rows[0].n);
  const drained = async () => {
    const start = performance.now();
    while ((await queued()) > 0) await new Promise((wake) => setTimeout(wake, 50));
    return Math.round(performance.now() - start);
  };
  const load = (duration: number) =>
    runLoad({
      url: service.url,
      path: "/api/v1/x402/settle",
      ...seeded.spread,
      connections: CONNECTIONS,
      secs: duration,
      expect: '"success":true',
    });
  try {
    await load(3);
    const postmaster = Number((await admin.query("select pg_backend_pid() as pid")).rows[0].pid);
    const cpuNow = () => cpuTicks(service.child.pid ?? 0) + cpuTicks(parentOf(postmaster));
    const rounds: { on: number; off: number; backlog: number; drainMs: number }[] = [];
    for (let n = 0; n < PAIRS; n++) {
      const rates: Record<string, number> = {};
      let backlog = 0;
      let drainMs = 0;
      for (const mode of n % 2 === 0 ? ["on", "off"] : ["off", "on"]) {
        for (const [table, trigger] of TRIGGERS) {
          const verb = mode === "on" ? "enable" : "disable";
          await admin.query(`alter table ${table} ${verb} trigger ${trigger}`);
        }
        const before = cpuNow();
        const { sent, failed } = await load(secs);
        if (mode === "on") backlog = await queued();
        if (mode === "on") drainMs = await drained();
        // Ticks of 10 ms; idle work of the service is in both.
        rates[mode] = ((cpuNow() - before) * 10) / (sent - failed);
      }
      const round = { on: rates.on ?? 0, off: rates.off ?? 0, backlog, drainMs };
      rounds.push(round);
      say(
        `  with events ${round.on.toFixed(4)} ms of CPU a settle, without ${round.off.toFixed(4)} ms, left in the queue ${backlog} batches, numbered ${drainMs} ms later`,
      );
    }
    const on = median(rounds.map((round) => round.on));
    const off = median(rounds.map((round) => round.off));
    const percent = (100 * (on / off - 1)).toFixed(1);
    say(`\n  figures: events add ${percent} % to the CPU of a settle, numbering included`);
    return { figures: { rounds }, ratios: {} };
  } finally {
    await admin.end();
    await service.end("SIGTERM");
    await rm(folder, { recursive: true, force: true });
    await cluster.stop();
  }
}

const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

/** What follows a process's name in its line of the kernel: state, parent, … */
const statOf = (pid: number): string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
};
const parentOf = (pid: number): number => Number(statOf(pid)[1]);

/** The processor time of a process, its children and those that ended, in ticks. */
function cpuTicks(root: number): number {
  const ofTree = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = statOf(Number(name));
        const isOurs = Number(name) === root || Number(stat[1]) === root;
        return isOurs ? [stat] : [];
      } catch {
        return [];
      }
    });
  return ofTree.reduce(
    (sum, stat) =>
      sum +
      Number(stat[11]) +
      Number(stat[12]) +
      (Number(stat[1]) === root ? 0 : Number(stat[13]) + Number(stat[14])),
    0,
  );
}

import { rm } from "node:fs/promises";
import pg from "pg";
import { startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { startService } from "@/lib/server/testing/spawn-service.ts";
import { seedFolder } from "@/lib/server/testing/spawned-service.ts";
import { CONNECTIONS, runLoad, seed } from "./service.ts";

const PAIRS = 5;
const TRIGGERS = [
  ["settlements", "settlement_events"],
  ["transfers", "credits_events"],
] as const;

/** What events cost a settle: rounds with and without them in turn, on one service and one database. */
export async function run({ secs }: { secs: number }): Promise<void> {
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
        const { perSecond } = await load(secs);
        rates[mode] = perSecond;
        if (mode === "on") backlog = await queued();
        if (mode === "on") drainMs = await drained();
      }
      const round = { on: rates.on ?? 0, off: rates.off ?? 0, backlog, drainMs };
      rounds.push(round);
      console.log(
        `  with events ${round.on}/s, without ${round.off}/s, ratio ${(round.on / round.off).toFixed(3)}, left in the queue ${backlog} batches, numbered ${drainMs} ms later`,
      );
    }
    const ratios = rounds.map(({ on, off }) => on / off).sort((a, b) => a - b);
    console.log(
      `\n  figures: settle with events: ${ratios[Math.floor(PAIRS / 2)]?.toFixed(3)} of its rate without`,
    );
  } finally {
    await admin.end();
    await service.end("SIGTERM");
    await rm(folder, { recursive: true, force: true });
    await cluster.stop();
  }
}

import type { Settlement } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { type PostgresCluster, startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { brokenRules } from "@/lib/adapters/db/testing/stores.ts";
import { loadSettles } from "./testing/settle-load.ts";
import { createSpawnable, type Spawnable } from "./testing/spawned-service.ts";

const ROUNDS = 3;
const STORES = ["PGlite", "Postgres"];
/** Receipts name it; without it, each start has the origin of another port. */
const SETTINGS = { TURNPIKE_ORIGIN: "http://localhost:3000" };

describe.each(STORES)("kill -9 of the service under load, on %s", (store) => {
  let cluster: PostgresCluster | null = null;
  let spawnable: Spawnable;

  beforeAll(async () => {
    if (store === "Postgres") cluster = await startPostgres();
    const databaseUrl = await cluster?.createDatabase("crash");
    spawnable = await createSpawnable(databaseUrl === undefined ? {} : { databaseUrl });
  }, 60_000);
  afterAll(async () => {
    await spawnable.remove();
    await cluster?.stop();
  });

  const isMissing = store === "Postgres" && !inject("postgresUrl");
  test.skipIf(isMissing)(
    "R4, R7, T51: loses no acknowledged settle and burns none twice",
    async () => {
      const acknowledged = new Map<string, Settlement>();
      const asked = new Set<string>();
      for (let round = 1; round <= ROUNDS; round++) {
        const service = await spawnable.start(SETTINGS);
        // What the crash before left: every answer that was given is given again.
        for (const [id, answer] of acknowledged) {
          if (round > 1 && !id.startsWith(`round-${round - 1}-`)) continue;
          expect(await service.settle(id)).toEqual(answer);
        }
        const load = loadSettles(service.settle, `round-${round}`, { callers: 24 });
        await load.more(60);
        await service.kill();
        for (const [id, answer] of (await load.end()).answered) acknowledged.set(id, answer);
        for (const id of load.asked()) asked.add(id);
      }

      const service = await spawnable.start(SETTINGS);
      expect(acknowledged.size).toBeGreaterThanOrEqual(60 * ROUNDS);
      // Those whose answer was lost in a crash settle now, once, or had settled.
      const replayed = await Promise.all([...asked].map((id) => service.settle(id)));
      const burned = replayed.filter(({ success }) => success).length;
      expect(burned).toBe(asked.size);
      for (const [id, answer] of acknowledged) expect(await service.settle(id)).toEqual(answer);
      expect(await service.balance()).toBe(spawnable.granted - BigInt(asked.size));
      await service.stop();

      const database = await openDatabase(spawnable.databaseOptions);
      expect(await brokenRules(database)).toEqual([]);
      await database.close();
    },
    120_000,
  );
});

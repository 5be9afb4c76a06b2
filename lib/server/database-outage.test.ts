import type { Settlement } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { type PostgresCluster, startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { brokenRules } from "@/lib/adapters/db/testing/stores.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { freshId, requirementOf } from "./testing/operation-samples.ts";
import { createSpawnable, type RunningService, type Spawnable } from "./testing/spawned-service.ts";

let cluster: PostgresCluster;
let spawnable: Spawnable;
let service: RunningService;

beforeAll(async () => {
  cluster = (await startPostgres()) as PostgresCluster;
  spawnable = await createSpawnable({ databaseUrl: await cluster.createDatabase("outage") });
  service = await spawnable.start();
}, 90_000);
afterAll(async () => {
  await spawnable.remove();
  await cluster.stop();
});

type Outcome = { id: string; status: number; retryAfter: string | null; body: Settlement };

/** Every kind of work at once: the grouped reads and writes, and transactions on connections of their own. */
async function ask(kind: "verify" | "settle" | "write", id: string): Promise<Outcome> {
  const body =
    kind === "write"
      ? { name: "during an outage" }
      : {
          paymentRequired: requirementOf(spawnable.market),
          x402AccessToken: spawnable.market.token,
          agentRequestId: id,
        };
  const path = kind === "write" ? "/api-keys" : `/x402/${kind}`;
  const response = await service.post(path, body);
  const retryAfter = response.headers.get("retry-after");
  return { id, status: response.status, retryAfter, body: await response.json() };
}

test.skipIf(!inject("postgresUrl"))(
  "R7, T50: a database that crashes under load is 503 with Retry-After, never another 5xx, never a hang",
  async () => {
    const outcomes: Outcome[] = [];
    const asked = new Set<string>();
    let isEnded = false;
    const longest = { ms: 0 };
    const kinds = ["settle", "verify", "settle", "write"] as const;
    const callers = Array.from({ length: 24 }, async (_, index) => {
      const kind = kinds[index % kinds.length] ?? "settle";
      while (!isEnded) {
        const id = freshId();
        if (kind === "settle") asked.add(id);
        const start = performance.now();
        const outcome = await ask(kind, id);
        longest.ms = Math.max(longest.ms, performance.now() - start);
        if (kind === "settle" || outcome.status !== 200) outcomes.push(outcome);
        if (outcome.status !== 200) await pause(50);
      }
    });
    const count = (status: number) =>
      outcomes.filter((outcome) => outcome.status === status).length;
    const until = async (status: number, more: number) => {
      const goal = count(status) + more;
      await expect.poll(() => count(status), { timeout: 20_000 }).toBeGreaterThanOrEqual(goal);
    };

    for (let round = 0; round < inFull(2, 1); round++) {
      await until(200, 50);
      await cluster.crash();
      await until(503, 50);
      // One look at the database serves all who ask within a second.
      const health = async () => (await fetch(`${service.url}/api/v1/health`)).status;
      await expect.poll(health, { timeout: 10_000 }).toBe(503);
      await cluster.start();
      await until(200, 50);
    }
    isEnded = true;
    await Promise.all(callers);

    expect(service.isRunning()).toBe(true);
    expect([...new Set(outcomes.map(({ status }) => status))].sort()).toEqual([200, 503]);
    for (const { status, retryAfter, body } of outcomes) {
      if (status !== 503) continue;
      expect(Number(retryAfter)).toBeGreaterThan(0);
      expect(body).toMatchObject({ code: "unavailable", httpStatus: 503 });
      expect(JSON.stringify(body)).not.toContain("127.0.0.1");
    }
    expect(longest.ms).toBeLessThan(10_000);

    // What was acknowledged is there; what was not settles now, once.
    const acknowledged = outcomes.filter(({ id, status }) => status === 200 && asked.has(id));
    for (const { id, body } of acknowledged) expect(await service.settle(id)).toEqual(body);
    const settled = await Promise.all([...asked].map((id) => service.settle(id)));
    expect(settled.every(({ success }) => success)).toBe(true);
    expect(await service.balance()).toBe(spawnable.granted - BigInt(asked.size));

    const database = await openDatabase(spawnable.databaseOptions);
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  },
  120_000,
);

const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));

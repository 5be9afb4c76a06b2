import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Database, openDatabase } from "@/lib/adapters/db/client.ts";
import {
  type DatabaseProxy,
  startDatabaseProxy,
} from "@/lib/adapters/db/testing/database-proxy.ts";
import { type PostgresCluster, startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { brokenRules } from "@/lib/adapters/db/testing/stores.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { freshId, requirementOf } from "../testing/operation-samples.ts";
import {
  createSpawnable,
  type RunningService,
  type Spawnable,
} from "../testing/spawned-service.ts";

const HUNG_MS = 20_000;

const onPostgres = test.skipIf(!inject("postgresUrl"));
let cluster: PostgresCluster;
let proxy: DatabaseProxy;
/** Around the proxy. */
let direct: Database;
let spawnable: Spawnable;
let service: RunningService;

beforeAll(async () => {
  cluster = (await startPostgres()) as PostgresCluster;
  const url = await cluster.createDatabase("faults");
  proxy = await startDatabaseProxy(url);
  spawnable = await createSpawnable({ databaseUrl: proxy.url });
  service = await spawnable.start();
  direct = await openDatabase({ url, poolSize: 2 });
  await run("create sequence faults_left");
}, 90_000);
afterAll(async () => {
  await run("alter system reset synchronous_standby_names");
  await run("select pg_reload_conf()");
  await spawnable.remove();
  await proxy.stop();
  expect(await brokenRules(direct)).toEqual([]);
  await direct.close();
  await cluster.stop();
});

const run = (sql: string) => direct.query(sql, []);

/** Makes the next `times` writes of a table fail with an SQL state, as the server itself would, while `work` runs. */
async function failWrites(
  { table, state, times }: { table: string; state: string; times: number },
  work: () => Promise<void>,
): Promise<void> {
  // A sequence is not rolled back with the transaction that it fails.
  await run("alter sequence faults_left restart");
  await run(`create or replace function fail_write() returns trigger language plpgsql as $$
    begin
      if nextval('faults_left') <= ${times} then raise exception 'injected' using errcode = '${state}'; end if;
      return new;
    end $$`);
  await run(`create trigger fail_write before insert on ${table} execute function fail_write()`);
  await work().finally(() => run(`drop trigger fail_write on ${table}`));
}

async function settleOnce(id = freshId()) {
  const start = performance.now();
  const response = await inTime(
    service.post("/x402/settle", {
      paymentRequired: requirementOf(spawnable.market),
      x402AccessToken: spawnable.market.token,
      agentRequestId: id,
    }),
  );
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    body: await response.json(),
    ms: Math.round(performance.now() - start),
  };
}
const writeOnce = () => inTime(service.post("/api-keys", { name: "during a fault" }));

/** Fails when a call hangs. */
async function inTime<T>(call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`no answer in ${HUNG_MS} ms`)), HUNG_MS);
  });
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
}

async function health(path = "/health") {
  const response = await fetch(`${service.url}/api/v1${path}`);
  return { status: response.status, body: await response.json() };
}

onPostgres.each([
  ["40001", "a serialization failure"],
  ["40P01", "a deadlock with a migration"],
])("%s, %s, is retried and never seen by the caller", async (state) => {
  await failWrites({ table: "settlements", state, times: 2 }, async () => {
    expect(await settleOnce()).toMatchObject({ status: 200, body: { success: true } });
  });
  // A transaction of the query builder.
  await failWrites({ table: "api_keys", state, times: 2 }, async () => {
    expect((await writeOnce()).status).toBe(200);
  });
});

onPostgres.each(["53100", "58030"])(
  "a full or failing disk (%s) is 503 with Retry-After, and health says so",
  async (state) => {
    await failWrites({ table: "settlements", state, times: 1_000 }, async () => {
      expect(await settleOnce()).toMatchObject({
        status: 503,
        retryAfter: expect.stringMatching(/^[1-9]/),
        body: { code: "unavailable" },
      });
      expect(await health()).toMatchObject({
        status: 200,
        body: {
          status: "degraded",
          checks: { database: { ok: true, degraded: expect.any(String) } },
        },
      });
    });
    expect(await settleOnce()).toMatchObject({ status: 200 });
    expect(await health()).toMatchObject({ status: 200, body: { status: "ok" } });
  },
);

onPostgres(
  "a chain that is away degrades the service: settles go on, and health is 200",
  async () => {
    await service.post("/sandbox/fault", { fault: "chain-unreachable", durationSecs: 60 });
    expect(await settleOnce()).toMatchObject({ status: 200 });
    await expect
      .poll(() => health(), { timeout: 10_000 })
      .toMatchObject({
        status: 200,
        body: { ok: false, status: "degraded", checks: { chain: { ok: false } } },
      });
    expect(await health("/health/ready")).toMatchObject({ status: 200 });
    expect(await health("/health/live")).toMatchObject({ status: 200 });
    await fetch(`${service.url}/api/v1/sandbox/fault`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${spawnable.market.builder.apiKey}` },
    });
  },
);

onPostgres(
  "writes that wait for a standby that is gone time out, and health says so",
  async () => {
    await run("alter system set synchronous_standby_names = 'gone'");
    await run("select pg_reload_conf()");
    let id = freshId();
    let settled = await settleOnce(id);
    // The checkpointer tells the others of a changed setting, some time after the reload.
    while (settled.status === 200) {
      id = freshId();
      settled = await settleOnce(id);
    }
    const { status, retryAfter, ms } = settled;
    const seen = await health();
    await run("alter system reset synchronous_standby_names");
    await run("select pg_reload_conf()");
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: expect.any(String) });
    expect(ms).toBeLessThan(5_000);
    expect(seen).toMatchObject({ status: 200, body: { status: "degraded" } });
    // The same id: settled once, whether the first try committed or not.
    await expect.poll(async () => (await settleOnce(id)).status, { timeout: 10_000 }).toBe(200);
    await expect.poll(async () => (await health()).body.status, { timeout: 10_000 }).toBe("ok");
  },
  90_000,
);

onPostgres(
  "connections that go silent are given up: 200 again within 5 s",
  async () => {
    const rounds = inFull(20, 1);
    let worst = 0;
    for (let round = 0; round < rounds; round++) {
      // So that the pool has several connections.
      await Promise.all(
        Array.from({ length: 16 }, (_, index) => (index % 2 ? settleOnce() : writeOnce())),
      );
      expect(proxy.silence()).toBeGreaterThan(1);
      const start = performance.now();
      let isBack = false;
      const callers = Array.from({ length: 4 }, async () => {
        while (!isBack) {
          const { status } = await settleOnce();
          expect([200, 503]).toContain(status);
          if (status === 200) isBack = true;
        }
      });
      await Promise.all(callers);
      const ms = Math.round(performance.now() - start);
      worst = Math.max(worst, ms);
      expect(ms).toBeLessThan(5_000);
      expect((await writeOnce()).status).toBe(200);
    }
    console.log(
      `faults-20: silent connections: ${rounds} rounds, 200 again after at most ${worst} ms`,
    );
  },
  inFull(400_000, 60_000),
);

onPostgres(
  "T51: a transaction that a silent connection left open gives its locks up within 5 s",
  async () => {
    const behind = await openDatabase({ url: proxy.url, poolSize: 1 });
    const money = behind.for("money");
    const touch = sql`update balances set available = available`;
    const left = money.orm.transaction(async (inside) => {
      await inside.execute(touch);
      proxy.silence();
      await inside.execute(touch);
    });
    await expect(left).rejects.toThrow();
    const start = performance.now();
    const isFree = () => settleOnce().then(({ status }) => status);
    await expect.poll(isFree, { timeout: 15_000 }).toBe(200);
    const ms = Math.round(performance.now() - start);
    console.log(`faults-20: locks of a silent transaction: free again after ${ms} ms`);
    expect(ms).toBeLessThan(5_000);
    await behind.close();
  },
  60_000,
);

onPostgres(
  "SIGTERM ends the service within its grace while the database is silent",
  async () => {
    await Promise.all(Array.from({ length: 8 }, () => writeOnce()));
    const hung = proxy.silence();
    const waiting = Promise.allSettled(Array.from({ length: 4 }, () => settleOnce()));
    const start = performance.now();
    const code = await service.stop();
    await waiting;
    const ms = Math.round(performance.now() - start);
    console.log(`faults-20: SIGTERM with ${hung} silent connections ended after ${ms} ms`);
    expect(code).toBe(0);
    expect(ms).toBeLessThan(15_000);
  },
  90_000,
);

onPostgres(
  "a service that stops while its clients leave finishes their calls, and writes no error",
  async () => {
    for (let round = 0; round < inFull(5, 1); round++) {
      service = await spawnable.start();
      const clients = new AbortController();
      const body = JSON.stringify({
        paymentRequired: requirementOf(spawnable.market),
        x402AccessToken: spawnable.market.token,
      });
      const ask = () =>
        fetch(`${service.url}/api/v1/x402/verify`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${spawnable.market.builder.apiKey}`,
            "content-type": "application/json",
          },
          body,
          signal: clients.signal,
        });
      await ask();
      const calls = Array.from({ length: 200 }, () => ask().catch(() => null));
      await settleOnce();
      clients.abort();
      expect(await service.stop()).toBe(0);
      await Promise.all(calls);
      expect(service.stderr()).toBe("");
    }
  },
  inFull(120_000, 60_000),
);

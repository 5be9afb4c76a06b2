import { createHash } from "node:crypto";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AccountEvent, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { type PostgresCluster, startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { brokenRules } from "@/lib/adapters/db/testing/stores.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { loadSettles } from "./testing/settle-load.ts";
import { startService } from "./testing/spawn-service.ts";
import { type RunningService, runningService, seedFolder } from "./testing/spawned-service.ts";
import { createMarket } from "./testing/test-service.ts";

const SETTLES = inFull(Number(process.env.EVENT_SETTLES ?? 100_000), 240);
const KILLS = inFull(12, 3);
const WITHIN_MS = inFull(3_600_000, 120_000);

let cluster: PostgresCluster;
let receiver: Server;
let secret = "";
const got: AccountEvent[] = [];
const replicas: RunningService[] = [];
let repeated = 0;
let forged = 0;

/** A consumer that keeps ids, and is away for one request in twenty. */
function listen(): Promise<Server> {
  const known = new Set<string>();
  let requests = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    requests += 1;
    if (requests % 20 === 0) {
      response.writeHead(503).end();
      return;
    }
    try {
      const event = new Webhook(secret).verify(body, request.headers as never) as AccountEvent;
      if (known.has(event.id)) repeated += 1;
      else got.push(event);
      known.add(event.id);
    } catch {
      forged += 1;
    }
    response.writeHead(204).end();
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

beforeAll(async () => {
  cluster = (await startPostgres()) as PostgresCluster;
  receiver = await listen();
}, 60_000);
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.kill()));
  receiver.close();
  await cluster.stop();
});

test.skipIf(!inject("postgresUrl"))(
  "T51: two replicas and kill -9 under load: every event arrives, in order per subject, and the chain is complete",
  async () => {
    const databaseUrl = await cluster.createDatabase("events_crash");
    const { folder, seeded: market } = await seedFolder(databaseUrl, async (service) => {
      const made = await createMarket(service, {
        credits: getFixedCreditsConfig(1_000_000n, 1n),
        redemptionLimit: 1_000_000,
      });
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
      ({ secret } = await made.builder.payments.webhooks.createWebhookEndpoint({ url }));
      return made;
    });
    const other = await mkdtemp(join(tmpdir(), "turnpike-replica-"));
    await cp(join(folder, "secrets.json"), join(other, "secrets.json"));
    const start = async (dataDir: string) =>
      runningService(
        await startService({ settings: { TURNPIKE_DATA_DIR: dataDir, DATABASE_URL: databaseUrl } }),
        market,
      );
    for (const at of [folder, other]) replicas.push(await start(at));
    let turn = 0;
    const settle = (id: string) => {
      turn += 1;
      return (replicas[turn % 2] as RunningService).settle(id);
    };
    const load = loadSettles(settle, "event-crash", { callers: 16 });
    for (let kill = 0; kill < KILLS; kill++) {
      await load.more(Math.ceil(SETTLES / (KILLS + 1)));
      await replicas[kill % 2]?.kill();
      replicas[kill % 2] = await start(kill % 2 === 0 ? folder : other);
    }
    await load.more(Math.ceil(SETTLES / (KILLS + 1)));
    const { answered } = await load.end();
    const database = await openDatabase({ url: databaseUrl });
    // Leases of killed replicas end, and retries become due, without waiting for them.
    await expect
      .poll(
        async () => {
          await database.query(
            "update webhook_deliveries set due_at = app_now() where state = 'waiting' and attempts > 0 and leased_until is null",
            [],
          );
          const [row] = await database.query<{ n: number }>(
            "select (select count(*) from event_queue) + (select count(*) from webhook_deliveries where state = 'waiting') as n",
            [],
          );
          return row?.n;
        },
        { timeout: WITHIN_MS, interval: 500 },
      )
      .toBe(0);
    await Promise.all(replicas.map((replica) => replica.kill()));

    const settled = got.filter(({ type }) => type === "request.settled");
    const ids = new Set(settled.map(({ data }) => data.agentRequestId));
    expect([...answered.keys()].filter((id) => !ids.has(id))).toEqual([]);
    const [{ n } = { n: -1 }] = await database.query<{ n: number }>(
      "select count(*) as n from settlements",
      [],
    );
    expect([settled.length, forged]).toEqual([n, 0]);
    expectOrder(got);
    expectComplete(got);
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
    console.log(
      `event-crash: ${n} settles, ${KILLS} kills of 2 replicas, ${got.length} events, ${repeated} sent again, 0 lost`,
    );
    await Promise.all([folder, other].map((path) => rm(path, { recursive: true, force: true })));
  },
  WITHIN_MS + 60_000,
);

/** The first arrival of each event of a subject is in the order of numbers. */
function expectOrder(events: AccountEvent[]): void {
  const last = new Map<unknown, number>();
  const wrong = events.filter(({ sequence, data }) => {
    const subject = data.agentRequestId ?? data.orderId ?? data.planId ?? data.agentId;
    const isLate = (last.get(subject) ?? 0) > sequence;
    last.set(subject, sequence);
    return isLate;
  });
  expect(wrong).toEqual([]);
}

/** By what arrived alone: numbers without a gap from the first on, each hash from the one before. */
function expectComplete(events: AccountEvent[]): void {
  const sorted = [...events].sort((a, b) => a.sequence - b.sequence);
  for (const [index, event] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before) {
      expect([event.sequence, event.previousHash]).toEqual([before.sequence + 1, before.hash]);
    }
    const { account, createdAt, data, sequence, type } = event;
    const text = JSON.stringify({ account, createdAt, data, sequence, type });
    const previous = Buffer.from(event.previousHash.slice(2), "hex");
    const hash = createHash("sha256").update(Buffer.concat([previous, Buffer.from(text)]));
    expect(`0x${hash.digest("hex")}`).toBe(event.hash);
  }
}

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AccountEvent } from "@turnpike/payments/protocol";
import { Webhook } from "standardwebhooks";
import { Webhook as Svix } from "svix";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { createDeliveries } from "./deliver.ts";

/** On a busy machine, too. */
const SOON = { interval: 1, timeout: 15_000 };

type Got = { headers: Record<string, string>; body: string; event: AccountEvent };
type Answer = (response: ServerResponse, got: Got) => void;
type Receiver = { url: string; got: Got[]; answer: Answer; server: Server };

const ok: Answer = (response) => response.writeHead(204).end();
const DAYS_3 = 3 * 86_400;
/** For a replica that sends nothing yet. */
const FREE = {
  busy: new Map(),
  most: { endpoint: 5, account: 20, all: 200 },
  leaseSecs: 40,
  draw: "",
};

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
}

describe.each(ruleStores())("webhooks on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  const receivers: Receiver[] = [];
  /** Removes each endpoint of a test: the next one moves the clock, and what waits would be due. */
  const removals: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterEach(async () => {
    await Promise.allSettled(removals.splice(0).map((remove) => remove()));
    for (const { server } of receivers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  async function receiver(answer: Answer = ok): Promise<Receiver> {
    const made: Receiver = { url: "", got: [], answer, server: createServer() };
    made.server.on("request", async (request: IncomingMessage, response: ServerResponse) => {
      const body = await readBody(request);
      const got = {
        headers: request.headers as Record<string, string>,
        body,
        event: JSON.parse(body),
      };
      made.got.push(got);
      made.answer(response, got);
    });
    await new Promise<void>((listening) => made.server.listen(0, "127.0.0.1", listening));
    made.url = `http://127.0.0.1:${(made.server.address() as AddressInfo).port}/hooks`;
    receivers.push(made);
    return made;
  }
  /** A replica's worker. It waits longer than a receiver that answers takes on a busy machine. */
  const worker = (answerMs = 20_000) =>
    createDeliveries({
      ports: service.ports,
      answerMs,
      outbound: createOutbound({
        policy: { allowsHttp: true, loopback: { allows: "all", except: new Set() } },
        userAgent: "test",
      }),
    });
  /** Numbers what is queued and sends what is due, with each worker in turn, until nothing is. */
  /** Numbers all events, also where another connection is about to. */
  async function numberEvents(): Promise<void> {
    const isQueued = async () =>
      (await database.query("select 1 from event_queue limit 1", [])).length > 0;
    do await service.ports.events.sequence();
    while (await isQueued());
  }
  async function send(...workers: ReturnType<typeof worker>[]): Promise<void> {
    await numberEvents();
    const all = workers.length > 0 ? workers : [worker()];
    for (let more = true; more; ) {
      const begun = await Promise.all(all.map((each) => each.run()));
      await Promise.all(all.map((each) => each.idle()));
      more = begun.some((n) => n > 0);
    }
  }
  const queue = (party: TestParty, subject: string, n = 1) =>
    service.ports.events.queue({
      account: party.address,
      type: "key.created",
      subject,
      data: { keyId: subject, name: String(n), preset: "gate", expiresAt: "" },
    });
  async function add({ payments }: TestParty, { url }: Pick<Receiver, "url">, events = ["key.*"]) {
    const added = await payments.webhooks.createWebhookEndpoint({ url, events });
    removals.push(() => payments.webhooks.deleteWebhookEndpoint(added.endpointId));
    return added;
  }
  const deliveries = async ({ payments }: TestParty, endpointId: string) =>
    (await payments.webhooks.listWebhookDeliveries({ endpointId, limit: 100 })).items;
  /** An account whose earlier events are numbered. */
  async function newParty(): Promise<TestParty> {
    const party = await service.party();
    await numberEvents();
    return party;
  }

  test("standardwebhooks and svix verify a delivery as it is; forged and stale ones they refuse", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { secret } = await add(party, hook);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await queue(party, "one");
    await send();
    expect(hook.got).toHaveLength(1);
    const [{ body, headers, event }] = hook.got as [Got];
    for (const library of [new Webhook(secret), new Svix(secret)]) {
      expect(library.verify(body, headers)).toEqual(event);
      expect(() => library.verify(body.replace("one", "two"), headers)).toThrow();
      const stale = String(Number(headers["webhook-timestamp"]) - 600);
      expect(() => library.verify(body, { ...headers, "webhook-timestamp": stale })).toThrow();
      expect(() => library.verify(body, { ...headers, "webhook-id": "evt_1" })).toThrow();
    }
    expect(() => new Webhook(`whsec_${"A".repeat(43)}=`).verify(body, headers)).toThrow();
    expect(headers["webhook-id"]).toBe(event.id);
  });

  test("a replay carries the id that the consumer has, so that it can be refused", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId } = await add(party, hook);
    await queue(party, "one");
    await send();
    const [delivery] = await deliveries(party, endpointId);
    await party.payments.webhooks.replayWebhookDelivery({
      endpointId,
      deliveryId: delivery?.deliveryId ?? "",
    });
    await send();
    const [first, second] = hook.got;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  });

  test("while a secret rotates both sign, afterwards only the new one", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId, secret: old } = await add(party, hook);
    const { secret } = await party.payments.webhooks.rotateWebhookSecret({ endpointId });
    await queue(party, "one");
    await send();
    const [{ body, headers }] = hook.got as [Got];
    for (const each of [old, secret]) new Webhook(each).verify(body, headers);
    await service.ports.clock.advance(86_401);
    await queue(party, "two");
    await send();
    const last = hook.got[1] as Got;
    new Webhook(secret).verify(last.body, last.headers);
    expect(() => new Webhook(old).verify(last.body, last.headers)).toThrow();
  });

  test("every secret signs until its own end, however often the secret is rotated meanwhile", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId, secret: first } = await add(party, hook);
    const { webhooks } = party.payments;
    const rotate = (overlapSecs: number) =>
      webhooks.rotateWebhookSecret({ endpointId, overlapSecs });
    const second = await rotate(3600);
    const third = await rotate(7200);
    expect(third.previousSecret?.hint).toBe(second.secret.slice(-4));
    expect(third.olderSecrets?.map(({ hint }) => hint)).toEqual([first.slice(-4)]);
    const signs = async (...secrets: string[]) => {
      await queue(party, `event ${hook.got.length}`);
      await send();
      const { body, headers } = hook.got.at(-1) as Got;
      for (const secret of secrets) new Webhook(secret).verify(body, headers);
      expect(headers["webhook-signature"]?.split(" ")).toHaveLength(secrets.length);
    };
    await signs(third.secret, second.secret, first);
    await service.ports.clock.advance(3601);
    await signs(third.secret, second.secret);
    await service.ports.clock.advance(3601);
    await signs(third.secret);
    const { items } = await webhooks.listWebhookEndpoints({ withoutFigures: true });
    expect(items[0]?.olderSecrets).toBeUndefined();
  });

  test("earlier secrets are listed newest first, whichever ends first", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId, secret: first } = await add(party, hook);
    const { webhooks } = party.payments;
    const rotate = (overlapSecs: number) =>
      webhooks.rotateWebhookSecret({ endpointId, overlapSecs });
    const second = await rotate(7200);
    const third = await rotate(3600);
    await rotate(1800);
    const { previousSecret, olderSecrets = [] } = await webhooks.getWebhookEndpoint(endpointId);
    expect([previousSecret, ...olderSecrets].map((of) => of?.hint)).toEqual(
      [third.secret, second.secret, first].map((secret) => secret.slice(-4)),
    );
    await webhooks.deleteWebhookEndpoint(endpointId);
  });

  longTest(
    "an endpoint has at most five deliveries under way, however often more are begun",
    async () => {
      const [party, hook] = [await newParty(), await receiver()];
      const { endpointId } = await add(party, hook);
      const open: ServerResponse[] = [];
      hook.answer = (response) => void open.push(response);
      const end = (response: ServerResponse | undefined) => response?.writeHead(204).end();
      for (let n = 1; n <= 9; n += 1) await queue(party, `event ${n}`, n);
      await numberEvents();
      const leased = async () => {
        const of =
          "select 1 from webhook_deliveries where endpoint_id = $1 and leased_until is not null";
        return (await database.query(of, [endpointId])).length;
      };
      const one = worker(5_000);
      await one.run();
      await vi.waitUntil(() => open.length === 5, { timeout: 10_000 });
      end(open.shift());
      await vi.waitUntil(async () => (await leased()) === 4, { timeout: 10_000 });
      for (let round = 0; round < 3; round += 1) await one.run();
      expect(await leased()).toBe(5);
      await vi.waitUntil(() => open.length === 5, { timeout: 10_000 });
      hook.answer = ok;
      for (const response of open.splice(0)) end(response);
      await one.idle();
      await send(one);
      expect(hook.got).toHaveLength(9);
    },
  );

  test("a rotation that would be the fifth of a day is refused, unless it stops all earlier secrets", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId } = await add(party, hook);
    const { webhooks } = party.payments;
    const rotate = (overlapSecs?: number) =>
      webhooks.rotateWebhookSecret({
        endpointId,
        ...(overlapSecs !== undefined && { overlapSecs }),
      });
    for (let round = 1; round <= 4; round += 1) await rotate();
    const before = await webhooks.getWebhookEndpoint(endpointId);
    await expect(rotate()).rejects.toMatchObject({
      code: "conflict",
      message: "Five signing secrets are valid already.",
      details: [{ path: "overlapSecs", message: "too_many_secrets" }],
    });
    expect((await webhooks.getWebhookEndpoint(endpointId)).secret).toEqual(before.secret);
    const last = await rotate(0);
    expect([last.previousSecret, last.olderSecrets]).toEqual([undefined, undefined]);
    await queue(party, "one");
    await send();
    const { body, headers } = hook.got[0] as Got;
    new Webhook(last.secret).verify(body, headers);
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(1);
    await webhooks.deleteWebhookEndpoint(endpointId);
  });

  test("of two rotations at once both secrets sign, since each was shown to someone", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId, secret: first } = await add(party, hook);
    const { webhooks } = party.payments;
    const rotated = await Promise.all(
      [1, 2].map(() => webhooks.rotateWebhookSecret({ endpointId })),
    );
    await queue(party, "one");
    await send();
    const [{ body, headers }] = hook.got as [Got];
    for (const { secret } of rotated) new Webhook(secret).verify(body, headers);
    new Webhook(first).verify(body, headers);
  });

  test("T56: the secret is shown once, sealed in the database and in no delivery", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId, secret } = await add(party, hook);
    await queue(party, "one");
    await send();
    const rows = await database.query("select * from webhook_endpoints", []);
    const shown = [
      await party.payments.webhooks.getWebhookEndpoint(endpointId),
      await deliveries(party, endpointId),
      rows,
    ];
    expect(JSON.stringify(shown)).not.toContain(secret.slice("whsec_".length));
  });

  test("a delivery behind an earlier one names it and promises no time, as none does of a disabled endpoint", async () => {
    const [party, hook] = [
      await newParty(),
      await receiver((response) => response.writeHead(500).end()),
    ];
    const { endpointId } = await add(party, hook);
    await queue(party, "one", 1);
    await queue(party, "one", 2);
    await queue(party, "one", 3);
    await send();
    await service.ports.clock.advance(3);
    const [third, second, first] = await deliveries(party, endpointId);
    const now = await service.ports.clock.now();
    expect(Date.parse(first?.nextTryAt ?? "")).toBeGreaterThan(now.getTime());
    expect(first?.waitsFor).toBeUndefined();
    for (const later of [second, third]) {
      expect(later).toMatchObject({ status: "waiting", waitsFor: first?.deliveryId });
      expect(later?.nextTryAt).toBeUndefined();
    }
    await party.payments.webhooks.updateWebhookEndpoint({ endpointId, status: "disabled" });
    for (const { nextTryAt } of await deliveries(party, endpointId)) {
      expect(nextTryAt).toBeUndefined();
    }
  });

  test("events of one subject arrive in order, and others do not wait for them", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId } = await add(party, hook);
    hook.answer = (response, { event }) =>
      response.writeHead(event.data.keyId === "stuck" ? 503 : 200).end("table is locked");
    for (const n of [1, 2, 3]) await queue(party, "stuck", n);
    await queue(party, "free", 1);
    await send();
    const names = () => hook.got.map(({ event }) => `${event.data.keyId} ${event.data.name}`);
    expect(names().sort()).toEqual(["free 1", "stuck 1"]);
    const waiting = (await deliveries(party, endpointId)).filter((d) => d.status === "waiting");
    expect(waiting).toHaveLength(3);
    expect(waiting.at(-1)?.tries).toMatchObject([{ status: 503, answer: "table is locked" }]);
    hook.answer = ok;
    await service.ports.clock.advance(10);
    await send();
    expect(names().slice(2)).toEqual(["stuck 1", "stuck 2", "stuck 3"]);
  });

  const SHORT_MS = 300;
  test.each<[string, Answer, RegExp, number?]>([
    [
      "redirects",
      (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
      /Redirects are not followed/,
    ],
    ["never answers", () => {}, /No complete response within 0.3 s/, SHORT_MS],
    ["hangs up", (response) => response.destroy(), /closed the connection/],
    ["answers 500", (response) => response.writeHead(500).end("\u0000oops"), /^$/],
  ])("an endpoint that %s is tried again, and told why", async (_, answer, error, answerMs) => {
    const [party, hook] = [await newParty(), await receiver(answer)];
    const { endpointId } = await add(party, hook);
    await queue(party, "one");
    await send(worker(answerMs));
    const [delivery] = await deliveries(party, endpointId);
    expect(delivery).toMatchObject({ status: "waiting", attempts: 1 });
    expect(delivery?.tries[0]?.error ?? "").toMatch(error);
    hook.answer = ok;
    await service.ports.clock.advance(10);
    await send();
    expect(await deliveries(party, endpointId)).toMatchObject([{ status: "delivered" }]);
  });

  test.each<[string, Answer, number?]>([
    ["garbage", (response) => response.writeHead(200).end(Buffer.alloc(100_000, 7))],
    ["a body that never ends", (response) => response.writeHead(200).write("so far"), 2_000],
  ])(
    "200 with %s is delivered: the status counts, and the rest is not kept",
    async (_, answer, answerMs) => {
      const [party, hook] = [await newParty(), await receiver(answer)];
      const { endpointId } = await add(party, hook);
      await queue(party, "one");
      await send(worker(answerMs));
      const [delivery] = await deliveries(party, endpointId);
      expect(delivery?.status).toBe("delivered");
      expect(delivery?.tries[0]?.answer?.length ?? 0).toBeLessThanOrEqual(1_024);
    },
  );

  test("T36: an address that is private is never called", async () => {
    const party = await newParty();
    const { endpointId } = await add(party, { url: "https://10.0.0.1/hooks" });
    await queue(party, "one");
    await send();
    const [delivery] = await deliveries(party, endpointId);
    expect(delivery?.tries[0]?.error).toMatch(/not on the public internet/);
  });

  test("a slow endpoint delays no other", async () => {
    const [party, slow, quick] = [await newParty(), await receiver(() => {}), await receiver()];
    await add(party, slow);
    await add(party, quick);
    for (let n = 0; n < 20; n++) await queue(party, `subject-${n}`);
    await numberEvents();
    const both = worker(20_000);
    await expect
      .poll(
        async () => {
          await both.run();
          return quick.got.length;
        },
        { interval: 1, timeout: 10_000 },
      )
      .toBe(20);
    expect(slow.got.length).toBeLessThanOrEqual(10);
    slow.server.closeAllConnections();
    await both.idle();
  });

  test("slow endpoints of one account hold 20 places, those of all accounts 200, and the next place is for who has none", async () => {
    const slow = await receiver(() => {});
    let open = 0;
    slow.server.on("connection", (socket) => {
      open += 1;
      socket.on("close", () => (open -= 1));
    });
    const hold = async () => {
      const party = await newParty();
      const added = await Promise.all(Array.from({ length: 8 }, () => add(party, slow)));
      for (let n = 0; n < 6; n++) await queue(party, `subject-${n}`);
      return { party, added };
    };
    const first = await hold();
    await numberEvents();
    // Longer than the test may take: none of them times out while others begin.
    const all = worker(60_000);
    const fill = async (expected: number) => {
      await expect.poll(() => all.run().then(() => open), SOON).toBe(expected);
      for (let round = 0; round < 5; round++) await all.run();
      expect(open).toBe(expected);
    };
    await fill(20);
    // Those of an endpoint that was removed count until they end.
    await first.party.payments.webhooks.deleteWebhookEndpoint(first.added[0]?.endpointId ?? "");
    await fill(20);

    for (let n = 0; n < 10; n++) await hold();
    const [party, quick] = [await newParty(), await receiver()];
    await fill(200);
    await add(party, quick);
    await queue(party, "one");
    await numberEvents();
    await all.run();
    expect(quick.got).toHaveLength(0);
    slow.server.closeAllConnections();
    await expect.poll(() => all.run().then(() => quick.got.length), SOON).toBe(1);
    await all.stop();
  });

  test("the draw decides between accounts that have as many under way, whichever has more events before", async () => {
    const [older, newer] = [await newParty(), await newParty()];
    for (let n = 0; n < 30; n++) await queue(older, `before-${n}`);
    await numberEvents();
    const nowhere = { url: "http://127.0.0.1:9/hooks" };
    for (const party of [older, newer]) {
      await add(party, nowhere);
      for (let n = 0; n < 2; n++) await queue(party, `subject-${n}`);
    }
    await numberEvents();
    const accounts = (
      await database.query<{ account: string }>("select account from webhook_endpoints", [])
    ).map(({ account }) => account);
    const placeIn = (draw: string) => (account: string) =>
      createHash("md5").update(`${account}${draw}`).digest("hex");
    /** A draw by which an account is before all others, also those of other tests. */
    const drawFor = (account: string): string => {
      for (let n = 0; ; n++) {
        const placeOf = placeIn(String(n));
        if (accounts.every((other) => placeOf(other) >= placeOf(account))) return String(n);
      }
    };
    const most = { ...FREE.most, all: 1 };
    for (const { address } of [older, newer, newer, older]) {
      const draw = drawFor(address);
      const [due] = await service.ports.webhooks.lease({ ...FREE, most, draw });
      expect(due?.account).toBe(address);
    }
  });

  test("two replicas deliver each event once, and what a dead one had is sent under its id", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    await add(party, hook);
    for (let n = 0; n < 40; n++) await queue(party, `subject-${n}`);
    await send(worker(), worker(), worker());
    const ids = hook.got.map(({ headers }) => headers["webhook-id"]);
    expect([ids.length, new Set(ids).size]).toEqual([40, 40]);

    await queue(party, "left behind");
    await numberEvents();
    const [lost] = await service.ports.webhooks.lease(FREE);
    await send();
    expect(hook.got).toHaveLength(40);
    await database.query(
      "update webhook_deliveries set leased_until = '-infinity' where leased_until is not null",
      [],
    );
    await send();
    expect(hook.got).toHaveLength(41);
    // The replica comes back: its lease is lost, and its outcome counts no more.
    const last = { at: "", ms: 1, headers: {} };
    if (!lost) throw new Error("Nothing was leased.");
    expect(
      await service.ports.webhooks.finish(lost, {
        delivered: false,
        last,
        retrySecs: null,
        disables: null,
      }),
    ).toBe(false);
  });

  test("nine tries in three days, then the endpoint is disabled, and the account is told", async () => {
    const [party, hook, other] = [
      await newParty(),
      await receiver((response) => response.writeHead(500).end()),
      await receiver(),
    ];
    const { endpointId } = await add(party, hook);
    await add(party, other, ["webhook_endpoint.*"]);
    await queue(party, "one");
    let passed = 0;
    for (let days = 0; hook.got.length < 9 && days < 200; days++) {
      await send();
      const [delivery] = await deliveries(party, endpointId);
      const now = (await service.ports.clock.now()).getTime();
      const wait = Math.ceil((Date.parse(delivery?.nextTryAt ?? "") - now) / 1000) + 1;
      if (Number.isNaN(wait)) break;
      passed += wait;
      await service.ports.clock.advance(wait);
    }
    await send();
    expect(hook.got).toHaveLength(9);
    expect(passed).toBeGreaterThan(DAYS_3 * 0.95);
    expect(passed).toBeLessThan(DAYS_3 * 1.05);
    const endpoint = await party.payments.webhooks.getWebhookEndpoint(endpointId);
    expect(endpoint).toMatchObject({
      status: "disabled",
      disabled: { reason: expect.stringMatching(/not delivered in 9 attempts/) },
    });
    expect(other.got.map(({ event }) => [event.type, event.data.endpointId])).toEqual([
      ["webhook_endpoint.disabled", endpointId],
    ]);
    // The path of a URL can hold a secret, which is not the other receiver's.
    expect(other.got[0]?.body).not.toContain("/hooks");

    // Nothing is lost: what failed is sent once it is enabled, and a replay sends what came meanwhile.
    await queue(party, "meanwhile");
    await send();
    hook.answer = ok;
    const { webhooks } = party.payments;
    await webhooks.updateWebhookEndpoint({ endpointId, status: "active" });
    await send();
    expect(hook.got).toHaveLength(10);
    expect(hook.got.at(-1)?.event.data.keyId).toBe("one");
    const { events } = await webhooks.replayWebhookEvents({
      endpointId,
      fromSequence: endpoint.disabled?.fromSequence ?? 0,
      toSequence: 1_000,
    });
    expect(events).toBe(1);
    await send();
    expect(hook.got.at(-1)?.event.data.keyId).toBe("meanwhile");
  });

  test("what restarts and crashes broke off is no try: a receiver that fails once is not given up", async () => {
    const [party, hook] = [await newParty(), await receiver(() => {})];
    const { endpointId } = await add(party, hook);
    await queue(party, "one");
    await numberEvents();
    const endLeases = () =>
      database.query("update webhook_deliveries set leased_until = '-infinity'", []);
    for (let restart = 1; restart <= 5; restart++) {
      const stopped = worker(20_000);
      const running = stopped.run();
      await expect.poll(() => hook.got.length, SOON).toBe(restart);
      await stopped.stop();
      await running;
      await endLeases();
    }
    for (let crash = 0; crash < 5; crash++) {
      expect(await service.ports.webhooks.lease(FREE)).toHaveLength(1);
      await endLeases();
    }
    hook.answer = (response) => response.writeHead(500).end();
    await send();
    const [delivery] = await deliveries(party, endpointId);
    expect(delivery).toMatchObject({ status: "waiting", attempts: 1, tries: [{ status: 500 }] });
    hook.answer = ok;
    await service.ports.clock.advance(10);
    await send();
    expect(await deliveries(party, endpointId)).toMatchObject([
      { status: "delivered", attempts: 2 },
    ]);
  });

  test("410 disables an endpoint at once", async () => {
    const [party, hook] = [
      await newParty(),
      await receiver((response) => response.writeHead(410).end()),
    ];
    const { endpointId } = await add(party, hook);
    await queue(party, "one");
    await send();
    expect(await party.payments.webhooks.getWebhookEndpoint(endpointId)).toMatchObject({
      status: "disabled",
    });
  });

  test("a try that is under way when the URL changes neither disables the endpoint nor ends its event", async () => {
    const [party, moved] = [await newParty(), await receiver()];
    let change = () => {};
    const changed = new Promise<void>((done) => {
      change = done;
    });
    const old = await receiver((response) => {
      void changed.then(() => response.writeHead(410).end());
    });
    const { endpointId } = await add(party, old);
    await queue(party, "one");
    const sent = send();
    await expect.poll(() => old.got.length, SOON).toBe(1);
    await party.payments.webhooks.updateWebhookEndpoint({ endpointId, url: moved.url });
    change();
    await sent;
    const { status } = await party.payments.webhooks.getWebhookEndpoint(endpointId);
    expect(status).toBe("active");
    expect(moved.got).toHaveLength(1);
  });

  test("a last try that is under way when the endpoint is enabled again does not disable it", async () => {
    const party = await newParty();
    let enable = () => {};
    const enabled = new Promise<void>((done) => {
      enable = done;
    });
    let isBroken = true;
    const hook = await receiver((response, { event }) => {
      const status = isBroken ? 500 : 204;
      const slow = event.data.keyId === "slow" ? enabled : Promise.resolve();
      void slow.then(() => response.writeHead(status).end());
    });
    const { endpointId } = await add(party, hook);
    await queue(party, "fast");
    await queue(party, "slow");
    await numberEvents();
    await database.query("update webhook_deliveries set attempts = 8 where endpoint_id = $1", [
      endpointId,
    ]);
    const sent = send();
    const { webhooks } = party.payments;
    const statusOf = async () => (await webhooks.getWebhookEndpoint(endpointId)).status;
    await expect.poll(statusOf, SOON).toBe("disabled");
    isBroken = false;
    await webhooks.updateWebhookEndpoint({ endpointId, status: "active" });
    enable();
    await sent;
    expect(await statusOf()).toBe("active");
    const ends = (await deliveries(party, endpointId)).map((one) => [one.status, one.attempts]);
    expect(ends).toEqual([
      ["delivered", 1],
      ["delivered", 1],
    ]);
  });

  test("a type that no event has is refused, when an endpoint is added and when it is changed", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const details = [{ path: "events", message: "“key.create” is not a type of event." }];
    const refused = { code: "invalid_input", details };
    await expect(add(party, hook, ["key.*", "key.create"])).rejects.toMatchObject(refused);
    await expect(add(party, hook, ["keys.*"])).rejects.toMatchObject({ code: "invalid_input" });
    const { endpointId } = await add(party, hook, ["key.*", "key.created", "*"]);
    const change = { events: ["key.create"] };
    await expect(
      party.payments.webhooks.updateWebhookEndpoint({ endpointId, ...change }),
    ).rejects.toMatchObject(refused);
  });

  test("a test event reaches an endpoint that filters it out, and is in the account's chain", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId } = await add(party, hook, ["order.*"]);
    await party.payments.webhooks.testWebhookEndpoint(endpointId);
    await send();
    expect(hook.got.map(({ event }) => event.type)).toEqual(["webhook_endpoint.test"]);
    const { lastSequence } = await party.payments.webhooks.listEvents();
    expect(hook.got[0]?.event.sequence).toBe(lastSequence);
  });

  test("a test event is sent at once, also while an earlier one waits to be tried again", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId } = await add(party, hook, ["order.*"]);
    hook.answer = (response) => response.writeHead(500).end();
    await party.payments.webhooks.testWebhookEndpoint(endpointId);
    await send();
    hook.answer = ok;
    await party.payments.webhooks.testWebhookEndpoint(endpointId);
    await send();
    const states = (await deliveries(party, endpointId)).map(({ status }) => status);
    expect(states).toEqual(["delivered", "waiting"]);
  });

  test("T56: only keys that may read where events go read the path of an endpoint's URL", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId } = await add(party, hook);
    const read = async (input: Parameters<typeof party.payments.apiKeys.createApiKey>[0]) => {
      const { apiKey = "" } = await party.payments.apiKeys.createApiKey(input);
      const urls = ["/webhook-endpoints", `/webhook-endpoints/${endpointId}`].map(async (path) => {
        const answer = await service.call({ ...party, apiKey }, "GET", path);
        const body = (await answer.json()) as { url?: string; items?: { url: string }[] };
        return body.url ?? body.items?.[0]?.url;
      });
      return Promise.all(urls);
    };
    const { origin } = new URL(hook.url);
    expect(await read({ name: "buyer", preset: "buyer" })).toEqual([origin, origin]);
    expect(await read({ name: "reads", preset: "read" })).toEqual([hook.url, hook.url]);
  });

  test("what a stopped account's endpoints get waits until it is resumed", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    await add(party, hook);
    const stop = (at: string) =>
      database.query(`update accounts set stopped_at = ${at} where address = $1`, [party.address]);
    await stop("app_now()");
    await queue(party, "stopped");
    await send();
    expect(hook.got).toEqual([]);
    await stop("null");
    await send();
    expect(hook.got.map(({ event }) => event.data.keyId)).toEqual(["stopped"]);
  });

  test("changes of an endpoint's URL and of its events at once both remain", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId } = await add(party, hook);
    const { webhooks } = party.payments;
    const { find } = service.ports.webhooks;
    vi.spyOn(service.ports.webhooks, "find").mockImplementationOnce(async (...asked) => {
      const found = await find(...asked);
      await webhooks.updateWebhookEndpoint({ endpointId, events: ["order.*"] });
      return found;
    });
    const changed = { url: "https://builder.example/new", events: ["order.*"] };
    const { url } = changed;
    expect(await webhooks.updateWebhookEndpoint({ endpointId, url })).toMatchObject(changed);
    expect(await webhooks.getWebhookEndpoint(endpointId)).toMatchObject(changed);
  });

  test("a delivery whose event was deleted fails, and those that wait for it are sent", async () => {
    const [party, hook] = [await newParty(), await receiver()];
    const { endpointId } = await add(party, hook);
    for (const n of [1, 2]) await queue(party, "one", n);
    await numberEvents();
    const queued = await deliveries(party, endpointId);
    expect(queued).toHaveLength(2);
    // By number: the list is by time, which a clock that is set back turns around.
    const [first, second] = queued.toSorted(
      (one, other) => Number(one.event.sequence) - Number(other.event.sequence),
    );
    const upTo = [party.address, first?.event.sequence];
    await database.query(
      `insert into event_cuts (account, sequence, hash, cut_at)
       select account, sequence, hash, app_now() from events where account = $1 and sequence = $2`,
      upTo,
    );
    await database.query("delete from events where account = $1 and sequence <= $2", upTo);
    expect(await deliveries(party, endpointId)).toMatchObject([{ status: "waiting" }]);
    await send();
    expect(hook.got.map(({ event }) => event.id)).toEqual([second?.deliveryId]);
    const [failed] = await database.query(
      "select state, attempts, tries from webhook_deliveries where endpoint_id = $1 and sequence = $2",
      [endpointId, upTo[1]],
    );
    expect(failed).toMatchObject({
      state: "failed",
      attempts: 1,
      tries: [{ error: "The event was deleted before it was sent." }],
    });
    expect(await deliveries(party, endpointId)).toMatchObject([
      { status: "delivered", deliveryId: second?.deliveryId },
    ]);
    const endpoint = await party.payments.webhooks.getWebhookEndpoint(endpointId);
    expect(endpoint.status).toBe("active");
  });
});

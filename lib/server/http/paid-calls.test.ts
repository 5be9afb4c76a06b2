import { EventEmitter, once } from "node:events";
import { type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { lostReply } from "../pipeline/apply-fault.ts";
import { requirementOf } from "../testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "../testing/test-service.ts";
import { closeServer, createHttpServer, listen } from "./http-server.ts";
import { createPaidCalls, type PaidCalls } from "./paid-calls.ts";

const VERIFY = "/api/v1/x402/verify";
const SETTLE = "/api/v1/x402/settle";
/** Differ from one answer to the next. */
const OWN_TO_AN_ANSWER = ["date", "x-request-id", "keep-alive"];

type Sent = { path: string; method?: string; headers?: Record<string, string>; body?: string };

describe("paid calls, straight from the HTTP server and through the API", () => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  const taken: boolean[] = [];
  let paidCalls: PaidCalls;
  let straight: Server;
  let byApi: Server;
  const info = vi.fn();

  beforeAll(async () => {
    const [store] = ruleStores();
    if (!store) throw new Error("There is no store to test on.");
    database = await store.open();
    service = createTestService(database, { log: { info, warn: info, error: info } });
    market = await createMarket(service);
    paidCalls = createPaidCalls(service);
    const api = { fetch: service.serve };
    straight = createHttpServer(
      {
        api,
        webhooks: api,
        paidCalls(...call) {
          const isTaken = paidCalls(...call);
          taken.push(isTaken);
          return isTaken;
        },
      },
      null,
    );
    byApi = createHttpServer({ api, webhooks: api }, null);
    await Promise.all([listen(straight, 0, "127.0.0.1"), listen(byApi, 0, "127.0.0.1")]);
  });
  afterAll(async () => {
    await Promise.all([closeServer(straight), closeServer(byApi)]);
    await database.close();
  });

  async function send(server: Server, { path, method = "POST", headers, body }: Sent) {
    const { port } = server.address() as AddressInfo;
    const asked = request({ port, host: "127.0.0.1", path, method, headers, agent: false });
    asked.end(body);
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    const said = await text(answer);
    const kept = Object.entries(answer.headers).filter(
      ([name]) => !OWN_TO_AN_ANSWER.includes(name),
    );
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(kept),
      said: said.replace(/"requestId":"[^"]+"/, ""),
    };
  }

  const key = () => ({ authorization: `Bearer ${market.builder.apiKey}` });
  const paid = (more: object = {}) =>
    JSON.stringify({
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId: "req_answered_alike",
      ...more,
    });
  const withLength = (body: string, headers: Record<string, string> = key()) => ({
    body,
    headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
  });

  const ALIKE: [string, () => Sent][] = [
    ["a token that pays", () => ({ path: VERIFY, ...withLength(paid()) })],
    ["a settlement", () => ({ path: SETTLE, ...withLength(paid()) })],
    [
      "another body of a settled request",
      () => ({ path: SETTLE, ...withLength(paid({ maxAmount: "1" })) }),
    ],
    [
      "a token that is none",
      () => ({ path: VERIFY, ...withLength(paid({ x402AccessToken: "no-token" })) }),
    ],
    ["no key", () => ({ path: VERIFY, ...withLength(paid(), {}) })],
    [
      "an unknown key",
      () => ({ path: SETTLE, ...withLength(paid(), { authorization: "Bearer svc-sandbox:none" }) }),
    ],
    [
      "a key of another environment",
      () => ({ path: VERIFY, ...withLength(paid(), { authorization: "Bearer svc-live:none" }) }),
    ],
    ["a body that is not JSON", () => ({ path: VERIFY, ...withLength("{") })],
    ["a body with a byte order mark", () => ({ path: VERIFY, ...withLength(`\uFEFF${paid()}`) })],
    ["a body that is a list", () => ({ path: SETTLE, ...withLength("[]") })],
    ["an empty body", () => ({ path: VERIFY, ...withLength("") })],
    ["a wrong field", () => ({ path: VERIFY, ...withLength(paid({ maxAmount: -1 })) })],
    [
      "a member of the prototype",
      () => ({
        path: VERIFY,
        ...withLength(paid().replace("{", '{"__proto__":{"reserve":true},')),
      }),
    ],
    [
      "several settlements",
      () => ({ path: `${SETTLE}/batch`, ...withLength(JSON.stringify({ settlements: [] })) }),
    ],
  ];

  test.each(ALIKE)("%s is answered alike", async (_, sent) => {
    taken.length = 0;
    const answer = await send(straight, sent());
    expect(taken).toEqual([true]);
    expect(answer).toEqual(await send(byApi, sent()));
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
  });

  test("an answer over TLS tells clients to stay with TLS", async () => {
    const origin = "https://pay.example";
    const env = { origin, trustedProxies: 0 };
    const api = { fetch: service.serve };
    const secure = createPaidCalls({ ...service, ports: { ...service.ports, origin } });
    const servers = [
      createHttpServer({ api, webhooks: api, paidCalls: secure, env }, null),
      createHttpServer({ api, webhooks: api, env }, null),
    ];
    for (const server of servers) {
      await listen(server, 0, "127.0.0.1");
      const { headers } = await send(server, { path: VERIFY, ...withLength(paid()) });
      expect(headers["strict-transport-security"]).toBe("max-age=63072000");
      await closeServer(server);
    }
  });

  const LEFT: [string, () => Sent][] = [
    ["a preflight", () => ({ path: VERIFY, method: "OPTIONS" })],
    [
      "a body without a length",
      () => ({ path: VERIFY, headers: { ...key(), "transfer-encoding": "chunked" }, body: paid() }),
    ],
    ["a body that is too large", () => ({ path: VERIFY, ...withLength("x".repeat(1_000_000)) })],
    ["another path", () => ({ path: "/api/v1/x402/nothing", ...withLength(paid()) })],
    ["another method", () => ({ path: VERIFY, method: "GET", headers: key() })],
  ];

  test.each(LEFT)("%s is left to the API", async (_, sent) => {
    taken.length = 0;
    const { headers: _headers, ...answer } = await send(straight, sent());
    expect(taken).toEqual([false]);
    expect(answer.status).not.toBe(500);
  });

  test("an idempotency key settles once", async () => {
    const body = paid({ agentRequestId: undefined });
    const sent = { path: SETTLE, ...withLength(body, { ...key(), "idempotency-key": "order-1" }) };
    const [first, second] = [await send(straight, sent), await send(byApi, sent)];
    expect(first.status).toBe(200);
    expect(second.said).toBe(first.said);
  });

  test("a body that its client cuts off is logged as that, and the next call is answered", async () => {
    info.mockClear();
    const { port } = straight.address() as AddressInfo;
    const headers = { ...key(), "content-length": "1000" };
    const asked = request({ port, host: "127.0.0.1", path: VERIFY, method: "POST", headers });
    asked.on("error", () => {});
    const received = once(straight, "request");
    asked.write("{");
    await received;
    // The body's reader waits for the rest.
    await new Promise(setImmediate);
    asked.destroy();
    await vi.waitFor(
      () =>
        expect(info.mock.calls.map(([, said]) => said)).toContain(
          "the client left before the end of its request",
        ),
      { timeout: 10_000 },
    );
    expect((await send(straight, { path: VERIFY, ...withLength(paid()) })).status).toBe(200);
  });

  test("a call whose client leaves while its key is looked up ends", async () => {
    const { apiKey } = await market.builder.payments.apiKeys.createApiKey({ name: "Fresh" });
    const { find } = service.ports.apiKeys;
    const steps = new EventEmitter();
    const lookedUp = once(steps, "looked up");
    const left = once(steps, "left");
    service.ports.apiKeys.find = async (hash) => {
      steps.emit("looked up");
      await left;
      return find(hash);
    };
    const { port } = straight.address() as AddressInfo;
    const { headers, body } = withLength(paid());
    const asked = request({
      ...{ port, host: "127.0.0.1", path: VERIFY, method: "POST" },
      headers: { ...headers, authorization: `Bearer ${apiKey}` },
    });
    asked.on("error", () => {});
    const received = once(straight, "request");
    asked.end(body);
    const [{ socket }] = await received;
    await lookedUp;
    const closed = once(socket, "close");
    asked.destroy();
    await closed;
    steps.emit("left");
    service.ports.apiKeys.find = find;
    await service.pipeline.idle();
  });

  test("a response that a sandbox fault drops breaks the connection", async () => {
    const usual = paidCalls;
    const perform = () => Promise.reject(lostReply());
    paidCalls = createPaidCalls({ ...service, pipeline: { ...service.pipeline, perform } });
    const said = send(straight, { path: SETTLE, ...withLength(paid()) });
    await expect(said).rejects.toThrow(/aborted|socket hang up|ECONNRESET/);
    paidCalls = usual;
    expect((await send(straight, { path: VERIFY, ...withLength(paid()) })).status).toBe(200);
  });
});

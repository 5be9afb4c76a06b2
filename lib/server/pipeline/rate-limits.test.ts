import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { PaymentsError } from "@turnpike/payments/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createApi } from "../http/api.ts";
import { closeServer, createHttpServer, listen } from "../http/http-server.ts";
import { createMarket, createTestService, type TestMarket } from "../testing/test-service.ts";
import { createPipeline } from "./perform.ts";
import { createRateLimits } from "./rate-limits.ts";
import { servedOperations } from "./served-operations.ts";

const OFF = { signIn: 0, api: 0, verify: 0, outbound: 0, publicCalls: 0, pages: 0 };
const isRefused = (done: Promise<void>) =>
  done.then(
    () => false,
    (cause) => PaymentsError.is(cause) && cause.code === "rate_limited",
  );

describe("a limit", () => {
  afterEach(() => vi.useRealTimers());

  test("grants its number of calls to each key, and says how long to wait", async () => {
    vi.useFakeTimers();
    const { signIn } = createRateLimits({ ...OFF, signIn: 3 });
    for (let attempt = 0; attempt < 3; attempt++) await signIn("one");
    await expect(signIn("one")).rejects.toMatchObject({
      code: "rate_limited",
      httpStatus: 429,
      retryAfterSecs: 60,
      hint: "Wait 60 s, then send it again.",
    });
    expect(await isRefused(signIn("another"))).toBe(false);
    vi.advanceTimersByTime(59_000);
    expect(await isRefused(signIn("one"))).toBe(true);
    vi.advanceTimersByTime(1_001);
    expect(await isRefused(signIn("one"))).toBe(false);
  });

  test("of 0 is none", async () => {
    const { api } = createRateLimits(OFF);
    const done = Array.from({ length: 10_000 }, () => isRefused(api("one")));
    expect((await Promise.all(done)).filter(Boolean)).toEqual([]);
  });

  test("holds when all calls come at once", async () => {
    const { outbound } = createRateLimits({ ...OFF, outbound: 7 });
    const refused = await Promise.all(
      Array.from({ length: 100 }, () => isRefused(outbound("one"))),
    );
    expect(refused.filter((one) => !one)).toHaveLength(7);
  });

  test("on visitors counts each address, and all of them together", async () => {
    const { visitors } = createRateLimits({ ...OFF, outbound: 2 });
    const granted: string[] = [];
    for (let address = 0; address < 30; address++) {
      for (let attempt = 0; attempt < 3; attempt++) {
        if (!(await isRefused(visitors(`a${address}`)))) granted.push(`a${address}`);
      }
    }
    expect(granted.slice(0, 4)).toEqual(["a0", "a0", "a1", "a1"]);
    expect(granted).toHaveLength(20);
    const { visitors: heavy } = createRateLimits({ ...OFF, outbound: 60 });
    expect(await isRefused(heavy("one", 30))).toBe(false);
    expect(await isRefused(heavy("one", 30))).toBe(false);
    expect(await isRefused(heavy("one", 30))).toBe(true);
  });

  test("on settling is wider than the one on verifying", async () => {
    const { verify, settle } = createRateLimits({ ...OFF, verify: 2 });
    const granted = async (limit: typeof verify) =>
      (await Promise.all(Array.from({ length: 20 }, () => isRefused(limit("one"))))).filter(
        (one) => !one,
      ).length;
    expect(await granted(verify)).toBe(2);
    expect(await granted(settle)).toBe(8);
  });
});

describe("over the API", () => {
  let database: Database;
  let market: TestMarket;
  let api: ReturnType<typeof createApi>;

  beforeAll(async () => {
    const [store] = ruleStores();
    if (!store) throw new Error("There is no store to test on.");
    database = await store.open();
    const service = createTestService(database);
    market = await createMarket(service);
    const limits = createRateLimits({ ...OFF, api: 3, verify: 1 });
    const health = async () => ({ ok: true }) as never;
    const { ports } = service;
    const pipeline = createPipeline({ ports, operations: servedOperations, limits });
    api = createApi({ ports, pipeline, origin: "http://localhost", health });
  });
  afterAll(() => database.close());

  const call = (path: string, apiKey: string | null, method = "GET") =>
    api.request(`/api/v1${path}`, {
      method,
      headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
      ...(method === "POST" && { body: "{}" }),
    });

  test("the call that is one too many is 429 with Retry-After and the next step", async () => {
    const { apiKey } = market.builder;
    for (let each = 0; each < 3; each++)
      expect((await call("/figures/home", apiKey)).status).toBe(200);
    const refused = await call("/figures/home", apiKey);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({
      code: "rate_limited",
      message: "More than 3 API calls of one account in a minute. Nothing was done.",
      hint: expect.stringMatching(/^Wait \d+ s, then send it again\.$/),
    });
    // Another key, public reads and a paid call in progress are not affected.
    expect((await call("/figures/home", market.subscriber.apiKey)).status).toBe(200);
    expect((await call("/x402/supported", null)).status).toBe(200);
    expect((await call("/x402/settle", apiKey, "POST")).status).not.toBe(429);
  });

  test("verify is counted separately", async () => {
    const { apiKey } = market.subscriber;
    expect((await call("/x402/verify", apiKey, "POST")).status).not.toBe(429);
    expect((await call("/x402/verify", apiKey, "POST")).status).toBe(429);
  });

  test("a key that does not exist is refused as such, however often", async () => {
    for (let each = 0; each < 10; each++) {
      expect((await call("/figures/home", "svc-sandbox:made-up")).status).toBe(401);
    }
  });
});

describe("the HTTP server", () => {
  const ok = async () => new Response("ok");
  const open = async (origin: string) => {
    let address: unknown;
    const server = createHttpServer(
      { api: { fetch: ok }, webhooks: { fetch: ok }, env: { origin, trustedProxies: 0 } },
      (asked, answer) => {
        address = asked.headers["x-turnpike-address"];
        answer.end("page");
      },
    );
    await listen(server, 0, "127.0.0.1");
    const { port } = server.address() as AddressInfo;
    const get = async (path: string) => {
      const headers = { "x-turnpike-address": "203.0.113.7" };
      const asked = request({ port, host: "127.0.0.1", path, headers, agent: false }).end();
      const [answer] = await once(asked, "response");
      answer.resume();
      return answer.headers["strict-transport-security"];
    };
    return { get, address: () => address, close: () => closeServer(server) };
  };

  test("keep browsers on https where the service is served so, and only there", async () => {
    for (const [origin, expected] of [
      ["https://pay.example", "max-age=63072000"],
      ["http://localhost:3000", undefined],
    ] as const) {
      const doors = await open(origin);
      for (const path of ["/", "/api/v1/health", "/api/webhooks/cards"]) {
        expect(await doors.get(path), `${origin}${path}`).toBe(expected);
      }
      await doors.close();
    }
  });

  test("tell the pages whose address it is, not what a client says", async () => {
    const doors = await open("http://localhost:3000");
    await doors.get("/sign-in");
    expect(doors.address()).toBe("127.0.0.1");
    await doors.close();
  });
});

import type { PaymentsError } from "@turnpike/payments/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import { OPEN } from "@/lib/adapters/outbound/testing/outbound-bench.ts";
import { MAX_KEYS } from "@/lib/domain/accounts/room.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { requirementOf } from "../testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "../testing/test-service.ts";
import { createRateLimits, type RatesPerMinute } from "./rate-limits.ts";
import type { Work } from "./served-operations.ts";

const OFF = { signIn: 0, api: 0, verify: 0, outbound: 0, publicCalls: 0, pages: 0 };

describe("a flood", () => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  let rates: RatesPerMinute = OFF;

  beforeAll(async () => {
    const [store] = ruleStores();
    if (!store) throw new Error("There is no store to test on.");
    database = await store.open();
    market = await createMarket(createTestService(database));
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(() => database.close());

  const open = (some: Partial<RatesPerMinute>) => {
    rates = { ...OFF, ...some };
    const outbound = createOutbound({ policy: OPEN, userAgent: "test" });
    service = createTestService(database, { limits: createRateLimits(rates), outbound });
  };
  const call = (
    path: string,
    { apiKey = "", address = "203.0.113.7", method = "GET", body = "{}" } = {},
  ) =>
    service.serve(
      new Request(`http://service.test/api/v1${path}`, {
        method,
        headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
        ...(method === "POST" && { body }),
      }),
      { address },
    );
  const statuses = async (count: number, ask: (index: number) => ReturnType<typeof call>) => {
    const found: number[] = [];
    for (let each = 0; each < count; each++) found.push((await ask(each)).status);
    return found;
  };

  test("T20: all keys of an account share its budget, for every lane", async () => {
    open({ api: 4, verify: 4 });
    const { payments } = market.builder;
    const keys = await Promise.all(
      Array.from(
        { length: 3 },
        async (_, n) => (await payments.apiKeys.createApiKey({ name: `${n}` })).apiKey,
      ),
    );
    for (const [path, method] of [
      ["/figures/home", "GET"],
      ["/x402/verify", "POST"],
    ] as const) {
      const found = await statuses(6, (n) => call(path, { apiKey: keys[n % 3] ?? "", method }));
      expect([path, found.map((status) => status === 429)]).toEqual([
        path,
        [false, false, false, false, true, true],
      ]);
    }
    // Another account's budget is whole.
    expect((await call("/figures/home", { apiKey: market.subscriber.apiKey })).status).toBe(200);
  });

  test("T20: an address over its limit waits for each refusal, so that a connection repeats four times a second", async () => {
    open({ publicCalls: 1 });
    await call("/x402/supported");
    const start = performance.now();
    expect((await call("/x402/supported")).status).toBe(429);
    expect(performance.now() - start).toBeGreaterThan(240);
  });

  test("T20: public reads are counted by address, and answered from memory", async () => {
    open({ publicCalls: 15 });
    const listPublic = vi.spyOn(service.reads.plans, "listPublic");
    const found = await statuses(8, () => call("/protocol/plans/public?limit=100"));
    // The first reads the database and counts as ten.
    expect(found).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
    expect(listPublic).toHaveBeenCalledTimes(1);
    const other = await call("/protocol/plans/public?limit=100", { address: "203.0.113.8" });
    expect([other.status, other.headers.get("cache-control")]).toEqual([200, "public, max-age=2"]);
    expect(listPublic).toHaveBeenCalledTimes(1);
  });

  test("T20: each message of an MCP batch counts, and a batch that is too much is refused whole", async () => {
    open({ publicCalls: 6 });
    const batch = (length: number, address: string) => {
      const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
      const body = JSON.stringify(Array(length).fill(ping));
      return call("/mcp", { method: "POST", body, address });
    };
    const found = [];
    for (const at of [1, 1, 2]) found.push((await batch(4, `203.0.113.${at}`)).status);
    expect(found).toEqual([200, 429, 200]);
  });

  test("T20: an OpenAPI document is counted by address, and written once", async () => {
    open({ publicCalls: 3 });
    const write = vi.spyOn(JSON, "stringify");
    const ask = (address: string) => call("/openapi.json", { address });
    const answers = [];
    for (const at of [1, 1, 1, 1, 2]) answers.push(await ask(`203.0.113.${at}`));
    const written = write.mock.results.filter(({ value }) => value?.includes('"openapi":"3.1'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 200]);
    expect(written).toHaveLength(1);
    const headers = { "if-none-match": answers[0]?.headers.get("etag") ?? "" };
    const url = "http://service.test/api/v1/openapi.json";
    const again = await service.serve(new Request(url, { headers }), { address: "203.0.113.3" });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test("T20: runs that send requests are counted by account, and by address for all accounts behind it", async () => {
    open({ outbound: 2 });
    const row: Work = {
      ...{ access: "write", scope: "activity", stepUp: false, callerReadBy: "pipeline" },
      ...{ lane: "outbound", input: z.object({}), maxInput: 1_000, span: undefined },
    };
    const operation = { name: "run", row, verb: async () => "sent" };
    const run = (account: string, address: string) =>
      service.pipeline
        .perform({
          ...{ operation, address, requestId: "run" },
          credentials: { session: { account, keyId: null, isOperator: false } },
          read: async () => ({ operation, input: {} }),
        })
        .catch((cause: PaymentsError) => cause.code);
    const found = [];
    for (let at = 0; at < 33; at++) found.push(await run(`0x${Math.floor(at / 3)}`, "203.0.113.7"));
    // Two of each account's three, of ten accounts.
    expect(found.slice(0, 3)).toEqual(["sent", "sent", "rate_limited"]);
    expect(found.filter((answer) => answer === "sent")).toHaveLength(20);
    expect(found.slice(-3)).toEqual(Array(3).fill("rate_limited"));
    expect(await run("0x99", "203.0.113.8")).toBe("sent");
  });

  test("T20, T28: made-up keys are looked up only so often for one address", async () => {
    open({ publicCalls: 3 });
    const find = vi.spyOn(service.ports.apiKeys, "find");
    const markUsed = vi.spyOn(service.ports.apiKeys, "markUsed");
    for (const [path, method] of [
      ["/figures/home", "GET"],
      ["/x402/verify", "POST"],
    ] as const) {
      await statuses(5, (n) => call(path, { apiKey: `svc-sandbox:${path}${n}`, method }));
    }
    expect(find).toHaveBeenCalledTimes(3);
    expect(markUsed).not.toHaveBeenCalled();
  });

  test("the key of a stopped account is new to the service once", async () => {
    open({ publicCalls: 3 });
    const { address, apiKey } = await service.party();
    await database.query("update accounts set stopped_at = app_now() where address = $1", [
      address,
    ]);
    open({ publicCalls: 3 });
    expect(await statuses(5, () => call("/figures/home", { apiKey }))).toEqual(Array(5).fill(403));
  });

  longTest("a key that was seen before is served whatever else its address sends", async () => {
    open({ publicCalls: 2 });
    const { apiKey } = market.builder;
    expect((await call("/figures/home", { apiKey })).status).toBe(200);
    await statuses(5, (n) => call("/figures/home", { apiKey: `svc-sandbox:x${n}` }));
    await statuses(5, () => call("/x402/supported"));
    expect((await call("/figures/home", { apiKey })).status).toBe(200);
    expect((await call("/x402/supported")).status).toBe(429);
  });

  /** Puts the clock of caches forward; the windows of limits stay. */
  const passMinute = () => {
    const later = performance.now() + 61_000;
    vi.spyOn(performance, "now").mockReturnValue(later);
  };
  /** A second key of the builder that this process has served, then revoked. */
  const revokedKey = async (path: string, method: string) => {
    const { apiKeys } = market.builder.payments;
    const { apiKey, keyId } = await apiKeys.createApiKey({ name: "stolen" });
    expect((await call(path, { apiKey, method })).status).not.toBe(401);
    await apiKeys.revokeApiKey(keyId);
    return apiKey;
  };

  test("T20: a revoked key that is refused no longer counts for its account", async () => {
    open({ api: 6, verify: 3, publicCalls: 100 });
    const apiKey = await revokedKey("/x402/verify", "POST");
    const body = JSON.stringify({
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
    });
    const verify = (key: string) => call("/x402/verify", { apiKey: key, method: "POST", body });
    expect(await statuses(6, () => verify(apiKey))).toEqual(Array(6).fill(401));
    const { apiKey: own } = market.builder;
    expect((await verify(own)).status).toBe(200);
    await statuses(9, () => call("/x402/supported", { apiKey }));
    expect((await call("/figures/home", { apiKey: own })).status).toBe(200);
  });

  test.each([
    ["a public read", "/x402/supported", "GET"],
    ["a body that is refused before its key is read", "/x402/verify", "POST"],
  ])(
    "T20: a revoked key counts for its account for a minute at most: %s",
    async (_, path, method) => {
      open({ api: 4, verify: 4, publicCalls: 100 });
      const apiKey = await revokedKey(path, method);
      passMinute();
      await statuses(5, () => call(path, { apiKey, method }));
      const { apiKey: own } = market.builder;
      expect((await call("/figures/home", { apiKey: own })).status).toBe(200);
      expect((await call("/x402/verify", { apiKey: own, method: "POST" })).status).toBe(422);
    },
  );

  test("a valid key is read again beside a flood of made-up ones", async () => {
    open({ publicCalls: 2 });
    const { apiKey } = market.builder;
    const verify = () => call("/x402/verify", { apiKey, method: "POST" });
    expect((await verify()).status).toBe(422);
    await statuses(5, (n) => call("/figures/home", { apiKey: `svc-sandbox:y${n}` }));
    passMinute();
    const find = vi.spyOn(service.ports.apiKeys, "find");
    expect((await verify()).status).toBe(422);
    expect(find).toHaveBeenCalled();
  });

  test("T20: an account may have only so many keys, active or new", async () => {
    open({});
    const { apiKeys } = service.ports;
    const { payments, address, apiKey } = await service.party();
    const { keyId } = await payments.apiKeys.createApiKey({ name: "old" });
    await payments.apiKeys.revokeApiKey(keyId);
    expect(await apiKeys.count(address, new Date(0))).toBe(2);
    expect(await apiKeys.count(address, new Date("9000-01-01"))).toBe(1);
    vi.spyOn(apiKeys, "count").mockResolvedValue(MAX_KEYS);
    const refused = await service.fetch("http://service.test/api/v1/api-keys", {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ name: "one more" }),
    });
    expect(refused.status).toBe(409);
    expect((await refused.json()).hint).toContain("Revoke keys");
  });

  test("a change is read at once, with and without a key", async () => {
    open({});
    const { builder, planId } = market;
    const path = `/protocol/plans/${planId}`;
    const nameOf = async (answer: Response | Promise<Response>) =>
      (await (await answer).json()).metadata.main.name;
    for (const name of ["One", "Two"]) {
      await service.fetch(`http://service.test/api/v1${path}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${builder.apiKey}` },
        body: JSON.stringify({ metadataAttributes: { name } }),
      });
      expect(await nameOf(call(path))).toBe(name);
      expect(await nameOf(call(path, { apiKey: builder.apiKey }))).toBe(name);
    }
  });

  test("an unchanged public answer is 304, and with a key it is not stored", async () => {
    open({});
    const path = `/protocol/plans/${market.planId}`;
    const etag = (await call(path)).headers.get("etag") ?? "";
    const askWith = (known: string) =>
      service.serve(
        new Request(`http://service.test/api/v1${path}`, { headers: { "if-none-match": known } }),
      );
    for (const known of [etag, `W/${etag}`, `"other", W/${etag}`, "*"]) {
      const again = await askWith(known);
      expect([known, again.status, await again.text()]).toEqual([known, 304, ""]);
    }
    for (const known of ['"other"', `${etag}x`]) expect((await askWith(known)).status).toBe(200);
    const own = await call(path, { apiKey: market.builder.apiKey });
    expect(own.headers.get("cache-control")).toBe("no-store");
  });
});

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { MAX_KEYS } from "@/lib/domain/accounts/key-cap.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "../testing/test-service.ts";
import { createRateLimits, type RatesPerMinute } from "./rate-limits.ts";

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
  afterAll(() => database.close());

  const open = (some: Partial<RatesPerMinute>) => {
    rates = { ...OFF, ...some };
    service = createTestService(database, { limits: createRateLimits(rates) });
  };
  const call = (path: string, { apiKey = "", address = "203.0.113.7", method = "GET" } = {}) =>
    service.serve(
      new Request(`http://service.test/api/v1${path}`, {
        method,
        headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
        ...(method === "POST" && { body: "{}" }),
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

  test("a key that was seen before is served whatever else its address sends", async () => {
    open({ publicCalls: 2 });
    const { apiKey } = market.builder;
    expect((await call("/figures/home", { apiKey })).status).toBe(200);
    await statuses(5, (n) => call("/figures/home", { apiKey: `svc-sandbox:x${n}` }));
    await statuses(5, () => call("/x402/supported"));
    expect((await call("/figures/home", { apiKey })).status).toBe(200);
    expect((await call("/x402/supported")).status).toBe(429);
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
    const again = await service.serve(
      new Request(`http://service.test/api/v1${path}`, { headers: { "if-none-match": etag } }),
    );
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const own = await call(path, { apiKey: market.builder.apiKey });
    expect(own.headers.get("cache-control")).toBe("no-store");
  });
});

import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createGate } from "../../gate/gate.ts";
import { createMemoryQueue } from "../../gate/queue/memory-queue.ts";
import { getFixedCreditsConfig } from "../../protocol/plans/credits-builders.ts";
import { getErc20PriceConfig } from "../../protocol/plans/price-builders.ts";
import { Payments } from "../payments.ts";

describe("an order that no receipt names", () => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await openRuleStore();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  type Reply = Response | undefined;

  /**
   * A plan of some credits behind a gate, and a buyer without credits. `net.meets` decides what becomes of the gate's requests to
   * the service: it throws or answers in its place, before the service is `reached` or after.
   */
  async function setUp(work: () => Promise<Response>, credits = 3n) {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const [usdc = ""] = service.ports.stableTokens.keys();
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Three" },
      getErc20PriceConfig(1_000_000n, usdc, "0x000000000000000000000000000000000000dEaD"),
      getFixedCreditsConfig(credits),
    );
    const net: { meets: (path: string, id: string, isReached: boolean) => Reply } = {
      meets: () => undefined,
    };
    const seller = Payments.getInstance({
      apiKey: builder.apiKey,
      baseUrl: TEST_ORIGIN,
      async fetch(input, init) {
        const path = new URL(String(input)).pathname;
        const id = /req_[0-9a-f]+/.exec(String(init?.body))?.[0] ?? "";
        const early = net.meets(path, id, false);
        if (early) return early;
        const answer = await service.fetch(input, init);
        return net.meets(path, id, true) ?? answer;
      },
    });
    const queue = createMemoryQueue({ firstDelayMs: 100 });
    const errors: string[] = [];
    const logger = { error: (message: string) => errors.push(message) };
    const gate = createGate(
      seller,
      { "POST /ask": { planId } },
      { queue, report: false, logger, settle: "after" },
    );
    const call = (headers: Record<string, string> = {}) =>
      buyer.payments.fetch(
        "https://agent.example/ask",
        { method: "POST", headers },
        { fetch: (request) => gate(request, work), maxSpend: 500n },
      );
    const balance = async () => (await buyer.payments.plans.getPlanBalance(planId)).balance;
    const orders = async () => (await buyer.payments.holdings.listOrders()).items.length;
    /** Lets what is reserved expire. */
    const expire = async () => {
      await builder.sandbox.advanceClock(310);
      await service.ports.ledger.sweep();
    };
    return { call, balance, orders, expire, net, queue, errors };
  }

  const cutSettles = (path: string): Reply => {
    if (path.endsWith("/settle")) throw new TypeError("connection reset");
    return undefined;
  };

  test("is paid for by a settlement that comes after its reservation has expired", async () => {
    const { call, balance, expire, net, queue, errors } = await setUp(
      async () => new Response("done"),
    );
    net.meets = cutSettles;
    const { response, receipt, order } = await call();
    expect(receipt).toMatchObject({ success: false, errorReason: "settlement_pending" });
    expect([response.status, order]).toEqual([200, "unknown"]);
    await expire();
    net.meets = () => undefined;
    await queue.idle();
    expect(errors).not.toContain("A settlement was permanently refused; its call is not paid.");
    expect(await balance()).toBe(2n);
  });

  test("is paid for too where another call with its token was settled meanwhile", async () => {
    const { call, balance, expire, net, queue, errors } = await setUp(
      async () => new Response("done"),
    );
    let owed = "";
    net.meets = (path, id) => {
      if (path.endsWith("/settle")) owed ||= id;
      return id === owed ? cutSettles(path) : undefined;
    };
    expect((await call()).receipt).toMatchObject({ errorReason: "settlement_pending" });
    const { receipt, order } = await call();
    expect([receipt?.success, order]).toEqual([true, "unknown"]);
    await expire();
    net.meets = () => undefined;
    await queue.idle();
    expect(errors).not.toContain("A settlement was permanently refused; its call is not paid.");
    expect(await balance()).toBe(1n);
  });

  test.each([401, 403])("is paid for once the seller’s key is taken again: %i", async (status) => {
    const { call, balance, expire, net, queue, errors } = await setUp(
      async () => new Response("done"),
    );
    net.meets = (path) =>
      path.endsWith("/settle") ? new Response("<html>", { status }) : undefined;
    const { receipt } = await call();
    expect(receipt).toMatchObject({ success: false, errorReason: "settlement_pending" });
    await expire();
    net.meets = () => undefined;
    await queue.idle();
    expect(errors).not.toContain("A settlement was permanently refused; its call is not paid.");
    expect(await balance()).toBe(2n);
  });

  test("is made once where the gate lost the reply that it was made, and the call is repeated", async () => {
    const { call, balance, orders, net } = await setUp(async () => new Response("done"), 1n);
    let replies = 0;
    net.meets = (path, _, isReached) => {
      if (!isReached || !path.endsWith("/verify") || replies++ > 1) return undefined;
      throw new TypeError("connection reset");
    };
    const key = { "idempotency-key": "k-0123456789abcdef" };
    const { response, order } = await call(key);
    expect([response.status, order]).toEqual([503, "unknown"]);
    expect((await call(key)).response.status).toBe(200);
    expect([await orders(), await balance()]).toEqual([1, 0n]);
  });

  test.each([500, 402])(
    "is known to each of the calls that share its token: %i",
    async (status) => {
      let answer = (_: Response) => {};
      const answered = new Promise<Response>((resolve) => {
        answer = resolve;
      });
      let working = 0;
      const { call, balance } = await setUp(async () => {
        working += 1;
        return (await answered).clone();
      });
      const calls = [call(), call()];
      while (working < 2) await setTimeout(10);
      answer(new Response("failed", { status }));
      const orders = (await Promise.all(calls)).map(({ order }) => order);
      expect(orders).toContain("made");
      expect(["made", "unknown"]).toEqual(expect.arrayContaining(orders));
      expect(await balance()).toBe(3n);
    },
  );
});

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

  /** A plan of three credits behind a gate whose settlements can be cut off, and a buyer without credits. */
  async function setUp(work: () => Promise<Response>) {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const [usdc = ""] = service.ports.stableTokens.keys();
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Three" },
      getErc20PriceConfig(1_000_000n, usdc, "0x000000000000000000000000000000000000dEaD"),
      getFixedCreditsConfig(3n),
    );
    const settles = { areLost: false };
    const seller = Payments.getInstance({
      apiKey: builder.apiKey,
      baseUrl: TEST_ORIGIN,
      fetch: (input, init) =>
        settles.areLost && String(input).endsWith("/settle")
          ? Promise.reject(new TypeError("connection reset"))
          : service.fetch(input, init),
    });
    const queue = createMemoryQueue({ firstDelayMs: 100 });
    const errors: string[] = [];
    const logger = { error: (message: string) => errors.push(message) };
    const gate = createGate(
      seller,
      { "POST /ask": { planId } },
      { queue, report: false, logger, settle: "after" },
    );
    const call = () =>
      buyer.payments.fetch(
        "https://agent.example/ask",
        { method: "POST" },
        { fetch: (request) => gate(request, work), maxSpend: 500n },
      );
    const balance = async () => (await buyer.payments.plans.getPlanBalance(planId)).balance;
    return { builder, call, balance, settles, queue, errors };
  }

  test("is paid for by a settlement that comes after its reservation has expired", async () => {
    const { builder, call, balance, settles, queue, errors } = await setUp(
      async () => new Response("done"),
    );
    settles.areLost = true;
    const { response, receipt, order } = await call();
    expect(receipt).toMatchObject({ success: false, errorReason: "settlement_pending" });
    expect([response.status, order]).toEqual([200, "unknown"]);
    await builder.sandbox.advanceClock(310);
    settles.areLost = false;
    await queue.idle();
    expect(errors).not.toContain("A settlement was refused for good.");
    expect(await balance()).toBe(2n);
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

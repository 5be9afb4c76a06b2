import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  TEST_ORIGIN,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { createGate } from "../gate/gate.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { getFixedCreditsConfig } from "../protocol/plans/credits-builders.ts";
import { getErc20PriceConfig, getFreePriceConfig } from "../protocol/plans/price-builders.ts";
import type { PayingFetchOptions } from "./paid-response.ts";
import { Payments } from "./payments.ts";

describe.each(ruleStores())("the tokens of payments.fetch on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** A subscriber with 100 credits, and processes of theirs that ask the agent. */
  async function setUp() {
    const { builder, subscriber, planId } = await createMarket(service);
    const gate = createGate(
      builder.payments,
      { "POST /ask": { planId } },
      { queue: createMemoryQueue(), report: false },
    );
    const fetch = (request: Request) => gate(request, async () => new Response("done"));
    const { apiKey } = subscriber;
    const start = () =>
      Payments.getInstance({ apiKey, baseUrl: TEST_ORIGIN, fetch: service.fetch });
    const ask = async (payments: Payments, options: PayingFetchOptions = {}) => {
      const { response } = await payments.fetch(
        "https://agent.example/ask",
        { method: "POST" },
        { fetch, ...options },
      );
      return response.status;
    };
    const { tokens, delegation } = subscriber.payments;
    const minted = async () => {
      const { items } = await tokens.listTokens({ planId });
      // The market mints the first.
      return items.filter(({ tokenId: id }) => id !== first);
    };
    const first = (await tokens.listTokens({ planId })).items[0]?.tokenId;
    return { start, ask, minted, delegation };
  }

  test("allow 1,000 requests in a day and no order, unless the call says otherwise", async () => {
    const { start, ask, minted, delegation } = await setUp();
    expect(await ask(start())).toBe(200);
    const [token] = await minted();
    expect(token).toMatchObject({ redemptionLimit: 1000, redemptionsUsed: 1, orderLimit: "0" });
    const lifetime = Date.parse(token?.expiresAt ?? "") - Date.parse(token?.issuedAt ?? "");
    expect(lifetime).toBeLessThanOrEqual(86_400_000);
    const { spendingLimitCents } = await delegation.getDelegation(token?.delegationId ?? "");
    expect(spendingLimitCents).toBe(0n);
  });

  test("are of a trial that is new, then of the next plan, and not of a trial that is used up", async () => {
    const trial = await createMarket(service, {
      isTrial: true,
      credits: getFixedCreditsConfig(1n, 1n),
      order: false,
    });
    const { builder, subscriber } = trial;
    const { planId: other } = await builder.payments.plans.registerCreditsPlan(
      { name: "Open" },
      getFreePriceConfig(),
      getFixedCreditsConfig(2n, 1n),
    );
    const gate = createGate(
      builder.payments,
      { "POST /ask": { planId: [trial.planId, other] } },
      { queue: createMemoryQueue(), report: false },
    );
    const fetch = (request: Request) => gate(request, async () => new Response("done"));
    const ask = async () => {
      const url = "https://agent.example/ask";
      const paid = await subscriber.payments.fetch(url, { method: "POST" }, { fetch });
      return [paid.response.status, paid.receipt?.success && paid.receipt.planId];
    };
    expect(await ask()).toEqual([200, trial.planId]);
    expect(await ask()).toEqual([200, other]);
    expect(await ask()).toEqual([200, other]);
    expect((await ask())[0]).toBe(402);
  });

  test("are replaced when they are used up, so that no number of calls ends the work", async () => {
    const { start, ask, minted } = await setUp();
    const payments = start();
    const tokenOptions = { redemptionLimit: 2 };
    for (let call = 0; call < 7; call++) expect(await ask(payments, { tokenOptions })).toBe(200);
    const used = (await minted()).map(({ redemptionsUsed }) => redemptionsUsed);
    expect(used.sort()).toEqual([1, 2, 2, 2]);
  });

  /** A plan of three credits behind an honest gate, and what a buyer's calls through a `fetch` answer. */
  async function sellThree() {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const [usdc = ""] = service.ports.stableTokens.keys();
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Three" },
      getErc20PriceConfig(1_000_000n, usdc, "0x000000000000000000000000000000000000dEaD"),
      getFixedCreditsConfig(3n),
    );
    const gate = createGate(
      builder.payments,
      { "POST /ask": { planId } },
      { queue: createMemoryQueue(), report: false },
    );
    const honest = (request: Request) => gate(request, async () => new Response("done"));
    const call = async (fetch: typeof honest) => {
      const limits = { fetch, maxSpend: 500n };
      const url = "https://agent.example/ask";
      return (await buyer.payments.fetch(url, { method: "POST" }, limits)).response.status;
    };
    const callAtOnce = (fetch: typeof honest, times: number) =>
      Promise.all(Array.from({ length: times }, () => call(fetch)));
    return { honest, call, callAtOnce, buyer };
  }

  const refusal = () =>
    Response.json({ code: "insufficient_balance", retryable: true }, { status: 402 });

  longTest(
    "are replaced for every call of many at once, until each has bought what it may",
    async () => {
      const { honest, callAtOnce, buyer } = await sellThree();
      const taken = new Set<string>();
      let sent = 0;
      const refusing = async (request: Request) => {
        const token = request.headers.get("payment-signature");
        if (!token) return honest(request);
        taken.add(token);
        // The seller chooses when it refuses.
        sent += 1;
        await setTimeout(50 * (sent % 5));
        return refusal();
      };
      expect(await callAtOnce(refusing, 4)).toEqual(Array(4).fill(402));
      // Orders are what is bounded, and none was made: of tokens that ordered nothing a call may try another one.
      expect((await buyer.payments.holdings.listOrders()).items).toEqual([]);
      expect(taken.size).toBeLessThanOrEqual(8);
      expect(await callAtOnce(honest, 9)).toEqual(Array(9).fill(200));
      expect((await buyer.payments.holdings.listOrders()).items).toHaveLength(3);
    },
  );

  test("that may order are replaced once for a call that is refused while others are answered", async () => {
    const { honest, call } = await sellThree();
    const taken = new Set<string>();
    const refusing = async (request: Request) => {
      const token = request.headers.get("payment-signature");
      if (!token) return honest(request);
      const isFirst = taken.size === 0;
      taken.add(token);
      // It holds the call back while it answers many.
      for (let other = 0; isFirst && other < 12; other += 1) expect(await call(honest)).toBe(200);
      return refusal();
    };
    expect(await call(refusing)).toBe(402);
    // The first two belong to the others, the third only uses the credits that are left, and the fourth may order.
    expect(taken.size).toBeLessThanOrEqual(4);
  });

  longTest(
    "share one delegation, however many delegations the account has made since",
    async () => {
      const { start, ask, minted, delegation } = await setUp();
      await ask(start());
      for (let count = 0; count < 101; count++) {
        await delegation.createDelegation({
          provider: "erc4337",
          spendingLimitCents: 1,
          durationSecs: 3600,
        });
      }
      await ask(start());
      const used = (await minted()).map(({ delegationId }) => delegationId);
      expect(used).toHaveLength(2);
      expect(new Set(used).size).toBe(1);
    },
  );
});

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createGate } from "../gate/gate.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { getFixedCreditsConfig } from "../protocol/plans/credits-builders.ts";
import type { PlanPriceConfig } from "../protocol/plans/price.ts";
import {
  getErc20PriceConfig,
  getNativeTokenPriceConfig,
} from "../protocol/plans/price-builders.ts";
import type { PaymentOptions } from "./connection.ts";
import type { PayingFetchOptions } from "./paid-response.ts";
import { Payments } from "./payments.ts";
import { createSpendStore } from "./spending/spend-store.ts";

const [store] = ruleStores();
const ORIGIN = "https://agent.example";
const NOT_ALLOWED = { code: "spending_not_allowed" };

describe("what payments.fetch spends uninvited", () => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await (store as { open: () => Promise<Database> }).open();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const usd = (cents: bigint): PlanPriceConfig => {
    const [usdc = ""] = service.ports.stableTokens.keys();
    return getErc20PriceConfig(cents * 10_000n, usdc, "0x000000000000000000000000000000000000dEaD");
  };

  /** An agent behind a plan of so many credits at a price, and a buyer who never heard of it. */
  async function setUp(price = usd(900n), credits = 1n) {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const sell = async (by: TestParty) => {
      const { planId } = await by.payments.plans.registerCreditsPlan(
        { name: "Enterprise" },
        price,
        getFixedCreditsConfig(credits),
      );
      let status = 200;
      const gate = createGate(
        by.payments,
        { "POST /ask": { planId } },
        { queue: createMemoryQueue(), report: false },
      );
      const fetch = (request: Request) =>
        gate(request, async (each) => new Response(await each.text(), { status }));
      return {
        planId,
        seller: by.address,
        fetch,
        answerWith(code: number) {
          status = code;
        },
      };
    };
    type Shop = Awaited<ReturnType<typeof sell>>;
    const shop = await sell(builder);
    const open = (options: Partial<PaymentOptions> = {}) =>
      Payments.getInstance({
        apiKey: buyer.apiKey,
        baseUrl: TEST_ORIGIN,
        fetch: service.fetch,
        ...options,
      });
    const ask = (
      payments: Payments,
      options: PayingFetchOptions = {},
      { fetch }: Pick<Shop, "fetch"> = shop,
    ) => payments.fetch(`${ORIGIN}/ask`, { method: "POST", body: "x" }, { fetch, ...options });
    const { payments } = buyer;
    const orders = async () => (await payments.holdings.listOrders()).items;
    const delegations = async () =>
      (await payments.delegation.listDelegations()).items.filter(
        ({ status }) => status === "Active",
      );
    return { ...shop, builder, buyer, sell, open, ask, orders, delegations };
  }

  test("a plan that was not asked for is not bought, whatever it costs per credit", async () => {
    const { open, ask, orders, delegations, planId, seller } = await setUp();
    const asked = ask(open(), { maxCredits: 1n });
    await expect(asked).rejects.toMatchObject({
      ...NOT_ALLOWED,
      message: expect.stringMatching(
        new RegExp(
          `Plan ${planId} \\("Enterprise"\\) of seller ${seller} costs 9.00 USD for 1 credit[.].*maxSpend: 900n`,
        ),
      ),
    });
    expect(await orders()).toEqual([]);
    expect(await delegations()).toEqual([]);
  });

  test("a plan is bought within maxSpend, and its credits are used without it", async () => {
    const { open, ask, orders } = await setUp(usd(900n), 2n);
    await expect(ask(open(), { maxSpend: 899n })).rejects.toMatchObject(NOT_ALLOWED);
    const { response, receipt } = await ask(open(), { maxSpend: "900" });
    expect([response.status, receipt?.success]).toEqual([200, true]);
    expect((await ask(open())).response.status).toBe(200);
    expect(await orders()).toHaveLength(1);
    await expect(ask(open())).rejects.toMatchObject(NOT_ALLOWED);
  });

  test("limits of the instance alone invite no plan: it must be named, or its seller", async () => {
    const { open, ask, planId, seller, orders } = await setUp();
    const payments = open({ maxSpend: { perDay: 10_000n } });
    await expect(ask(payments)).rejects.toMatchObject(NOT_ALLOWED);
    await expect(ask(payments, { allowPlans: ["1"] })).rejects.toMatchObject(NOT_ALLOWED);
    expect((await ask(payments, { allowPlans: [planId] })).response.status).toBe(200);
    expect((await ask(payments, { allowSellers: [seller.toLowerCase()] })).response.status).toBe(
      200,
    );
    // Ordered before, so that it is no longer new.
    expect((await ask(payments)).response.status).toBe(200);
    expect(await orders()).toHaveLength(3);
  });

  test("calls at the same time stay within the day's limit", async () => {
    const { open, ask, orders, sell, builder } = await setUp();
    const shops = await Promise.all(Array.from({ length: 4 }, () => sell(builder)));
    const payments = open({ maxSpend: { perDay: 2_000n } });
    const all = await Promise.allSettled(
      shops.map((shop) => ask(payments, { maxSpend: 900n }, shop)),
    );
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(await orders()).toHaveLength(2);
  });

  test("a seller's limit leaves the day's money for other sellers", async () => {
    const { open, ask, sell, orders } = await setUp();
    const other = await sell(await service.party());
    const payments = open({ maxSpend: { perDay: 5_000n, perSeller: 1_000n } });
    await ask(payments, { maxSpend: 900n });
    await expect(ask(payments, { maxSpend: 900n })).rejects.toMatchObject(NOT_ALLOWED);
    expect((await ask(payments, { maxSpend: 900n }, other)).response.status).toBe(200);
    expect(await orders()).toHaveLength(2);
  });

  test("the service holds the day's limit for processes that share nothing", async () => {
    const { open, ask, orders } = await setUp();
    const once = () => ask(open({ maxSpend: { perDay: 2_000n } }), { maxSpend: 900n });
    await once();
    await once();
    await expect(once()).rejects.toMatchObject({ message: expect.stringContaining("1800 cents") });
    expect(await orders()).toHaveLength(2);
  });

  test("a shared store counts for all its processes, until midnight in UTC", async () => {
    const { open, ask } = await setUp();
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(Date.now()) });
    try {
      const spendStore = createSpendStore();
      const once = () =>
        ask(open({ spendStore, maxSpend: { perSeller: 900n } }), { maxSpend: 900n });
      await once();
      await expect(once()).rejects.toMatchObject(NOT_ALLOWED);
      vi.setSystemTime(Date.now() + 86_400_000);
      expect((await once()).response.status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });

  test("work that fails after an order was allowed gives back what was not spent", async () => {
    const { open, ask, answerWith, orders } = await setUp();
    const payments = open({ maxSpend: { perDay: 900n } });
    answerWith(500);
    const failed = await ask(payments, { maxSpend: 900n });
    expect([failed.response.status, failed.order]).toEqual([500, "made"]);
    answerWith(200);
    const paid = await ask(payments, { maxSpend: 900n });
    expect([paid.response.status, paid.order]).toEqual([200, undefined]);
    expect(await orders()).toHaveLength(1);
  });

  test("a token that orders nothing leaves its price for others; a lost reply keeps it counted", async () => {
    const { open, ask, fetch, sell } = await setUp();
    const other = await sell(await service.party());
    const payments = open({ maxSpend: { perDay: 1_000n } });
    // It asks for payment and then refuses every token.
    const refuse = async (request: Request) => {
      request.headers.delete("payment-signature");
      return fetch(request);
    };
    const refused = await ask(payments, { maxSpend: 900n }, { fetch: refuse });
    expect(refused.declined).toContain("refused the token");
    expect(refused.order).toBeUndefined();
    let sent = 0;
    const loseReply = (request: Request) => {
      sent += 1;
      if (request.headers.has("payment-signature")) throw new TypeError("connection reset");
      return fetch(request);
    };
    await expect(ask(payments, { maxSpend: 900n }, { fetch: loseReply })).rejects.toThrow("reset");
    // Asked for a price, then paid, then sent once more under the same key.
    expect(sent).toBe(3);
    await expect(ask(payments, { maxSpend: 900n }, other)).rejects.toMatchObject(NOT_ALLOWED);
    // The token that may have been used is the one that is used again.
    expect((await ask(payments, { maxSpend: 900n })).response.status).toBe(200);
  });

  test("the builder cannot order more with a token of fetch than the call allowed", async () => {
    const { open, ask, fetch, orders, planId, builder } = await setUp();
    let token = "";
    const spy = (request: Request) => {
      token = request.headers.get("payment-signature") ?? "";
      return fetch(request);
    };
    await ask(open(), { maxSpend: 900n }, { fetch: spy });
    const paymentRequired = await builder.payments.x402.buildPaymentRequired({
      planId,
      endpoint: `${ORIGIN}/ask`,
      httpVerb: "POST",
    });
    for (let round = 0; round < 5; round++) {
      await builder.payments.facilitator.settlePermissions({
        paymentRequired,
        x402AccessToken: token,
        maxAmount: 1n,
      });
    }
    expect(await orders()).toHaveLength(1);
  });

  test("processes that use credits leave one delegation, which cannot order", async () => {
    const { open, ask, delegations, buyer, planId } = await setUp(usd(100n), 50n);
    await buyer.payments.plans.orderPlan(planId);
    for (let round = 0; round < 3; round++) await ask(open());
    expect(await delegations()).toMatchObject([
      { name: "payments.fetch: no orders", spendingLimitCents: 0n },
    ]);
    await buyer.payments.delegation.revokeAllDelegations();
    await ask(open());
    expect(await delegations()).toHaveLength(1);
  });

  test("processes that start at the same time end up with one delegation", async () => {
    const { open, ask, delegations, buyer, planId } = await setUp(usd(100n), 50n);
    await buyer.payments.plans.orderPlan(planId);
    const instances = Array.from({ length: 4 }, () => open());
    const all = await Promise.all(instances.map((payments) => ask(payments)));
    expect(all.map(({ response }) => response.status)).toEqual([200, 200, 200, 200]);
    for (const payments of instances) {
      await payments.fetch(
        `${ORIGIN}/ask?again`,
        { method: "POST" },
        { fetch: async () => new Response() },
      );
      await ask(payments, { tokenOptions: { redemptionLimit: 5 } });
    }
    expect(await delegations()).toHaveLength(1);
  });

  test("minting is limited by maxSpend, and counts in full", async () => {
    const { open, planId, buyer } = await setUp();
    const leftOf = async (tokenId: string) =>
      (await buyer.payments.tokens.getToken(tokenId)).orderLimit;
    const payments = open({ maxSpend: { perDay: 2_000n } });
    const { tokenId } = await payments.x402.getX402AccessToken(planId, null, { maxSpend: 1_000n });
    // One order of 9.00 fits into 10.00.
    expect(await leftOf(tokenId)).toBe("9000000");
    await payments.x402.getX402AccessToken(planId, null, { maxSpend: 900n });
    const third = payments.x402.getX402AccessToken(planId, null, { maxSpend: 900n });
    await expect(third).rejects.toMatchObject(NOT_ALLOWED);
    const burnOnly = await payments.x402.getX402AccessToken(planId, null, { maxSpend: 0n });
    expect(await leftOf(burnOnly.tokenId)).toBe("0");
  });

  test("a price that cannot be counted in money is not paid", async () => {
    const { open, ask } = await setUp(
      getNativeTokenPriceConfig(1n, "0x000000000000000000000000000000000000dEaD"),
    );
    await expect(ask(open(), { maxSpend: 10n ** 30n })).rejects.toMatchObject(NOT_ALLOWED);
  });
});

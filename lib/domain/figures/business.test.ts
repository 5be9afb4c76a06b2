import {
  getErc20PriceConfig,
  getExpirableDurationConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { sumRequests } from "@/lib/adapters/db/testing/sum-requests.ts";
import { testCustomerOf } from "@/lib/domain/accounts/test-customer.ts";
import { orderPlan } from "@/lib/domain/orders/orders.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { testDeployment } from "@/lib/server/testing/pretend-rail.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const usdc = testDeployment().usdc ?? "";
const PRICE = getErc20PriceConfig(1_000_000n, usdc, "0x000000000000000000000000000000000000dEaD");
const DAY = 86_400;

describe.each(ruleStores())("a builder's business on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;

  const settle = async (times: number) => {
    for (let call = 0; call < times; call++) {
      const agentRequestId = freshId();
      const answer = await market.builder.payments.facilitator.settlePermissions({
        paymentRequired: requirementOf(market),
        x402AccessToken: market.token,
        agentRequestId,
      });
      expect(answer.success).toBe(true);
      await report({ agentRequestId, moneyStatus: "unknown", workMs: 100 * (call + 1) });
    }
  };
  const report = (more: object) =>
    market.builder.payments.requests.reportRequests({
      requests: [
        {
          agentRequestId: freshId(),
          at: new Date().toISOString(),
          method: "POST",
          path: "/ask",
          planId: market.planId,
          agentId: market.agentId,
          httpStatus: 402,
          moneyStatus: "refused",
          ...more,
        },
      ],
    });

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service, {
      price: PRICE,
      credits: getFixedCreditsConfig(100n, 1n),
    });
    await settle(4);
    await report({ reason: "token_expired" });
    // Thirty days later these are the period before.
    await market.builder.sandbox.advanceClock(31 * DAY);
    await market.subscriber.payments.plans.orderPlan(market.planId);
    const other = await service.party();
    await other.payments.plans.orderPlan(market.planId);
    const minted = await market.subscriber.payments.x402.getX402AccessToken(
      market.planId,
      market.agentId,
      { redemptionLimit: 1000 },
    );
    market = { ...market, token: minted.accessToken };
    await settle(10);
    await report({ reason: "token_expired" });
    await report({ reason: "token_expired" });
    await report({ moneyStatus: "challenged" });
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  test("a plan's figures are the ledger's and the reports', in the period and the one before", async () => {
    const { planId, builder } = market;
    const figures = await builder.figures.getPlanFigures({ planId });
    expect(figures).toMatchObject({
      now: { attempts: 12, settled: 10, newSubscribers: 1, p50Ms: 550, p95Ms: 955 },
      previous: { attempts: 5, settled: 4, newSubscribers: 1 },
      subscribers: 2,
      causes: [{ cause: "token_expired", calls: 2, previous: 1 }],
    });
    expect(figures.now.sold).toMatchObject([{ amount: "2000000", orders: 2 }]);
    expect(figures.previous.sold).toMatchObject([{ amount: "1000000", orders: 1 }]);
    const [sums] = await database.query<Record<string, string>>(
      `select sum(amount) filter (where kind = 'mint' and created_at >= $2)::text as sold,
         sum(amount) filter (where kind in ('post', 'burn') and created_at >= $2)::text as used from transfers where plan_id = $1`,
      [planId, figures.since],
    );
    expect([figures.now.creditsSold, figures.now.creditsUsed]).toEqual([sums?.sold, sums?.used]);
    const [left] = await database.query<{ n: string }>(
      "select sum(available + held)::text as n from balances where plan_id = $1",
      [planId],
    );
    expect(figures.creditsLeft).toBe(left?.n);
  });

  test("an agent's figures count its calls, its customers and what their credits are worth", async () => {
    const { agentId, builder } = market;
    const { now, previous } = await builder.figures.getAgentFigures({ agentId });
    expect(now).toMatchObject({ attempts: 12, settled: 10, customers: 1, creditsUsed: "10" });
    expect(now.worth).toMatchObject([{ amount: "100000" }]);
    expect(previous).toMatchObject({ attempts: 5, settled: 4, creditsUsed: "4" });
  });

  test("calls that only their reports ascribe to an agent have customers and times as well", async () => {
    const shop = await createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
    const { builder, subscriber, planId, agentId } = shop;
    const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId);
    const agentRequestId = freshId();
    const { agentId: _, ...bare } = shop;
    await builder.payments.facilitator.settlePermissions({
      paymentRequired: requirementOf({ ...bare, agentId: "" }),
      x402AccessToken: accessToken,
      agentRequestId,
    });
    await builder.payments.requests.reportRequests({
      requests: [
        {
          ...{ agentRequestId, planId, agentId, method: "POST", path: "/ask", workMs: 5 },
          ...{ at: new Date().toISOString(), httpStatus: 200, moneyStatus: "unknown" },
        },
      ],
    });
    for (const busyFrom of [1_000_000, 1]) {
      await sumRequests(database, busyFrom);
      const { now } = await builder.figures.getAgentFigures({ agentId });
      expect(now).toMatchObject({ attempts: 1, settled: 1, customers: 1, p50Ms: 5 });
    }
  });

  test("customers come last seen first, one by one, with what they bought and used", async () => {
    const { builder, subscriber, planId } = market;
    const page = await builder.figures.listCustomers({ limit: 1 });
    expect(page).toMatchObject({ total: 2, items: [{ address: subscriber.address, calls: 10 }] });
    const next = await builder.figures.listCustomers({ limit: 1, cursor: page.nextCursor });
    expect(next.items).toMatchObject([{ orders: 1, calls: 0, plans: [{ planId, used: "0" }] }]);
    expect(next.nextCursor).toBeUndefined();
    const search = subscriber.address.slice(4, 12).toLowerCase();
    expect((await builder.figures.listCustomers({ search })).total).toBe(1);
    const customer = await builder.figures.getCustomer({ address: subscriber.address });
    expect(customer).toMatchObject({
      orders: 2,
      spent: [{ amount: "2000000", orders: 2 }],
      now: { attempts: 10, settled: 10 },
      previous: { settled: 4 },
      plans: [{ planId, accessLimit: "credits", available: "186", used: "14" }],
      tokens: [{ calls: 10 }, { calls: 4 }],
    });
    expect(customer.recentOrders).toMatchObject([
      { amount: "1000000", currency: "usdc" },
      { amount: "1000000", currency: "usdc" },
    ]);
    const stranger = await service.party();
    await expect(
      stranger.figures.getCustomer({ address: subscriber.address }),
    ).rejects.toMatchObject({ code: "not_found" });
    expect((await stranger.figures.listCustomers()).total).toBe(0);
  });

  test("a customer of many plans is listed with the first of them, by as many statements as one of one plan", async () => {
    const { builder, planId } = await createMarket(service, { price: PRICE });
    const customer = await service.party();
    await customer.payments.plans.orderPlan(planId);
    const { session } = database.orm as unknown as { session: object };
    const sessions: { prepareQuery(): unknown } = Object.getPrototypeOf(session);
    const statements = vi.spyOn(sessions, "prepareQuery");
    const { address } = customer;
    const read = async () => {
      statements.mockClear();
      const { items } = await builder.figures.listCustomers({ search: address });
      const { plans, planCount } = await builder.figures.getCustomer({ address });
      expect(items).toMatchObject([{ plans, planCount }]);
      return { plans, planCount, statements: statements.mock.calls.length };
    };
    const ofOne = await read();
    expect(ofOne).toMatchObject({ plans: [{ name: "Starter", accessLimit: "credits" }] });
    for (let n = 100; n < 121; n++) {
      const { planId: other } = await builder.payments.plans.registerCreditsPlan(
        { name: `Plan ${n}` },
        getFreePriceConfig(),
        getFixedCreditsConfig(10n),
      );
      await customer.payments.plans.orderPlan(other);
    }
    const ofMany = await read();
    statements.mockRestore();
    expect(ofMany).toMatchObject({ planCount: 22, statements: ofOne.statements });
    const names = Array.from({ length: 20 }, (_, n) => `Plan ${100 + n}`);
    expect(ofMany.plans.map(({ name }) => name)).toEqual(names);
  });

  test("a test customer is in no figure unless asked for, on no list and not found", async () => {
    const { builder, planId, agentId } = market;
    const read = async () => [
      await builder.figures.getPlanFigures({ planId }),
      await builder.figures.getAgentFigures({ agentId }),
      await builder.figures.listCustomers(),
    ];
    const before = await read();
    const { address } = await testCustomerOf(service.ports, builder.address);
    const caller = { account: address, isOperator: false, keyId: null };
    await orderPlan({ ...builder.context, caller }, { planId });
    expect(await read()).toEqual(before);
    const { now, subscribers } = await builder.figures.getPlanFigures({
      planId,
      includeTest: true,
    });
    expect([now.newSubscribers, subscribers]).toEqual([2, 3]);
    expect(now.sold).toMatchObject([{ orders: 3 }]);
    expect((await builder.figures.search(address)).items).toEqual([]);
  });

  test("a plan's versions keep who ordered which last", async () => {
    const { builder, planId } = market;
    await builder.payments.plans.updatePlan(planId, {
      creditsConfig: getFixedCreditsConfig(200n, 1n),
    });
    await (await service.party()).payments.plans.orderPlan(planId);
    const { items } = await builder.figures.listPlanVersions({ planId });
    expect(items.map(({ version, subscribers }) => [version, subscribers])).toEqual([
      [2, 1],
      [1, 2],
    ]);
    expect(items.map(({ credits }) => credits.amount)).toEqual(["200", "100"]);
  });

  test("a version counts the subscribers whose access lasts, as the plan does", async () => {
    const { builder } = market;
    const { planId } = await builder.payments.plans.registerTimePlan(
      { name: "A month" },
      PRICE,
      getExpirableDurationConfig(BigInt(30 * DAY)),
    );
    await (await service.party()).payments.plans.orderPlan(planId);
    const read = async () => {
      const { subscribers } = await builder.figures.getPlanFigures({ planId });
      const { items } = await builder.figures.listPlanVersions({ planId });
      const [customer] = (await builder.figures.listCustomers({ planId })).items;
      const [plan] = customer?.plans ?? [];
      return [subscribers, items[0]?.subscribers, plan?.accessLimit, plan?.isActive];
    };
    expect(await read()).toEqual([1, 1, "time", true]);
    await builder.sandbox.advanceClock(31 * DAY);
    expect(await read()).toEqual([0, 0, "time", false]);
  });
});

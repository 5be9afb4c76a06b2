import {
  getFixedCreditsConfig,
  getFreePriceConfig,
  PlanRedemptionType,
  setRedemptionType,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { sumRequests } from "@/lib/adapters/db/testing/sum-requests.ts";
import { ENOUGH_CALLS } from "@/lib/console/market-facts.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { listMarketFacts } from "./market-facts.ts";

describe.each(ruleStores())("what everyone may know of a seller on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service);
  });
  afterAll(() => database.close());

  const tokenOf = async (party: TestParty) => {
    const { planId, agentId } = market;
    await party.payments.plans.orderPlan(planId);
    const more = { redemptionLimit: 1000 };
    return (await party.payments.x402.getX402AccessToken(planId, agentId, more)).accessToken;
  };
  const call = async (token: string, end: "settle" | "release") => {
    const input = {
      paymentRequired: requirementOf(market),
      x402AccessToken: token,
      maxAmount: "1",
      agentRequestId: freshId(),
    };
    const { facilitator } = market.builder.payments;
    await facilitator.verifyPermissions({ ...input, reserve: true });
    if (end === "settle") await facilitator.settlePermissions(input);
    else await facilitator.releasePermissions({ agentRequestId: input.agentRequestId });
  };
  const read = async () => {
    const { planId, agentId } = market;
    // The API keeps the answer for a minute.
    const ids = { planIds: planId, agentIds: agentId };
    const answer = await listMarketFacts({ ...market.subscriber.context, caller: null }, ids);
    return { plan: answer.plans[0], agent: answer.agents[0] };
  };

  test("a seller without calls has zeros, and nothing that could pass for a rating", async () => {
    const { plan, agent } = await read();
    for (const facts of [plan, agent]) {
      expect(facts).toMatchObject({ calls: 0, settled: 0, customers: 0 });
      expect(facts).not.toHaveProperty("p95Ms");
      expect(facts?.days).toHaveLength(30);
    }
  });

  test("what an agent's endpoints offered at its last check is shown, apart from its figures", async () => {
    const run = { at: "2026-01-01T00:00:00.000Z", passed: 6, checks: 8 };
    const offers = { "POST https://agent.example/ask": [market.planId] };
    await service.ports.agents.setDoctorRun(market.agentId, { ...run, offers });
    const { agent } = await read();
    expect([agent?.doctor, agent?.offers]).toEqual([run, offers]);
  });

  test("T29: a plan that isn't listed is named only to those who name it themselves", async () => {
    const { payments } = market.builder;
    const { planId: hidden } = await payments.plans.registerCreditsPlan(
      { name: "Partner price" },
      getFreePriceConfig(),
      getFixedCreditsConfig(10n),
      { state: "unlisted" },
    );
    await payments.agents.addPlanToAgent(market.agentId, hidden);
    const run = { at: "2026-01-01T00:00:00.000Z", passed: 6, checks: 8 };
    const offers = { "POST https://agent.example/ask": [market.planId, hidden] };
    await service.ports.agents.setDoctorRun(market.agentId, { ...run, offers });
    const offered = async (planIds: string) => {
      const ids = { planIds, agentIds: market.agentId };
      const facts = await listMarketFacts({ ...market.subscriber.context, caller: null }, ids);
      return Object.values(facts.agents[0]?.offers ?? {});
    };
    expect(await offered(market.planId)).toEqual([[market.planId]]);
    expect(await offered(hidden)).toEqual([[market.planId, hidden]]);
  });

  test("accepted calls count by how they ended; the seller's own, test customers' and reported ones do not", async () => {
    const { builder, planId } = market;
    for (let n = 0; n < 3; n++) await call(market.token, "settle");
    await call(market.token, "release");
    await call(await tokenOf(builder), "settle");
    await call(await tokenOf(await service.party({ testOf: builder.address })), "settle");
    // A seller's gate may report what it likes.
    await builder.payments.requests.reportRequests({
      requests: Array.from({ length: 40 }, () => ({
        agentRequestId: freshId(),
        at: new Date().toISOString(),
        method: "POST",
        path: "/ask",
        planId,
        httpStatus: 200,
        moneyStatus: "free" as const,
        workMs: 1,
      })),
    });
    const { plan, agent } = await read();
    for (const facts of [plan, agent]) {
      expect(facts).toMatchObject({ calls: 4, settled: 3, customers: 1 });
      expect(facts?.days.at(-1)).toEqual({ calls: 4, settled: 3 });
    }
    const single = await read();
    // As a busy seller's are read.
    await sumRequests(database, 1);
    expect(await read()).toEqual(single);
    await call(market.token, "settle");
    expect((await read()).plan).toMatchObject({ calls: 5, settled: 4, customers: 1 });
  });

  test("what a redeemer settles is not the seller's, nor taken from it, before and after sums", async () => {
    const credits = setRedemptionType(
      getFixedCreditsConfig(100n, 1n),
      PlanRedemptionType.ONLY_PLAN_ROLE,
    );
    const shop = await createMarket(service, { credits });
    const redeemer = await service.party();
    const change = { redeemers: [redeemer.address] };
    await service.call(shop.builder, "PUT", `/protocol/plans/${shop.planId}`, change);
    const { planId, agentId } = shop;
    await shop.builder.payments.plans.orderPlan(planId);
    const own = await shop.builder.payments.x402.getX402AccessToken(planId, agentId, {});
    for (const token of [own.accessToken, shop.token])
      await redeemer.payments.facilitator.settlePermissions({
        paymentRequired: requirementOf(shop),
        x402AccessToken: token,
        agentRequestId: freshId(),
      });
    const ids = { planIds: planId, agentIds: agentId };
    for (const sum of [() => undefined, () => sumRequests(database, 1)]) {
      await sum();
      const { plans, agents } = await listMarketFacts(
        { ...shop.subscriber.context, caller: null },
        ids,
      );
      for (const facts of [...plans, ...agents])
        expect(facts).toMatchObject({ calls: 0, settled: 0, customers: 0 });
    }
  });

  test("times are shown from enough calls on, and are the service's own", async () => {
    for (let n = 0; n < ENOUGH_CALLS; n++) await call(market.token, "settle");
    const { plan, agent } = await read();
    for (const facts of [plan, agent]) {
      expect(facts?.p95Ms).toBeGreaterThanOrEqual(facts?.p50Ms ?? Infinity);
      expect(facts?.p95Ms).toBeLessThan(60_000);
    }
  });

  test("T29: nothing is said of drafts, archived objects and agents without a listed plan", async () => {
    const { builder, planId, agentId } = market;
    const hidden = async () => Object.values(await read()).filter(Boolean).length;
    expect(await hidden()).toBe(2);
    await builder.payments.plans.updatePlan(planId, { state: "draft" });
    expect(await hidden()).toBe(0);
    await builder.payments.plans.updatePlan(planId, { state: "unlisted" });
    const { plan, agent } = await read();
    expect([plan?.id, agent]).toEqual([planId, undefined]);
    await builder.payments.plans.updatePlan(planId, { state: "listed" });
    await builder.payments.agents.archiveAgent(agentId);
    expect((await read()).agent).toBeUndefined();
    await builder.payments.plans.archivePlan(planId);
    expect(await hidden()).toBe(0);
  });
});

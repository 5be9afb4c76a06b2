import {
  getErc20PriceConfig,
  getFixedCreditsConfig,
  type InputOf,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { testDeployment } from "@/lib/server/testing/pretend-rail.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const usdc = testDeployment().usdc ?? "";
const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const PRICE = getErc20PriceConfig(1_000_000n, usdc, RECEIVER);
const TWO_CREDITS = getFixedCreditsConfig(2n, 1n);

describe.each(ruleStores())("ending plans and agents on $name", ({ open }) => {
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

  const settle = (market: TestMarket) =>
    market.builder.payments.facilitator.settlePermissions({
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId: `request-${crypto.randomUUID()}`,
    });
  const publicIds = async () => {
    const { items } = await (await service.party()).payments.plans.listPublicPlans({ limit: 100 });
    return items.map(({ planId }) => planId);
  };

  test("edits at once of one plan all remain, and so does its end", async () => {
    const { plans } = (await service.party()).payments;
    const { planId } = await plans.registerCreditsPlan({ name: "Sold" }, PRICE, TWO_CREDITS);
    await Promise.all([
      ...Array.from({ length: 4 }, (_, at) =>
        plans.updatePlan(planId, {
          priceConfig: getErc20PriceConfig(BigInt(2 + at) * 1_000_000n, usdc, RECEIVER),
        }),
      ),
      plans.updatePlan(planId, { metadataAttributes: { name: "Renamed meanwhile" } }),
      plans.updatePlan(planId, { state: "unlisted" }),
      plans.archivePlan(planId),
    ]);
    const plan = await plans.getPlan(planId);
    expect(plan).toMatchObject({
      version: 5,
      state: "unlisted",
      metadata: { main: { name: "Renamed meanwhile" } },
    });
    expect(plan.archivedAt).toBeDefined();
    await plans.updatePlan(planId, { priceConfig: PRICE });
    expect(await plans.getPlan(planId)).toMatchObject({ version: 6 });
  });

  test("of two edits at once of the same version one is written, the other is a conflict", async () => {
    const { plans } = (await service.party()).payments;
    const { planId } = await plans.registerCreditsPlan({ name: "Sold" }, PRICE, TWO_CREDITS);
    for (let version = 1; version <= 10; version++) {
      const edits = await Promise.allSettled(
        [2n, 3n].map((dollars) =>
          plans.updatePlan(planId, {
            priceConfig: getErc20PriceConfig(dollars * 1_000_000n, usdc, RECEIVER),
            planVersion: version,
          }),
        ),
      );
      const refused = edits.flatMap((edit) => (edit.status === "rejected" ? [edit.reason] : []));
      expect(refused).toMatchObject([
        { code: "conflict", message: expect.stringContaining(`Version ${version + 1} `) },
      ]);
      const [written] = edits.flatMap((edit) => (edit.status === "fulfilled" ? [edit.value] : []));
      const plan = await plans.getPlan(planId);
      expect([plan.version, plan.registry]).toEqual([version + 1, written?.registry]);
    }
  });

  test("edits at once of one agent all remain", async () => {
    const { builder, agentId } = await createMarket(service, { order: false });
    const { agents } = builder.payments;
    await Promise.all([
      agents.updateAgent(agentId, { metadataAttributes: { name: "Renamed meanwhile" } }),
      agents.updateAgent(agentId, {
        agentApiAttributes: { agentDefinitionUrl: "https://agent.example/changed.json" },
      }),
      agents.archiveAgent(agentId),
    ]);
    const agent = await agents.getAgent(agentId);
    expect(agent).toMatchObject({
      metadata: {
        main: { name: "Renamed meanwhile" },
        agent: { agentDefinitionUrl: "https://agent.example/changed.json" },
      },
    });
    expect(agent.archivedAt).toBeDefined();
  });

  test("a change of one part of how an agent is reached leaves the others as they are", async () => {
    const { builder, agentId } = await createMarket(service, { order: false });
    const { agents } = builder.payments;
    const first = await agents.updateAgent(agentId, {
      agentApiAttributes: {
        endpoints: [{ POST: "https://parts.example/ask" }],
        openEndpoints: ["https://parts.example/health"],
        authType: "BEARER",
        token: "secret",
      },
    });
    const { main, agent } = first.metadata;
    const agentDefinitionUrl = "https://docs.example/agent.json";
    const change = async (api: NonNullable<InputOf<"updateAgent">["agentApiAttributes"]>) =>
      (await agents.updateAgent(agentId, { agentApiAttributes: api })).metadata.agent;
    expect(await change({ agentDefinitionUrl })).toEqual({ ...agent, agentDefinitionUrl });
    const endpoints = [{ POST: "https://moved.example/ask" }];
    expect(await change({ endpoints })).toEqual({ ...agent, agentDefinitionUrl, endpoints });
    expect((await service.ports.agents.find(agentId))?.credentials).not.toBeNull();
    // Without a URL it is the served one, and moves with the endpoints.
    const served = "https://moved.example/openapi.json";
    expect(await change({ agentDefinitionUrl: "" })).toMatchObject({ agentDefinitionUrl: served });
    expect(await change({ endpoints: [{ POST: "https://parts.example/ask" }] })).toEqual(agent);
    expect(await change({ authType: "NONE" })).toEqual({ ...agent, authType: "NONE" });
    expect((await service.ports.agents.find(agentId))?.credentials).toBeNull();
    const described = await agents.updateAgent(agentId, {
      metadataAttributes: { description: "Reads." },
    });
    expect(described.metadata.main).toEqual({ ...main, description: "Reads." });
  });

  test("a plan is public once an agent accepts it, and as long as one is there", async () => {
    const { builder, planId, agentId } = await createMarket(service, { order: false });
    const { planId: lone } = await builder.payments.plans.registerCreditsPlan(
      { name: "Opens nothing" },
      PRICE,
      TWO_CREDITS,
    );
    expect(await publicIds()).toContain(planId);
    expect(await publicIds()).not.toContain(lone);
    await builder.payments.agents.archiveAgent(agentId);
    expect(await publicIds()).not.toContain(planId);
    await builder.payments.agents.restoreAgent(agentId);
    expect(await publicIds()).toContain(planId);
  });

  test("a plan that no agent accepts can't be listed, and the refusal says what to do", async () => {
    const builder = await service.party();
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Opens nothing" },
      PRICE,
      TWO_CREDITS,
      { state: "unlisted" },
    );
    const listing = builder.payments.plans.updatePlan(planId, { state: "listed" });
    await expect(listing).rejects.toMatchObject({
      code: "invalid_input",
      details: [{ path: "state", message: expect.stringContaining("Link an agent") }],
    });
    expect(await builder.payments.plans.getPlan(planId)).toMatchObject({ state: "unlisted" });
  });

  test("an endpoint that is registered names the agent that has it", async () => {
    const { builder, agentId, endpoint } = await createMarket(service, { order: false });
    const again = (url: string) =>
      builder.payments.agents.registerAgent({ name: "Copy" }, { endpoints: [{ POST: url }] });
    await expect(again(endpoint)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(agentId),
    });
    expect((await builder.payments.agents.listAgents()).total).toBe(1);
    // Another method, another account and an archived agent are no reason to refuse.
    const other = await builder.payments.agents.registerAgent(
      { name: "Get" },
      { endpoints: [{ GET: endpoint }] },
    );
    const change = (...endpoints: { [verb: string]: string }[]) =>
      builder.payments.agents.updateAgent(other.agentId, { agentApiAttributes: { endpoints } });
    await expect(change({ GET: endpoint }, { POST: endpoint })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(agentId),
    });
    await expect(change({ GET: endpoint }, { PUT: endpoint })).resolves.toMatchObject({});
    await builder.payments.agents.archiveAgent(agentId);
    await expect(again(endpoint)).resolves.toMatchObject({ agentId: expect.any(String) });
    await expect(builder.payments.agents.restoreAgent(agentId)).rejects.toMatchObject({
      code: "conflict",
    });
  });

  test("an archived plan sells nothing: no order, no top-up, by its owner neither", async () => {
    const own = await createMarket(service, { price: PRICE, credits: TWO_CREDITS });
    const { builder, subscriber, planId, agentId } = own;
    const minted = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
      redemptionLimit: 1000,
      delegationConfig: { spendingLimitCents: 100_000, durationSecs: 3600 },
    });
    const market = { ...own, token: minted.accessToken };
    const { metadata } = await builder.payments.plans.updatePlan(planId, { state: "draft" });
    const named = `The plan “${metadata.main.name}”`;
    await expect(subscriber.payments.plans.orderPlan(planId)).rejects.toMatchObject({
      code: "not_found",
      message: `${named} is a draft and can’t be ordered.`,
    });
    await builder.payments.plans.updatePlan(planId, { state: "listed" });
    await builder.payments.plans.archivePlan(planId);
    for (const party of [subscriber, builder]) {
      await expect(party.payments.plans.orderPlan(planId)).rejects.toMatchObject({
        code: "conflict",
        message: `${named} is archived and can’t be ordered.`,
      });
    }
    // What the subscriber holds still pays.
    expect(await settle(market)).toMatchObject({ success: true });
    expect(await settle(market)).toMatchObject({ success: true });
    expect(await settle(market)).toMatchObject({
      success: false,
      errorReason: "insufficient_balance",
    });
    expect(
      await subscriber.payments.plans.getPlanBalance(planId, subscriber.address),
    ).toMatchObject({
      balance: 0n,
    });
    // Restored as it was, it sells again.
    const restored = await builder.payments.plans.restorePlan(planId);
    expect([restored.archivedAt, restored.state]).toEqual([undefined, "listed"]);
    expect(await settle(market)).toMatchObject({ success: true });
  });

  test("archiving twice is the same as once, and keeps its time", async () => {
    const { builder, planId, agentId } = await createMarket(service, { order: false });
    const first = await builder.payments.plans.archivePlan(planId);
    expect(await builder.payments.plans.archivePlan(planId)).toMatchObject({
      archivedAt: first.archivedAt,
    });
    const agent = await builder.payments.agents.archiveAgent(agentId);
    expect(await builder.payments.agents.archiveAgent(agentId)).toMatchObject({
      archivedAt: agent.archivedAt,
    });
    const reader = await service.party();
    expect((await reader.payments.plans.getPlanAgents(planId)).items).toEqual([]);
  });

  test("what was never used can be deleted, with its links; what was used can't", async () => {
    const used = await createMarket(service);
    for (const deleting of [
      () => used.builder.payments.plans.deletePlan(used.planId),
      () => used.builder.payments.agents.deleteAgent(used.agentId),
    ]) {
      await expect(deleting()).rejects.toMatchObject({
        code: "conflict",
        hint: expect.stringContaining("Archive"),
      });
    }
    const builder = await service.party();
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Never used" },
      PRICE,
      TWO_CREDITS,
    );
    const { agentId } = await builder.payments.agents.registerAgent({ name: "Never used" }, {}, [
      planId,
    ]);
    await builder.payments.plans.updatePlan(planId, { creditsConfig: TWO_CREDITS });
    await builder.payments.plans.deletePlan(planId);
    await expect(builder.payments.plans.getPlan(planId)).rejects.toMatchObject({
      code: "not_found",
    });
    expect((await builder.payments.agents.getAgent(agentId)).plans).toEqual([]);
    await builder.payments.agents.deleteAgent(agentId);
    expect((await builder.payments.agents.listAgents()).total).toBe(0);
  });
});

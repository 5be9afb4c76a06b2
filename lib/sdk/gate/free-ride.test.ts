import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createGate } from "./gate.ts";
import type { GateOptions } from "./gate-options.ts";
import { createMemoryQueue } from "./queue/memory-queue.ts";

const ORIGIN = "https://agent.example";

/** Credits served and burned over the whole suite: they must be equal. */
const total = { served: 0, burned: 0 };

describe.each(ruleStores())("no one is served for free on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
    const free = total.served - total.burned;
    console.log(`free ride: served ${total.served}, burned ${total.burned}, free ${free}`);
  });

  /** A builder's agent of two routes behind a gate, and a subscriber with `granted` credits. */
  async function setUp(granted = 100n, options: GateOptions = {}) {
    const [builder, subscriber] = await Promise.all([service.party(), service.party()]);
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Starter" },
      getFreePriceConfig(),
      getFixedCreditsConfig(granted, 1n),
    );
    const agentId = await registerAgent(builder, planId);
    await subscriber.payments.plans.orderPlan(planId);
    const agent = standAgent(builder, planId, agentId, options);
    const balance = async () => (await subscriber.payments.plans.getPlanBalance(planId)).balance;
    const mint = async (extra: object = {}) =>
      (await subscriber.payments.x402.getX402AccessToken(planId, agentId, extra)).accessToken;
    /** Checks that credits were burned exactly for what was served. */
    const settleUp = async (...agents: { served: number }[]) => {
      const served = agents.reduce((sum, each) => sum + each.served, agent.served);
      const burned = Number(granted - (await balance()));
      total.served += served;
      total.burned += burned;
      expect(burned).toBe(served);
      return served;
    };
    return { builder, subscriber, planId, agentId, agent, mint, settleUp };
  }

  const registerAgent = async (builder: TestParty, planId: string, base = ORIGIN) =>
    (
      await builder.payments.agents.registerAgent(
        { name: "Reader" },
        {
          endpoints: [{ POST: `${base}/ask` }, { POST: `${base}/other` }],
          agentDefinitionUrl: `${ORIGIN}/openapi.json`,
        },
        [planId],
      )
    ).agentId;

  function standAgent(
    { payments }: TestParty,
    planId: string,
    agentId: string,
    options: GateOptions = {},
  ) {
    const route = { planId, agentId };
    const gate = createGate(
      payments,
      { "POST /ask": route, "POST /other": route },
      { queue: createMemoryQueue(), report: false, logger: { error: () => {} }, ...options },
    );
    const agent = {
      served: 0,
      ask: async (token: string, path = "/ask", status = 200) => {
        const headers = { "payment-signature": token };
        const request = new Request(`${ORIGIN}${path}`, { method: "POST", headers });
        const response = await gate(request, () => new Response("secret", { status }));
        if ((await response.text()) === "secret" && response.ok) agent.served += 1;
        return response.status;
      },
    };
    return agent;
  }

  test("a token that is used repeatedly pays every time", async () => {
    const { agent, mint, settleUp } = await setUp();
    const token = await mint();
    for (let index = 0; index < 20; index++) await agent.ask(token);
    expect(await settleUp()).toBe(20);
  });

  test.each(["after", "strict", "before"] as const)(
    "fifty at once on a balance of ten are served ten times (%s)",
    async (settle) => {
      const { agent, mint, settleUp } = await setUp(10n, { settle });
      const token = await mint();
      await Promise.all(Array.from({ length: 50 }, () => agent.ask(token)));
      expect(await settleUp()).toBe(10);
      expect(await agent.ask(token)).toBe(402);
    },
  );

  test("a token's redemptions are counted across gates", async () => {
    const { agent, builder, planId, agentId, mint, settleUp } = await setUp();
    const replica = standAgent(builder, planId, agentId);
    const token = await mint({ redemptionLimit: 3 });
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => (index % 2 ? agent : replica).ask(token)),
    );
    expect(await settleUp(replica)).toBe(3);
  });

  test("a revoked or altered token is not served", async () => {
    const { agent, subscriber, mint, settleUp } = await setUp();
    const token = await mint();
    await agent.ask(token);
    const { items } = await subscriber.payments.tokens.listTokens();
    for (const { tokenId } of items) await subscriber.payments.tokens.revokeToken(tokenId);
    const document = JSON.parse(atob(await mint()));
    document.payload.sessionKey.limits.redemptionLimit += 1;
    const tampered = btoa(JSON.stringify(document));
    expect([await agent.ask(token), await agent.ask(tampered)]).toEqual([402, 402]);
    expect(await settleUp()).toBe(1);
  });

  test("a token for one agent is not served by another, whether of the same builder or another", async () => {
    const { agent, builder, planId, mint, settleUp } = await setUp();
    const sibling = standAgent(builder, planId, await registerAgent(builder, planId, ""));
    const stranger = await setUp();
    const thief = standAgent(await service.party(), planId, "1");
    const token = await mint();
    const statuses = await Promise.all([
      sibling.ask(token),
      stranger.agent.ask(token),
      thief.ask(token),
    ]);
    expect(statuses.filter((status) => status === 200)).toEqual([]);
    expect(await agent.ask(token)).toBe(200);
    expect(await settleUp(sibling, stranger.agent, thief)).toBe(1);
  });

  test("a token bound to one resource or method is not served at another", async () => {
    const { agent, mint, settleUp } = await setUp();
    const bound = await mint({ resource: `${ORIGIN}/ask`, httpVerb: "POST" });
    const otherVerb = await mint({ httpVerb: "GET" });
    expect(await agent.ask(bound, "/other")).toBe(402);
    expect(await agent.ask(otherVerb)).toBe(402);
    expect(await agent.ask(bound)).toBe(200);
    expect(await settleUp()).toBe(1);
  });

  test("the paying fetch's token is valid only where it paid", async () => {
    const { agent, subscriber, builder, planId, agentId, settleUp } = await setUp();
    let stolen = "";
    const gate = createGate(
      builder.payments,
      { "POST /ask": { planId, agentId } },
      { queue: createMemoryQueue(), report: false },
    );
    const { response, receipt } = await subscriber.payments.fetch(
      `${ORIGIN}/ask`,
      { method: "POST" },
      {
        maxCredits: 1n,
        fetch: (request) => {
          stolen = request.headers.get("payment-signature") ?? "";
          return gate(request, () => new Response("secret"));
        },
      },
    );
    expect([response.status, receipt?.success]).toEqual([200, true]);
    expect(await agent.ask(stolen, "/other")).toBe(402);
    expect(await settleUp({ served: 1 })).toBe(1);
  });

  test("work that fails burns nothing, even repeatedly and concurrently", async () => {
    const { agent, mint, settleUp } = await setUp(5n);
    const token = await mint();
    await Promise.all(Array.from({ length: 5 }, () => agent.ask(token, "/ask", 500)));
    expect(await settleUp()).toBe(0);
    await Promise.all(Array.from({ length: 5 }, () => agent.ask(token)));
    expect(agent.served).toBe(5);
  });
});

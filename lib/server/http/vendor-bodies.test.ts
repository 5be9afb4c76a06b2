import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestParty,
  type TestService,
} from "../testing/test-service.ts";
import {
  creditsConfig,
  endpoints,
  metadataAttributes,
  priceConfig,
} from "../testing/vendor-terms.ts";

/** Bodies as another vendor's SDKs write them (TypeScript and Python), and the members they read. */
describe.each(ruleStores())("another vendor's clients on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let builder: TestParty;
  let subscriber: TestParty;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    [builder, subscriber] = [await service.party(), await service.party()];
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** Calls as those clients do: JSON headers always, a version header, no body on an order. */
  async function call(party: TestParty | null, method: string, path: string, body?: object) {
    const answer = await service.fetch(`${TEST_ORIGIN}/api/v1${path}`, {
      method,
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        "nevermined-version": "1.1",
        ...(party && { authorization: `Bearer ${party.apiKey}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  }

  const sell = async (kind: keyof typeof endpoints) => {
    const plan = await call(builder, "POST", "/protocol/plans", {
      metadataAttributes,
      priceConfig,
      creditsConfig,
      nonce: (2n ** 127n + BigInt(Math.floor(Math.random() * 2 ** 40))).toString(),
      isTrialPlan: false,
      accessLimit: "credits",
      currency: null,
    });
    expect(plan.status).toBe(200);
    const { planId } = plan.body;
    const agent = await call(builder, "POST", "/protocol/agents", {
      metadataAttributes: { name: "Vendor agent", description: null },
      agentApiAttributes: {
        endpoints: endpoints[kind],
        openEndpoints: [],
        agentDefinitionUrl: null,
        authType: "none",
        username: null,
        password: null,
        token: null,
        apiKey: null,
        headers: null,
      },
      plans: [planId],
    });
    expect(agent.status).toBe(200);
    return { planId: String(planId), agentId: String(agent.body.data.agentId) };
  };

  test("python's numbers for amounts are read like strings", async () => {
    const plan = await call(builder, "POST", "/protocol/plans", {
      metadataAttributes,
      priceConfig,
      creditsConfig: { ...creditsConfig, amount: 100, minAmount: 1, maxAmount: 1, durationSecs: 0 },
      accessLimit: "credits",
    });
    expect(plan.status).toBe(200);
    const read = await call(null, "GET", `/protocol/plans/${plan.body.planId}`);
    expect(read.body.registry.credits).toMatchObject({ amount: "100", minAmount: "1" });
  });

  test("time plans, trials and an agent with its plan are registered", async () => {
    const time = {
      ...creditsConfig,
      isRedemptionAmountFixed: false,
      amount: "1",
      durationSecs: "86400",
    };
    const plan = await call(builder, "POST", "/protocol/plans", {
      metadataAttributes: { ...metadataAttributes, isTrialPlan: true },
      priceConfig,
      creditsConfig: time,
      isTrialPlan: true,
      accessLimit: "time",
    });
    expect(plan.status).toBe(200);
    const order = () => call(subscriber, "POST", `/protocol/plans/${plan.body.planId}/order`);
    expect((await order()).body.success).toBe(true);
    expect((await order()).status).toBeGreaterThanOrEqual(400);
    const both = await call(builder, "POST", "/protocol/agents/plans", {
      plan: { metadataAttributes, priceConfig, creditsConfig, accessLimit: "credits" },
      agent: {
        metadataAttributes: { name: "Both" },
        agentApiAttributes: { endpoints: [{ POST: "/both" }], authType: "bearer", token: "t" },
      },
    });
    expect(both.body).toMatchObject({
      data: { agentId: expect.any(String), planId: expect.any(String) },
      txHash: expect.any(String),
    });
  });

  /** A plan that costs nothing, and an agent with these endpoints. */
  const agentAt = async (endpoints: object[], about: object = {}) => {
    const { planId } = await sell("python");
    const answer = await call(builder, "POST", "/protocol/agents", {
      metadataAttributes: { name: "Parity", ...about },
      agentApiAttributes: { endpoints },
      plans: [planId],
    });
    const agentId = answer.body.data?.agentId as string;
    return { planId, agentId, answer };
  };
  const tokenFor = async (planId: string, agentId?: string) => {
    const minted = await call(subscriber, "POST", "/x402/permissions", {
      accepted: { scheme: "svc:erc4337", planId, ...(agentId && { extra: { agentId } }) },
      delegationConfig: { spendingLimitCents: 100, durationSecs: 3600 },
    });
    return minted.body.accessToken as string;
  };
  const verifyAt = async (
    url: string,
    {
      planId,
      agentId,
      scheme = "svc:erc4337",
      maxAmount = "1",
    }: { planId: string; agentId: string; scheme?: string; maxAmount?: string },
  ) => {
    const { body } = await call(builder, "POST", "/x402/verify", {
      paymentRequired: {
        x402Version: 2,
        resource: { url },
        accepts: [{ scheme, network: "eip155:84532", planId, extra: { agentId } }],
      },
      x402AccessToken: await tokenFor(planId, agentId),
      maxAmount,
    });
    return body;
  };
  const MCP = "mcp://weather-server/tools/weather.today";

  test.each([
    ["an instant without an offset", { dateCreated: "2026-09-01T10:00:00.123456" }],
    ["a sample that is not a URL", { sampleLink: "See the docs, chapter 2" }],
  ])("metadata takes %s (§2.7)", async (_what, about) => {
    const { agentId, answer } = await agentAt([{ POST: "/ask" }], about);
    expect(answer.body).toMatchObject({ agentId: expect.any(String) });
    const read = await call(null, "GET", `/protocol/agents/${agentId}`);
    expect(read.body.metadata.main).toMatchObject(about);
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "//evil.example", "file:///etc/passwd"])(
    "a sample link is never %s",
    async (sampleLink) => {
      expect((await agentAt([{ POST: "/ask" }], { sampleLink })).answer.status).toBe(422);
    },
  );

  test("an endpoint that is not reached by HTTP is registered and paid", async () => {
    const agent = await agentAt([{ POST: MCP }]);
    expect(agent.answer.status).toBe(200);
    expect(await verifyAt(MCP, agent)).toMatchObject({ isValid: true });
    expect(await verifyAt("mcp://weather-server/tools/other", agent)).toMatchObject({
      isValid: false,
    });
  });

  test.each(["javascript://x/%0aalert(1)", "file:///etc/passwd", "mcp://user:key@host/tools/x"])(
    "an endpoint is never %s",
    async (url) => {
      expect((await agentAt([{ POST: url }])).answer.status).toBe(422);
    },
  );

  test("`:agentId` in an endpoint is the agent's own ID, and no other (§2.8)", async () => {
    const url = (id: string) => `https://parity.example/agents/${id}/tasks/:taskId`;
    const agent = await agentAt([{ POST: url(":agentId") }, { GET: url("{agentId}") }]);
    const { agentId } = agent;
    const { body } = await call(null, "GET", `/protocol/agents/${agentId}`);
    expect(body.metadata.agent.endpoints).toEqual([{ POST: url(agentId) }, { GET: url(agentId) }]);
    const at = (id: string) => `https://parity.example/agents/${id}/tasks/1`;
    expect(await verifyAt(at(agentId), agent)).toMatchObject({ isValid: true });
    expect(await verifyAt(at(":agentId"), agent)).toMatchObject({ isValid: true });
    expect(await verifyAt(at("999999"), agent)).toMatchObject({ isValid: false });
  });

  test("the definition URL of an agent that names none is beside its first endpoint (§2.8)", async () => {
    const { agentId } = await agentAt([{ POST: "/ask" }, { POST: "https://beside.example/a/b" }]);
    const { body } = await call(null, "GET", `/protocol/agents/${agentId}`);
    expect(body.metadata.agent.agentDefinitionUrl).toBe("https://beside.example/openapi.json");
  });

  test("an agent on the caller's own machine is registered again", async () => {
    const endpoints = [{ POST: "http://localhost:8889/ask" }];
    expect((await agentAt(endpoints)).answer.status).toBe(200);
    expect((await agentAt(endpoints)).answer.status).toBe(200);
  });

  test("a path that its middleware names without the mount is paid under its own scheme names", async () => {
    const agent = await agentAt([{ POST: "https://mounted.example/api/ask" }]);
    const named = { ...agent, scheme: "nvm:erc4337" };
    expect(await verifyAt("/ask", agent)).toMatchObject({ isValid: false });
    expect(await verifyAt("/ask", named)).toMatchObject({ isValid: true });
  });

  test("credits that its middleware does not know before the work are verified as the least", async () => {
    const agent = { ...(await agentAt([{ POST: "/ask" }])), maxAmount: "0" };
    expect(await verifyAt("/ask", agent)).toMatchObject({ code: "invalid_amount" });
    const named = { ...agent, scheme: "nvm:erc4337" };
    expect(await verifyAt("/ask", named)).toMatchObject({ isValid: true, credits: "1" });
  });

  test("a token without an agent has the member, empty (§2.2)", async () => {
    const { planId } = await sell("python");
    const document = JSON.parse(Buffer.from(await tokenFor(planId), "base64").toString());
    expect(document.payload.authorization).toMatchObject({ planId, agentId: "" });
  });

  test.each(["typescript", "python"] as const)(
    "the whole paid call of its %s client works, scheme names echoed",
    async (kind) => {
      const { planId, agentId } = await sell(kind);
      const page = "?page=1&offset=100&sortBy=created&sortOrder=desc";
      const plans = await call(builder, "GET", `/protocol/plans${page}`);
      expect(plans.body).toMatchObject({ total: expect.any(Number), page: 1, offset: 100 });
      expect(plans.body.plans.map(({ id }: { id: string }) => id)).toContain(planId);
      const agents = await call(builder, "GET", `/protocol/agents${page}`);
      expect(agents.body.agents.map(({ id }: { id: string }) => id)).toContain(agentId);
      const plan = await call(null, "GET", `/protocol/plans/${planId}`);
      expect(plan.body).toMatchObject({
        id: planId,
        metadata: { main: { name: "Vendor plan" }, plan: { accessLimit: "credits" } },
        registry: { price: { isCrypto: true, amounts: [] }, credits: { amount: "100" } },
      });
      expect((await call(null, "GET", `/protocol/agents/${agentId}`)).body.id).toBe(agentId);
      const linked = await call(
        null,
        "GET",
        `/protocol/agents/${agentId}/plans?page=1&pageSize=10`,
      );
      expect(linked.body.plans[0]).toMatchObject({ planId, id: planId });

      const order = await call(subscriber, "POST", `/protocol/plans/${planId}/order`);
      expect(order).toMatchObject({ status: 200, body: { success: true } });
      const balance = await call(
        null,
        "GET",
        `/protocol/plans/${planId}/balance/${subscriber.address}`,
      );
      expect(balance.body).toMatchObject({
        planId,
        planName: "Vendor plan",
        holderAddress: subscriber.address,
        balance: "100",
        isSubscriber: true,
        pricePerCredit: 0,
      });

      const delegation = await call(subscriber, "POST", "/delegation/create", {
        provider: "erc4337",
        providerPaymentMethodId: null,
        spendingLimitCents: kind === "python" ? 1000 : "1000",
        durationSecs: kind === "python" ? 3600 : "3600",
        currency: "usdc",
        planId: null,
        merchantAccountId: null,
        maxTransactions: null,
        apiKeyId: null,
      });
      expect(delegation).toMatchObject({ status: 200, body: { delegationId: expect.any(String) } });
      const listed = await call(subscriber, "GET", "/delegation?accessible=true");
      expect(listed.body).toMatchObject({ totalResults: expect.any(Number), page: 1 });
      expect(listed.body.delegations[0]).toMatchObject({
        status: "Active",
        spendingLimitCents: "1000",
        remainingBudgetCents: "1000",
      });
      const cards = await call(
        subscriber,
        "GET",
        "/payment-methods?accessible=true&provider=stripe",
      );
      expect(Array.isArray(cards.body)).toBe(true);

      const minted = await call(subscriber, "POST", "/x402/permissions", {
        accepted: {
          scheme: "nvm:erc4337",
          network: "eip155:84532",
          planId,
          extra: { agentId, version: "1" },
        },
        delegationConfig: { delegationId: delegation.body.delegationId, apiKeyId: null },
      });
      expect(minted).toMatchObject({ status: 200, body: { accessToken: expect.any(String) } });
      const document = JSON.parse(Buffer.from(minted.body.accessToken, "base64").toString());
      expect(document).toMatchObject({
        accepted: { scheme: "nvm:erc4337", planId, extra: { agentId } },
        payload: { authorization: { from: subscriber.address } },
      });

      const question = {
        paymentRequired: {
          x402Version: 2,
          error: null,
          resource: { url: "/ask/7", description: null, mimeType: null },
          accepts: [
            {
              scheme: "nvm:erc4337",
              network: "eip155:84532",
              planId,
              extra: { version: "1", agentId, httpVerb: "POST" },
            },
          ],
          extensions: kind === "python" ? null : {},
        },
        x402AccessToken: minted.body.accessToken.replace(/=+$/, ""),
        maxAmount: "2",
      };
      const verified = await call(builder, "POST", "/x402/verify", question);
      expect(verified.body).toMatchObject({
        isValid: true,
        payer: subscriber.address,
        scheme: "nvm:erc4337",
        network: "eip155:84532",
        agentRequestId: expect.any(String),
      });
      const { agentRequestId } = verified.body;
      const settle = { ...question, agentRequestId, batch: false, marginPercent: null };
      const settled = await call(builder, "POST", "/x402/settle", settle);
      expect(settled.body).toMatchObject({
        success: true,
        payer: subscriber.address,
        transaction: expect.any(String),
        network: "eip155:84532",
        creditsRedeemed: "1",
        remainingBalance: "99",
      });
    },
  );
});

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

import { randomBytes } from "node:crypto";
import { createOperations, Payments } from "@turnpike/payments";
import { createGate, createMemoryQueue } from "@turnpike/payments/gate";
import {
  CHAIN_NETWORKS,
  getCryptoPriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  type PlanPriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cardTerms } from "@/lib/adapters/cards/card-terms.ts";
import { createRailsWithoutChain } from "@/lib/adapters/chain/free-rail.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { figures } from "@/lib/console/operations.ts";
import { pretendCards, testDeployment } from "@/lib/server/testing/pretend-rail.ts";
import {
  createMarket,
  createTestService,
  TEST_ORIGIN,
  type TestMarket,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createLeftOutRail, type Rail } from "./rail.ts";

const RECEIVER = "0x1111111111111111111111111111111111111111";
const KINDS: { kind: string; price: PlanPriceConfig; rails: () => Rail[] }[] = [
  {
    kind: "cards",
    price: getFiatPriceConfig(5_000_000n, RECEIVER, "USD"),
    rails: () => [createLeftOutRail(cardTerms)],
  },
  {
    kind: "the chain",
    price: getCryptoPriceConfig(5_000_000n, RECEIVER, testDeployment().usdc),
    rails: () => createRailsWithoutChain(CHAIN_NETWORKS.sandbox),
  },
];
const silent = { info: () => {}, warn: () => {}, error: () => {} };
const CASES = ruleStores().flatMap((store) => KINDS.map((kind) => ({ ...store, ...kind })));

describe.each(CASES)("a deployment that leaves out $kind, on $name", ({ open, price, rails }) => {
  let database: Database;
  let later: TestService;
  let sold: TestMarket;
  let free: TestMarket;
  beforeAll(async () => {
    database = await open();
    const secretKey = randomBytes(32);
    const before = createTestService(database, { secretKey, cards: pretendCards });
    sold = await createMarket(before, { price, credits: getFixedCreditsConfig(2n, 1n) });
    free = await createMarket(before);
    await sold.subscriber.payments.plans.orderPlan(free.planId);
    for (const { agentId, planId } of [sold, free]) {
      await before.ports.agents.setDoctorRun(agentId, {
        at: new Date().toISOString(),
        passed: 21,
        checks: 23,
        offers: { "POST https://agent.example/ask": [planId] },
      });
    }
    later = createTestService(database, { secretKey, rails: rails() });
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const of = ({ apiKey }: TestParty) =>
    Payments.getInstance({
      apiKey,
      environment: "sandbox",
      baseUrl: TEST_ORIGIN,
      fetch: later.fetch,
      maxRetries: 0,
    });
  const read = async (party: TestParty | null, path: string) => {
    const answer = await later.call(party, "GET", path);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text();
  };
  /** Calls an agent of the market's builder, whose route takes both plans. */
  const ask = async ({ builder }: TestMarket, token: string) => {
    const options = { queue: createMemoryQueue(), report: false, logger: silent };
    const planId = [sold.planId, free.planId];
    const gate = createGate(of(builder), { "POST /ask": { planId } }, options);
    const headers = { "payment-signature": token };
    const request = new Request("https://agent.example/ask", { method: "POST", headers });
    return (await gate(request, async () => new Response("done"))).status;
  };

  test("keeps its plans in the lists of those who have them", async () => {
    expect(await read(sold.builder, "/protocol/plans")).toContain(sold.planId);
    expect(await read(null, `/protocol/plans/${sold.planId}`)).toContain("Starter");
    const subscriptions = await read(sold.subscriber, "/subscriptions");
    expect(subscriptions).toContain(sold.planId);
    expect(subscriptions).toContain(free.planId);
    expect(await read(sold.builder, `/protocol/agents/${sold.agentId}/plans`)).toContain(
      sold.planId,
    );
  });

  test("leaves its plans out of what strangers read", async () => {
    for (const path of [
      "/protocol/plans/public",
      "/protocol/plans/public?search=Starter",
      "/x402/discovery/resources",
    ]) {
      const text = await read(null, path);
      expect(text).toContain(free.planId);
      expect(text).not.toContain(sold.planId);
    }
    const plans = await read(null, `/protocol/agents/${sold.agentId}/plans`);
    expect(plans).not.toContain(sold.planId);
  });

  test("takes the credits that were bought, by earlier tokens and new ones, and sells no more of them", async () => {
    const refused = { code: "rail_unavailable" };
    expect(await ask(sold, sold.token)).toBe(200);
    const { x402, plans } = of(sold.subscriber);
    const { accessToken } = await x402.getX402AccessToken(sold.planId);
    expect(await ask(sold, accessToken)).toBe(200);
    expect(await plans.getPlanBalance(sold.planId)).toMatchObject({ balance: 0n });
    const { connection } = of(sold.builder);
    const earned = await createOperations(connection, figures).getEarnings({ range: "30d" });
    expect(earned.worth).toMatchObject([{ amount: "5000000" }]);
    // A client reads from this that it may choose another plan of the 402.
    expect(await ask(sold, sold.token)).toBe(402);
    await expect(x402.getX402AccessToken(sold.planId)).rejects.toMatchObject(refused);
    await expect(plans.orderPlan(sold.planId)).rejects.toMatchObject(refused);
    // What is burned in the ledger alone would be a difference once there is a chain again.
    const burned = await database.query("select distinct chain_status from settlements", []);
    expect(burned).toEqual([{ chain_status: price.isCrypto ? "pending" : "none" }]);
    const unordered = await database.query("select 1 from orders where status <> 'minted'", []);
    expect(unordered).toEqual([]);
  });

  test("returns no credits of calls that are burned outside once there is a rail again", async () => {
    const [call] = await database.query<{ id: string }>(
      "select agent_request_id as id from settlements where plan_id = $1 limit 1",
      [sold.planId],
    );
    const refund = of(sold.builder).money.createRefund({ agentRequestId: call?.id ?? "" });
    if (price.isCrypto)
      await expect(refund).rejects.toMatchObject({ details: [{ path: "amount" }] });
    else expect(await refund).toMatchObject({ status: "paid", credits: "1" });
  });

  test("takes the credits of the other plan at a gate that offers both", async () => {
    const { accessToken } = await of(sold.subscriber).x402.getX402AccessToken(free.planId);
    expect(await ask(free, accessToken)).toBe(200);
  });

  test("takes no new plans of it, and does not name it to facilitators' clients", async () => {
    const { plans } = of(sold.builder);
    const { credits } = (await plans.getPlan(sold.planId)).registry;
    await expect(plans.registerCreditsPlan({ name: "New" }, price, credits)).rejects.toMatchObject({
      details: [{ path: "priceConfig.isCrypto" }],
    });
    const kinds = later.ports.rails.all.filter(({ isLeftOut }) => !isLeftOut).length;
    expect(JSON.parse(await read(null, "/x402/supported")).kinds).toHaveLength(kinds);
  });

  test("lets its builder change and archive it", async () => {
    const { plans } = of(sold.builder);
    await plans.updatePlan(sold.planId, { metadataAttributes: { name: "Renamed" } });
    await plans.archivePlan(sold.planId);
    expect(await read(sold.builder, "/protocol/plans")).toContain("Renamed");
  });
});

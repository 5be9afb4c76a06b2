import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createGate } from "../gate/gate.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { getFixedCreditsConfig } from "../protocol/plans/credits-builders.ts";
import { createX402ClientScheme } from "./client-scheme.ts";

const [store] = ruleStores();
const CREDITS = 10n;

describe("the token of a stock client's refused call", () => {
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

  /** A buyer with 15 credits who calls with a stock client; each call takes 10. */
  async function setUp() {
    const { builder, subscriber, planId, agentId } = await createMarket(service, {
      credits: getFixedCreditsConfig(15n, CREDITS),
    });
    const { payments } = subscriber;
    const routes = { "POST /ask": { planId, agentId } };
    const gate = createGate(builder.payments, routes, {
      queue: createMemoryQueue(),
      report: false,
    });
    const agent = (input: RequestInfo | URL, init?: RequestInit) =>
      gate(new Request(input, init), async () => new Response("done"));
    const scheme = createX402ClientScheme(payments, { maxCredits: CREDITS });
    const paying = wrapFetchWithPayment(agent, new x402Client().register("eip155:*", scheme));
    const ask = async () => {
      const response = await paying("https://agent.example/ask", { method: "POST" });
      return response.status === 402 ? (await response.json()).cause : response.status;
    };
    const listed = async () => (await payments.tokens.listTokens({ planId })).items;
    const before = (await listed()).length;
    const minted = async () => (await listed()).length - before;
    return { ask, minted, payments, planId };
  }

  test("is kept while its call waits for a person, and pays once it is approved", async () => {
    const { ask, minted, payments } = await setUp();
    const { budgets } = payments;
    await budgets.setBudgets({ approval: { minutes: 60, aboveCredits: 9n } });
    for (let round = 0; round < 2; round++) expect(await ask()).toBe("pending_approval");
    const { items } = await budgets.listApprovals();
    expect(items).toHaveLength(1);
    await budgets.approveRequest(items[0]?.approvalId ?? "");
    expect(await ask()).toBe(200);
    expect(await minted()).toBe(1);
  });

  test("is kept where there are too few credits, and pays once there are more", async () => {
    const { ask, minted, payments, planId } = await setUp();
    expect(await ask()).toBe(200);
    for (let round = 0; round < 2; round++) expect(await ask()).toBe("no_credits");
    await payments.plans.orderPlan(planId);
    expect(await ask()).toBe(200);
    expect(await minted()).toBe(1);
  });
});

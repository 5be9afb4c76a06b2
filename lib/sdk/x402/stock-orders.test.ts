import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import type { PaymentOptions } from "../client/connection.ts";
import { Payments } from "../client/payments.ts";
import { createGate } from "../gate/gate.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { getFixedCreditsConfig } from "../protocol/plans/credits-builders.ts";
import { getErc20PriceConfig } from "../protocol/plans/price-builders.ts";
import { createX402ClientScheme, type X402ClientSchemeOptions } from "./client-scheme.ts";

const [store] = ruleStores();
const RECEIVER = "0x000000000000000000000000000000000000dEaD";

describe("what a stock client orders", () => {
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

  /** A stock client whose account never heard of the plan, which costs 9.00 USD for one credit. */
  async function setUp(
    options: Partial<PaymentOptions> = {},
    tokenOptions: X402ClientSchemeOptions["tokenOptions"] = {},
  ) {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const [usdc = ""] = service.ports.stableTokens.keys();
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Enterprise" },
      getErc20PriceConfig(9_000_000n, usdc, RECEIVER),
      getFixedCreditsConfig(1n),
    );
    const gate = createGate(
      builder.payments,
      { "POST /ask": { planId } },
      { queue: createMemoryQueue(), report: false },
    );
    const agent = (input: RequestInfo | URL, init?: RequestInit) =>
      gate(new Request(input, init), async () => new Response("done"));
    const connected = { apiKey: buyer.apiKey, baseUrl: TEST_ORIGIN, fetch: service.fetch };
    const payments = Payments.getInstance({ ...connected, ...options });
    const scheme = createX402ClientScheme(payments, { maxCredits: 5n, tokenOptions });
    const paying = wrapFetchWithPayment(agent, new x402Client().register("eip155:*", scheme));
    const ask = async () => {
      const { status } = await paying("https://agent.example/ask", { method: "POST" });
      return status;
    };
    const { holdings, plans, tokens } = buyer.payments;
    const orders = async () => (await holdings.listOrders()).items.length;
    const minted = async () => (await tokens.listTokens({ planId })).items.length;
    return { ask, orders, minted, order: () => plans.orderPlan(planId) };
  }

  test("is nothing without a limit, at any price; what the account orders itself is used", async () => {
    const { ask, orders, minted, order } = await setUp();
    for (let round = 0; round < 3; round++) expect(await ask()).toBe(402);
    expect(await orders()).toBe(0);
    await order();
    expect(await ask()).toBe(200);
    expect(await orders()).toBe(1);
    expect(await minted()).toBe(1);
  });

  test("is what its tokens may spend by maxSpend, orderLimit or a delegation", async () => {
    const limits = [
      { maxSpend: 900n },
      { orderLimit: 9_000_000n },
      { delegationConfig: { spendingLimitCents: 900n, durationSecs: 3_600 } },
    ];
    for (const tokenOptions of limits) {
      const { ask, orders } = await setUp({}, tokenOptions);
      expect(await ask()).toBe(200);
      expect(await orders()).toBe(1);
    }
  });

  test("is within the limits of the instance", async () => {
    const { ask, orders } = await setUp({ maxSpend: { perDay: 1_000n } });
    expect(await ask()).toBe(200);
    await ask().catch(() => undefined);
    expect(await orders()).toBe(1);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { pretendCards } from "@/lib/server/testing/pretend-rail.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createGate } from "../../gate/gate.ts";
import { createMemoryQueue } from "../../gate/queue/memory-queue.ts";
import { getFixedCreditsConfig } from "../../protocol/plans/credits-builders.ts";
import type { PlanPriceConfig } from "../../protocol/plans/price.ts";
import { getErc20PriceConfig, getFiatPriceConfig } from "../../protocol/plans/price-builders.ts";
import { Payments } from "../payments.ts";
import type { SpendLimits } from "./spending.ts";

const [store] = ruleStores();
const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const NOT_ALLOWED = { code: "spending_not_allowed" };

describe("the delegations for orders", () => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await (store as { open: () => Promise<Database> }).open();
    service = createTestService(database, { cards: pretendCards });
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const byCard = (cents: bigint) => getFiatPriceConfig(cents * 10_000n, RECEIVER);
  const onChain = (cents: bigint) => {
    const [usdc = ""] = service.ports.stableTokens.keys();
    return getErc20PriceConfig(cents * 10_000n, usdc, RECEIVER);
  };

  /** A buyer with any number of processes, and agents whose every call needs an order. */
  async function setUp() {
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const sell = async (price: PlanPriceConfig) => {
      const { planId } = await builder.payments.plans.registerCreditsPlan(
        { name: "Once" },
        price,
        getFixedCreditsConfig(1n),
      );
      const gate = createGate(
        builder.payments,
        { "POST /ask": { planId } },
        { queue: createMemoryQueue(), report: false },
      );
      return (request: Request) => gate(request, async () => new Response("done"));
    };
    /** A new process; each call may spend what it says. */
    const start = (limits: SpendLimits = {}) => {
      const payments = Payments.getInstance({
        apiKey: buyer.apiKey,
        baseUrl: TEST_ORIGIN,
        fetch: service.fetch,
        maxSpend: limits,
      });
      return async (fetch: (request: Request) => Promise<Response>, maxSpend = 1_000n) => {
        const url = "https://agent.example/ask";
        const { response } = await payments.fetch(url, { method: "POST" }, { fetch, maxSpend });
        return response.status === 402 ? (await response.json()).cause : response.status;
      };
    };
    const { budgets, delegation, holdings } = buyer.payments;
    const orders = async () => (await holdings.listOrders()).items.length;
    return { sell, start, orders, budgets, delegation };
  }

  test("hold the day's limit of an account whose plans are paid by card and on chain", async () => {
    const { sell, start, orders } = await setUp();
    const [card, chain] = [await sell(byCard(300n)), await sell(onChain(300n))];
    const capped = () => start({ perDay: 500n });
    expect(await capped()(card)).toBe(200);
    await expect(capped()(chain)).rejects.toMatchObject({
      ...NOT_ALLOWED,
      message: expect.stringContaining("300 cents"),
    });
    expect(await capped()(await sell(onChain(200n)))).toBe(200);
    await expect(capped()(await sell(byCard(50n)))).rejects.toMatchObject(NOT_ALLOWED);
    expect(await orders()).toBe(2);
  });

  test("hold the day's limit also once they are revoked", async () => {
    const { sell, start, orders, delegation } = await setUp();
    const agent = await sell(onChain(300n));
    const capped = () => start({ perDay: 500n });
    expect(await capped()(agent)).toBe(200);
    await delegation.revokeAllDelegations();
    await expect(capped()(agent)).rejects.toMatchObject(NOT_ALLOWED);
    expect(await capped()(await sell(onChain(200n)))).toBe(200);
    expect(await orders()).toBe(2);
  });

  test("are not revoked while a call under one of them waits for a person", async () => {
    const { sell, start, orders, budgets } = await setUp();
    await budgets.setBudgets({ approval: { minutes: 60, above: 350n } });
    const [cheap, expensive, cheapest] = [
      await sell(onChain(300n)),
      await sell(onChain(400n)),
      await sell(onChain(100n)),
    ];
    const buy = start();
    expect(await buy(cheap, 500n)).toBe(200);
    expect(await buy(expensive, 400n)).toBe("pending_approval");
    expect(await buy(cheapest, 100n)).toBe(200);
    const { items } = await budgets.listApprovals({ status: "pending" });
    await budgets.approveRequest(items[0]?.approvalId ?? "");
    expect(await buy(expensive, 400n)).toBe(200);
    expect(await orders()).toBe(3);
  });
});

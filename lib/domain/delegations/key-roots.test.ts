import {
  getCryptoPriceConfig,
  getExpirableDurationConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  Payments,
} from "@turnpike/payments";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { pretendCards } from "@/lib/server/testing/pretend-rail.ts";
import { createCardDelegation } from "@/lib/server/testing/sample-world.ts";
import {
  createMarket,
  createTestService,
  TEST_ORIGIN,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const PAYEE = "0x1111111111111111111111111111111111111111";
const LIMIT = { spendingLimitCents: 100n, durationSecs: 3_600 };
const REFUSED = { code: "forbidden", message: expect.stringContaining("root limit") };

describe.each(ruleStores())("an API key with a root limit, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  /** The client with the key. */
  let limited: Payments;
  let rootId: string;

  const clientOf = (apiKey: string) =>
    Payments.getInstance({ apiKey, baseUrl: TEST_ORIGIN, fetch: service.fetch });

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { cards: pretendCards });
    market = await createMarket(service, { price: getCryptoPriceConfig(1_000n, PAYEE) });
    const { apiKeys } = market.subscriber.payments;
    const made = await apiKeys.createApiKey({ name: "worker", rootLimit: LIMIT });
    rootId = made.rootDelegation?.delegationId ?? "";
    limited = clientOf(made.apiKey);
  });
  afterAll(() => database.close());

  const sellByCard = async () => {
    const { payments, address } = market.builder;
    const price = getFiatPriceConfig(5_000_000n, address);
    return payments.plans.registerCreditsPlan({ name: "Card" }, price, getFixedCreditsConfig(10n));
  };

  test("orders and mints under it", async () => {
    expect(await limited.plans.orderPlan(market.planId)).toMatchObject({ success: true });
    const minted = await limited.x402.getX402AccessToken(market.planId, market.agentId);
    expect(minted.delegationId).toBe(rootId);
    const delegationConfig = { delegationId: rootId };
    await limited.x402.getX402AccessToken(market.planId, market.agentId, { delegationConfig });
  });

  test("pays no plan by card, at once, by a token or in renewals", async () => {
    const { planId } = await sellByCard();
    const { subscriber, builder } = market;
    await expect(limited.plans.orderPlan(planId)).rejects.toMatchObject(REFUSED);
    const card = { providerPaymentMethodId: `pm_${subscriber.address}` };
    await expect(limited.plans.orderFiatPlan(planId, card)).rejects.toMatchObject(REFUSED);
    await expect(limited.x402.getX402AccessToken(planId)).rejects.toMatchObject(REFUSED);
    const { planId: month } = await builder.payments.plans.registerTimePlan(
      { name: "A month" },
      getFiatPriceConfig(5_000_000n, builder.address),
      getExpirableDurationConfig(30n * 86_400n),
    );
    await subscriber.payments.plans.orderPlan(month, card);
    const delegationId = await createCardDelegation(subscriber);
    await expect(
      limited.money.setRenewal({ planId: month, isOn: true, delegationId }),
    ).rejects.toMatchObject(REFUSED);
  });

  test("makes and names no delegation beside it", async () => {
    const terms = { ...LIMIT, provider: "erc4337" as const };
    await expect(limited.delegation.createDelegation(terms)).rejects.toMatchObject(REFUSED);
    const other = await market.subscriber.payments.delegation.createDelegation(terms);
    const { delegationId } = other;
    await expect(limited.plans.orderPlan(market.planId, { delegationId })).rejects.toMatchObject(
      REFUSED,
    );
    await expect(
      limited.x402.getX402AccessToken(market.planId, market.agentId, {
        delegationConfig: { delegationId },
      }),
    ).rejects.toMatchObject(REFUSED);
  });

  test("creates keys with the same root, and none with another", async () => {
    await expect(
      limited.apiKeys.createApiKey({ name: "more", rootLimit: LIMIT }),
    ).rejects.toMatchObject(REFUSED);
    const { apiKey } = await limited.apiKeys.createApiKey({ name: "child" });
    const { delegationId } = await clientOf(apiKey).x402.getX402AccessToken(market.planId);
    expect(delegationId).toBe(rootId);
  });
});

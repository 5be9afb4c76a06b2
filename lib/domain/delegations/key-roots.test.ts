import {
  getCryptoPriceConfig,
  getErc20PriceConfig,
  getExpirableDurationConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  Payments,
} from "@turnpike/payments";
import type { InputOf } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { pretendCards, testDeployment } from "@/lib/server/testing/pretend-rail.ts";
import { createCardDelegation } from "@/lib/server/testing/sample-world.ts";
import {
  createMarket,
  createTestService,
  TEST_ORIGIN,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { addWithdrawalAddress } from "../money/withdrawals.ts";

const PAYEE = "0x1111111111111111111111111111111111111111";
/** 0.50, half of the limit. */
const PRICE = getErc20PriceConfig(500_000n, testDeployment().usdc ?? "", PAYEE);
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
    market = await createMarket(service, { price: PRICE });
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

  test("orders and mints under it, and orders no more than it allows", async () => {
    for (const amountSpentCents of [50n, 100n]) {
      expect(await limited.plans.orderPlan(market.planId)).toMatchObject({ success: true });
      expect(await limited.delegation.getDelegation(rootId)).toMatchObject({ amountSpentCents });
    }
    await expect(limited.plans.orderPlan(market.planId)).rejects.toMatchObject({
      code: "payment_refused",
    });
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

  test("orders nothing at a price that its limit does not count", async () => {
    const price = getCryptoPriceConfig(10n ** 21n, PAYEE);
    const { planId } = await market.builder.payments.plans.registerCreditsPlan(
      { name: "In ETH" },
      price,
      getFixedCreditsConfig(10n),
    );
    for (const named of [{}, { delegationId: rootId }]) {
      await expect(limited.plans.orderPlan(planId, named)).rejects.toMatchObject(REFUSED);
    }
    expect((await limited.holdings.listOrders({ planId })).items).toEqual([]);
    const { planId: month } = await market.builder.payments.plans.registerTimePlan(
      { name: "A month in ETH" },
      price,
      getExpirableDurationConfig(30n * 86_400n),
    );
    await market.subscriber.payments.plans.orderPlan(month);
    const renewal = { planId: month, isOn: true, delegationId: rootId };
    await expect(limited.money.setRenewal(renewal)).rejects.toMatchObject(REFUSED);
  });

  test("mints for a free plan, and names no limit and no other plans with it", async () => {
    const { planId } = await market.builder.payments.plans.registerCreditsPlan(
      { name: "Free" },
      getFreePriceConfig(),
      getFixedCreditsConfig(10n),
    );
    const mint = (delegationConfig: InputOf<"getX402AccessToken">["delegationConfig"]) =>
      limited.x402.getX402AccessToken(planId, undefined, { delegationConfig });
    for (const beside of [
      { spendingLimitCents: 1_000_000n },
      { planIds: [planId, market.planId] },
    ]) {
      await expect(mint(beside)).rejects.toMatchObject(REFUSED);
    }
    await mint({ durationSecs: 60 });
  });

  test("withdraws and refunds nothing, and keys without one do", async () => {
    const { builder, subscriber } = market;
    const to = "0x2222222222222222222222222222222222222222";
    const made = await builder.payments.apiKeys.createApiKey({ name: "worker", rootLimit: LIMIT });
    const { money } = clientOf(made.apiKey);
    await addWithdrawalAddress(builder.context, { address: to });
    const withdrawal = { currency: "usdc", amount: 1_000_000n, to };
    await expect(money.createWithdrawal(withdrawal)).rejects.toMatchObject(REFUSED);
    const { orderId } = await subscriber.payments.plans.orderPlan(market.planId);
    const asked = await subscriber.payments.money.requestRefund({ orderId, reason: "Broken" });
    const { refundId } = asked;
    await expect(money.acceptRefundRequest({ refundId })).rejects.toMatchObject(REFUSED);
    await expect(money.createRefund({ orderId, amount: 1n })).rejects.toMatchObject(REFUSED);
    expect(await money.getRefund(refundId)).toMatchObject({ status: "requested" });
    expect(await money.declineRefundRequest({ refundId })).toMatchObject({ status: "declined" });
    const { money: full } = builder.payments;
    expect(await full.createRefund({ orderId, amount: 1n })).toMatchObject({ amount: "1" });
    expect(await full.createWithdrawal(withdrawal)).toMatchObject({ status: "paid" });
  });

  test("replaces itself and its like, and no key with another limit or none", async () => {
    const { apiKeys } = market.subscriber.payments;
    const rotate = (by: Payments, keyId: string) =>
      by.apiKeys.createApiKey({ name: "next", replaces: { keyId, overlapSecs: 60 } });
    const narrow = { ...LIMIT, spendingLimitCents: 5n };
    const other = await apiKeys.createApiKey({ name: "narrow", rootLimit: narrow });
    const unlimited = await apiKeys.createApiKey({ name: "unlimited" });
    for (const { keyId } of [other, unlimited]) {
      await expect(rotate(limited, keyId)).rejects.toMatchObject(REFUSED);
    }
    const child = await limited.apiKeys.createApiKey({ name: "child" });
    const rotated = [
      await rotate(limited, child.keyId),
      await rotate(market.subscriber.payments, other.keyId),
    ];
    const { items } = await apiKeys.listApiKeys();
    const rootOf = (id: string) => items.find(({ keyId }) => keyId === id)?.rootDelegationId;
    expect(rotated.map(({ keyId }) => rootOf(keyId))).toEqual([rootId, rootOf(other.keyId)]);
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

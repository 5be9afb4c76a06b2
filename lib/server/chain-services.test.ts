import {
  buildPaymentRequired,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
  type Settlement,
} from "@turnpike/payments/protocol";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, testStores } from "@/lib/adapters/db/testing/stores.ts";
import { type ChainTestService, startChainTestService } from "./testing/chain-service.ts";
import { createMarket, type TestMarket } from "./testing/test-service.ts";

const PRICE = 1_000_000n;

describe.each(testStores())("a crypto plan on $name", ({ open }) => {
  let database: Database;
  let service: ChainTestService;
  let market: TestMarket;
  let receiver: string;

  beforeAll(async () => {
    database = await open();
    service = await startChainTestService(database);
    receiver = (await service.party({ isFunded: false })).address;
    market = await marketOf(receiver);
  });
  const marketOf = (paid: string, terms = {}) =>
    createMarket(service, {
      price: getCryptoPriceConfig(PRICE, paid, service.usdc),
      credits: getFixedCreditsConfig(100n, 1n),
      ...terms,
    });
  afterAll(async () => {
    await service.stop();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  test("an order pays the builder once and mints the credits on chain", async () => {
    const { subscriber, planId } = market;
    const order = () =>
      subscriber.payments.plans.orderPlan(planId, { idempotencyKey: "the one order" });
    const had = await service.money(receiver);
    const first = await order();
    const again = await order();
    expect(first).toMatchObject({ success: true, status: "minted" });
    expect(again).toMatchObject({ orderId: first.orderId, txHash: first.txHash });
    const receipt = await service.onChain.client.getTransactionReceipt({
      hash: first.txHash as Hex,
    });
    expect(receipt.status).toBe("success");
    expect((await service.money(receiver)) - had).toBe(PRICE);
    await expectSame(service, market);
  });

  test("a settle answers with the transaction that burns its credits, and the chain agrees", async () => {
    const settlement = await settle(market);
    expect(settlement).toMatchObject({ success: true, creditsRedeemed: "1" });
    expect(settlement.transaction).toMatch(/^0x[0-9a-f]{64}$/);
    await service.untilMirrored();
    const receipt = await service.onChain.client.getTransactionReceipt({
      hash: settlement.transaction as Hex,
    });
    expect(receipt.status).toBe("success");
    await expectSame(service, market);
  });
});

async function settle(market: TestMarket, agentRequestId?: string): Promise<Settlement> {
  const { builder, token } = market;
  return builder.payments.facilitator.settlePermissions({
    paymentRequired: buildPaymentRequired({
      planId: market.planId,
      endpoint: market.endpoint,
      agentId: market.agentId,
      httpVerb: "POST",
    }),
    x402AccessToken: token,
    ...(agentRequestId && { agentRequestId }),
  });
}

/** Ledger and chain say the same about the subscriber's credits. */
async function expectSame(service: ChainTestService, market: TestMarket): Promise<void> {
  const { subscriber, planId } = market;
  const { balance } = await subscriber.payments.plans.getPlanBalance(planId);
  expect(await service.credits(subscriber.address, planId)).toBe(balance);
}

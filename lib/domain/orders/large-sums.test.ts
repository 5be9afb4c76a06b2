import { randomBytes } from "node:crypto";
import {
  getDynamicCreditsConfig,
  getFixedCreditsConfig,
  MAX_UINT256,
} from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import {
  type CardShop,
  mintToken,
  openCardShop,
  requirementOf,
  settleCard,
} from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { refreshOrder } from "./resolve-orders.ts";

/** So many times 2^256-1 have 79 digits: more than the column of one amount holds. */
const MANY = 10;

describe.each(ruleStores())("sums above the largest amount on $name", ({ open }) => {
  const at = useCardService(open);
  const sumsOf = ({ planId }: CardShop) =>
    at.database.query("select available, debt from balances where plan_id = $1", [planId]);

  async function reserve(shop: CardShop, maxAmount: bigint) {
    const { accessToken: x402AccessToken } = await mintToken(shop);
    const agentRequestId = randomBytes(16).toString("hex");
    return shop.builder.payments.facilitator.verifyPermissions({
      ...{ paymentRequired: requirementOf(shop), x402AccessToken, agentRequestId },
      ...{ maxAmount, reserve: true },
    });
  }

  test("every chargeback of used credits reaches the ledger, and their subscriber is read", async () => {
    const shop = await openCardShop(at.service, {
      credits: getFixedCreditsConfig(MAX_UINT256, MAX_UINT256),
    });
    const orders: { orderId: string; txHash?: string }[] = [];
    for (let n = 0; n < MANY; n++) {
      orders.push(await shop.subscriber.payments.plans.orderPlan(shop.planId));
      await settleCard(at.service, shop, (await mintToken(shop)).accessToken);
    }
    const { items } = await shop.builder.payments.plans.listSubscribers(shop.planId);
    expect(items).toMatchObject([{ creditsUsed: MAX_UINT256 }]);
    for (const { orderId, txHash = "" } of orders) {
      at.fixture.processor.controls.openDispute(txHash, "fraudulent", 500);
      expect(await refreshOrder(at.service.ports, orderId)).toMatchObject({ status: "refunded" });
    }
    expect(await at.balanceOf(shop)).toMatchObject({ balance: 0n, debt: MAX_UINT256 });
    expect(await sumsOf(shop)).toEqual([{ available: 0n, debt: MAX_UINT256 * BigInt(MANY) }]);
    expect(await at.owedTo(shop)).toBe(0n);
  }, 60_000);

  test("refunds that come back leave reservations to be released and credits to be used and to expire", async () => {
    const shop = await openCardShop(at.service, {
      credits: getDynamicCreditsConfig(MAX_UINT256, 1n, MAX_UINT256),
      testCard: "pm_card_pendingRefund",
    });
    const refunds: [reference: string, orderId: string][] = [];
    for (let n = 0; n < MANY; n++) {
      const { orderId } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
      const { reference = "" } = await shop.builder.payments.money.createRefund({ orderId });
      refunds.push([reference, orderId]);
    }
    for (const [reference, orderId] of refunds) {
      at.fixture.processor.controls.finishRefund(reference, "failed");
      await refreshOrder(at.service.ports, orderId);
    }
    expect(await reserve(shop, MAX_UINT256 / 2n)).toMatchObject({ isValid: true });
    const { accessToken } = await mintToken(shop);
    const settled = await settleCard(at.service, shop, accessToken);
    expect(settled).toMatchObject({ success: true, creditsRedeemed: "1" });
    await at.service.ports.clock.advance(400);
    await at.service.ports.ledger.sweep();
    expect(await at.balanceOf(shop)).toMatchObject({ balance: MAX_UINT256, held: 0n });
    const { items } = await shop.subscriber.payments.holdings.listSubscriptions();
    expect(items).toMatchObject([{ available: String(MAX_UINT256), creditsUsed: "1" }]);
    await at.database.query("update balances set expires_at = app_now() where plan_id = $1", [
      shop.planId,
    ]);
    await at.service.ports.ledger.sweep();
    const expired = await at.database.query<{ amount: bigint }>(
      "select amount from transfers where plan_id = $1 and kind = 'expire' order by seq",
      [shop.planId],
    );
    expect(expired.map(({ amount }) => amount)).toEqual([
      ...Array(MANY - 1).fill(MAX_UINT256),
      MAX_UINT256 - 1n,
    ]);
  }, 60_000);
});

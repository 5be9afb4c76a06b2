import { getDynamicCreditsConfig } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import {
  type CardShop,
  mintToken,
  openCardShop,
  settleCard,
} from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { resolveRefunds } from "@/lib/domain/money/send-refunds.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import { longTest } from "@/lib/testing/in-full.ts";

describe.each(ruleStores())("refund requests on $name", ({ open }) => {
  const at = useCardService(open);
  let calls = 0;

  /** Ten credits that were bought for 5.00 with a card whose refunds stay pending, unless another is named. */
  async function sold(testCard = "pm_card_pendingRefund") {
    const shop = await openCardShop(at.service, {
      testCard,
      credits: getDynamicCreditsConfig(10n, 1n, 10n),
    });
    const { orderId, txHash } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
    return { ...shop, orderId, payment: txHash ?? "" };
  }
  type Sold = Awaited<ReturnType<typeof sold>>;
  async function call(shop: CardShop): Promise<string> {
    const { accessToken } = await mintToken(shop);
    calls += 1;
    const agentRequestId = `requested-call-${calls}`.padEnd(24, "x");
    const settled = await settleCard(at.service, shop, accessToken, agentRequestId);
    expect(settled).toMatchObject({ success: true });
    return agentRequestId;
  }
  const ask = ({ orderId, subscriber }: Sold, amount?: bigint) =>
    subscriber.payments.money.requestRefund({
      orderId,
      reason: "Broken",
      ...(amount !== undefined && { amount }),
    });
  const askForCall = ({ subscriber }: Sold, agentRequestId: string, amount?: bigint) =>
    subscriber.payments.money.requestRefund({
      agentRequestId,
      reason: "It didn’t work",
      ...(amount !== undefined && { amount }),
    });
  async function later(seconds: number) {
    await at.service.ports.clock.advance(seconds);
    await resolveRefunds(at.service.ports, 100);
  }
  /** The processor ends the payment's pending refunds; those of so many cents, where they are given. */
  async function finish({ payment }: Sold, end: "failed" | "succeeded", cents?: number) {
    const { data } = await at.fixture.stripe.refunds.list({ payment_intent: payment });
    for (const { id, status, amount } of data) {
      if (status === "pending" && amount === (cents ?? amount)) {
        at.fixture.processor.controls.finishRefund(id, end);
      }
    }
    await later(121);
  }
  const refund = ({ builder, orderId }: Sold, amount: bigint) =>
    builder.payments.money.createRefund({ orderId, amount });
  const statusOf = async ({ builder }: Sold, { refundId }: { refundId: string }) =>
    (await builder.payments.money.getRefund(refundId)).status;

  test("stay open when less than was asked for is refunded", async () => {
    const shop = await sold();
    const { money } = shop.builder.payments;
    const { orderId } = shop;
    const { refundId } = await ask(shop, 4_500_000n);
    await money.createRefund({ orderId, amount: 1_000_000n });
    expect(await money.getRefund(refundId)).toMatchObject({
      status: "requested",
      amount: "4500000",
    });
    await expect(money.acceptRefundRequest({ refundId })).rejects.toMatchObject({
      message: "Between 1 and 4000000 can be refunded.",
    });
    expect(await money.acceptRefundRequest({ refundId, amount: 4_000_000n })).toMatchObject({
      status: "open",
      amount: "4000000",
    });
  });

  test("end when nothing is left of their order, whatever the last refund was", async () => {
    const shop = await sold();
    const { money } = shop.builder.payments;
    const { orderId } = shop;
    const ofCall = await askForCall(shop, await call(shop), 500_000n);
    const ofOrder = await ask(shop, 4_500_000n);
    await money.createRefund({ orderId, amount: 1_000_000n });
    const { refundId } = await money.createRefund({ orderId });
    for (const request of [ofCall, ofOrder]) {
      expect(await money.getRefund(request.refundId)).toMatchObject({
        status: "declined",
        failure: { code: "refunded", message: `This was refunded as ${refundId}.` },
      });
    }
  });

  test("are open again, for as long as at first, when the refund that ended them fails", async () => {
    const shop = await sold();
    const { money } = shop.builder.payments;
    const ofCall = await askForCall(shop, await call(shop));
    const ofOrder = await ask(shop);
    await later(13 * 86_400);
    await money.createRefund({ orderId: shop.orderId });
    expect((await money.listRefunds({ status: "requested" })).items).toEqual([]);
    await finish(shop, "failed");
    await later(13 * 86_400);
    const { items } = await money.listRefunds({ status: "requested" });
    expect(items.map(({ refundId }) => refundId).sort()).toEqual(
      [ofCall.refundId, ofOrder.refundId].sort(),
    );
    expect(items[0]).not.toHaveProperty("failure");
    expect(await money.acceptRefundRequest({ refundId: ofCall.refundId })).toMatchObject({
      status: "paid",
    });
    expect(await money.acceptRefundRequest({ refundId: ofOrder.refundId })).toMatchObject({
      status: "open",
      amount: "5000000",
    });
  });

  test("are open again when one of the refunds fails that ended them together", async () => {
    const shop = await sold();
    const requests = [await askForCall(shop, await call(shop)), await ask(shop)];
    const statuses = () => Promise.all(requests.map((request) => statusOf(shop, request)));
    await refund(shop, 4_000_000n);
    await refund(shop, 1_000_000n);
    expect(await statuses()).toEqual(["declined", "declined"]);
    await finish(shop, "succeeded", 100);
    await finish(shop, "failed");
    expect(await statuses()).toEqual(["requested", "requested"]);
  });

  test("end when the refunds since give what was asked for together, until one of them fails", async () => {
    const shop = await sold();
    await refund(shop, 1_000_000n);
    const request = await ask(shop, 2_000_000n);
    await refund(shop, 1_500_000n);
    expect(await statusOf(shop, request)).toBe("requested");
    await refund(shop, 500_000n);
    expect(await statusOf(shop, request)).toBe("declined");
    await finish(shop, "failed", 100);
    expect(await statusOf(shop, request)).toBe("declined");
    await finish(shop, "failed", 50);
    expect(await statusOf(shop, request)).toBe("requested");
  });

  test("are open again when less was refunded since than was asked for, whatever was before", async () => {
    const shop = await sold();
    await refund(shop, 3_000_000n);
    await finish(shop, "succeeded");
    const request = await ask(shop, 2_000_000n);
    await refund(shop, 1_500_000n);
    await refund(shop, 500_000n);
    await finish(shop, "failed", 150);
    expect(await statusOf(shop, request)).toBe("requested");
  });

  longTest("have two weeks each time they are open again", async () => {
    const shop = await sold();
    const { refundId } = await ask(shop);
    for (let times = 0; times < 2; times += 1) {
      await later(13 * 86_400);
      await refund(shop, 5_000_000n);
      await finish(shop, "failed");
    }
    const again = await shop.builder.payments.money.getRefund(refundId);
    expect(again.status).toBe("requested");
    expect(Date.parse(again.expiresAt ?? "") - Date.parse(again.updatedAt)).toBe(14 * 86_400_000);
  });

  test("stay ended when the refund fails after the subscriber asked again", async () => {
    const shop = await sold();
    const { money } = shop.builder.payments;
    const first = await ask(shop, 2_000_000n);
    await money.createRefund({ orderId: shop.orderId, amount: 2_000_000n });
    const second = await ask(shop, 1_000_000n);
    await finish(shop, "failed");
    expect(await money.getRefund(first.refundId)).toMatchObject({ status: "declined" });
    expect(await money.getRefund(second.refundId)).toMatchObject({ status: "requested" });
  });

  test("stay ended once the subscriber asked again, also when that was answered", async () => {
    const shop = await sold();
    const first = await ask(shop, 2_000_000n);
    await refund(shop, 2_000_000n);
    const { refundId } = await ask(shop, 1_000_000n);
    await finish(shop, "failed");
    await shop.builder.payments.money.acceptRefundRequest({ refundId });
    await finish(shop, "succeeded");
    await refund(shop, 500_000n);
    await finish(shop, "failed");
    expect(await statusOf(shop, first)).toBe("declined");
  });

  test("are open again alone, where an earlier one for the same had ended too", async () => {
    const shop = await sold();
    const first = await ask(shop, 2_000_000n);
    await refund(shop, 2_100_000n);
    const second = await ask(shop, 2_500_000n);
    await finish(shop, "failed");
    const ending = await refund(shop, 2_600_000n);
    await finish(shop, "failed");
    expect(await statusOf(shop, ending)).toBe("refused");
    expect(await statusOf(shop, first)).toBe("declined");
    expect(await statusOf(shop, second)).toBe("requested");
    expect(await refund(shop, 5_000_000n)).toMatchObject({ status: "open" });
  });

  test("of a call return no credits once nothing is left of the order that paid for it", async () => {
    const shop = await sold("pm_card_visa");
    const { money } = shop.builder.payments;
    const agentRequestId = await call(shop);
    const { refundId } = await askForCall(shop, agentRequestId);
    const refunded = await money.createRefund({ orderId: shop.orderId });
    await expect(money.acceptRefundRequest({ refundId })).rejects.toMatchObject({
      code: "conflict",
      message: `This was refunded as ${refunded.refundId}.`,
    });
    for (const refund of [
      () => askForCall(shop, agentRequestId),
      () => money.createRefund({ agentRequestId }),
    ]) {
      await expect(refund()).rejects.toMatchObject({
        code: "conflict",
        message: "The whole payment was already refunded.",
      });
    }
    expect(await at.balanceOf(shop)).toMatchObject({ balance: 0n });
  });

  longTest(
    "of a call, accepted while its order is refunded in full, give credits before the refund or none",
    async () => {
      const shops = await Promise.all(Array.from({ length: 12 }, () => sold("pm_card_visa")));
      await Promise.all(
        shops.map(async (shop) => {
          const { refundId } = await askForCall(shop, await call(shop));
          const { money } = shop.builder.payments;
          const [accepted, refunded] = await Promise.allSettled([
            money.acceptRefundRequest({ refundId }),
            money.createRefund({ orderId: shop.orderId }),
          ]);
          expect(refunded).toMatchObject({ status: "fulfilled" });
          if (accepted.status === "rejected") {
            expect(accepted.reason).toMatchObject({ code: "conflict" });
          }
          expect(await at.balanceOf(shop)).toMatchObject({ balance: 0n });
        }),
      );
    },
  );

  test("of a call return credits while another order that was paid before it is left", async () => {
    const shop = await sold("pm_card_visa");
    const { money } = shop.builder.payments;
    await shop.subscriber.payments.plans.orderPlan(shop.planId);
    const { refundId } = await askForCall(shop, await call(shop));
    await money.createRefund({ orderId: shop.orderId });
    expect(await money.acceptRefundRequest({ refundId })).toMatchObject({ status: "paid" });
  });

  test("that were accepted and failed say so, and only their answer is repeated", async () => {
    const shop = await sold();
    const { money } = shop.builder.payments;
    const { refundId } = await ask(shop, 3_000_000n);
    await money.acceptRefundRequest({ refundId });
    await finish(shop, "failed");
    const failed = { status: "refused", amount: "3000000", failure: {} };
    expect(await money.acceptRefundRequest({ refundId })).toMatchObject(failed);
    const other = {
      code: "conflict",
      message: "The refund of 3.00 USD for this request failed. Refund the order or call again.",
    };
    await expect(money.acceptRefundRequest({ refundId, amount: 1_000_000n })).rejects.toMatchObject(
      other,
    );
    await expect(money.declineRefundRequest({ refundId })).rejects.toMatchObject(other);
  });

  test("are not what a refund of the processor's dashboard answers", async () => {
    const shop = await sold("pm_card_visa");
    const { money } = shop.builder.payments;
    await at.fixture.stripe.refunds.create({ payment_intent: shop.payment, amount: 100 });
    await refreshOrder(at.service.ports, shop.orderId);
    const { items } = await money.listRefunds({ orderId: shop.orderId });
    for (const { refundId } of items) {
      await expect(money.acceptRefundRequest({ refundId })).rejects.toMatchObject({
        message: "This refund of 1.00 USD has no request to answer.",
      });
    }
    expect(items).toHaveLength(1);
  });
});

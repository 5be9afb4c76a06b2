import {
  getDynamicCreditsConfig,
  getExpirableDurationConfig,
  getFiatPriceConfig,
  type PlanCreditsConfig,
} from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import {
  type CardShop,
  mintToken,
  openCardShop,
  settleCard,
} from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { refreshOrder } from "../orders/resolve-orders.ts";

const DAY = 86_400;
const MONTH = 30 * DAY;

describe.each(ruleStores())("the part of a balance that is an order's, $name", ({ open }) => {
  const at = useCardService(open);
  const { balanceOf } = at;

  const tenCredits = getDynamicCreditsConfig(10n, 1n, 10n);
  const openShop = (credits: PlanCreditsConfig = tenCredits, isTimePlan = false) =>
    openCardShop(at.service, { credits, isTimePlan });
  const openMonths = () => openShop(getExpirableDurationConfig(BigInt(MONTH)), true);
  const order = async ({ subscriber, planId }: CardShop) =>
    (await subscriber.payments.plans.orderPlan(planId)).orderId;
  async function use(shop: CardShop, calls: number) {
    const { accessToken } = await mintToken(shop);
    for (let call = 0; call < calls; call++) await settleCard(at.service, shop, accessToken);
  }
  const promise = ({ builder, planId }: CardShop, price = 5_000_000n) =>
    builder.payments.plans.updatePlan(planId, {
      metadataAttributes: { name: "By card", refundUnusedDays: 14 },
      priceConfig: getFiatPriceConfig(price, builder.address, "USD"),
    });
  const ask = ({ subscriber }: CardShop, orderId: string, amount?: string) =>
    subscriber.payments.money.requestRefund({
      orderId,
      reason: "No longer needed",
      ...(amount !== undefined && { amount }),
    });
  const refund = ({ builder }: CardShop, orderId: string, amount?: bigint) =>
    builder.payments.money.createRefund({ orderId, ...(amount !== undefined && { amount }) });
  const unusedOf = async ({ builder }: CardShop, orderId: string) =>
    (await builder.payments.money.getRefundable(orderId)).unused;
  const endOf = async (shop: CardShop) => Date.parse((await balanceOf(shop)).expiresAt ?? "");
  const secsLeft = async (shop: CardShop) =>
    ((await endOf(shop)) - (await at.service.ports.clock.now()).getTime()) / 1000;

  test("credits of a cheap order are not refunded at the price of one that is used up", async () => {
    const shop = await openShop();
    await promise(shop);
    const used = await order(shop);
    await use(shop, 10);
    await promise(shop, 1_000_000n);
    const cheap = await order(shop);
    expect(await unusedOf(shop, used)).toBe("0");
    expect(await unusedOf(shop, cheap)).toBe("1000000");
    expect(await ask(shop, used)).toMatchObject({ status: "requested", amount: "5000000" });
    expect(await balanceOf(shop)).toMatchObject({ balance: 10n });
    expect(await ask(shop, cheap)).toMatchObject({ status: "paid", amount: "1000000" });
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n });
  });

  test("what is left belongs to the newest orders, less what was refunded of them", async () => {
    const shop = await openShop();
    const [first, second] = [await order(shop), await order(shop)];
    await use(shop, 4);
    expect(await unusedOf(shop, first)).toBe("3000000");
    expect(await unusedOf(shop, second)).toBe("5000000");
    expect(await refund(shop, second, 2_500_000n)).toMatchObject({ credits: "5" });
    expect(await unusedOf(shop, first)).toBe("3000000");
    expect(await unusedOf(shop, second)).toBe("2500000");
    expect(await refund(shop, first)).toMatchObject({ credits: "6", amount: "5000000" });
    expect(await balanceOf(shop)).toMatchObject({ balance: 5n });
    expect(await refund(shop, second)).toMatchObject({ credits: "5" });
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n });
  });

  test("both sides read how much money and how many credits refunds took of an order, and how many a bank has", async () => {
    const shop = await openShop();
    const { subscriber, builder, planId } = shop;
    const { orderId, txHash = "" } = await subscriber.payments.plans.orderPlan(planId);
    const seen = async () => {
      const { items } = await subscriber.payments.holdings.listOrders({ orderId });
      const { recentOrders } = await builder.figures.getCustomer({ address: subscriber.address });
      const backOf = (one: (typeof items | typeof recentOrders)[number] | undefined) =>
        [one?.refunded, one?.disputed].map((part) => part && [part.amount, part.credits]);
      return [backOf(items[0]), backOf(recentOrders[0])];
    };
    const refunded = ["2000000", "4"];
    const both = (parts: unknown) => [parts, parts];
    expect(await seen()).toEqual(both([undefined, undefined]));
    await refund(shop, orderId, 2_000_000n);
    expect(await seen()).toEqual(both([refunded, undefined]));
    const disputeId = at.fixture.processor.controls.openDispute(txHash);
    await refreshOrder(at.service.ports, orderId);
    expect(await seen()).toEqual(both([refunded, ["3000000", "6"]]));
    at.fixture.processor.controls.endDispute(disputeId, "won");
    await refreshOrder(at.service.ports, orderId);
    expect(await seen()).toEqual(both([refunded, undefined]));
  });

  test.each(["refund", "dispute"])("a %s of a time plan removes no credits", async (how) => {
    const credits = getExpirableDurationConfig(86_400n);
    const shop = await openCardShop(at.service, { isTimePlan: true, credits });
    const { subscriber, builder, planId } = shop;
    const { orderId, txHash = "" } = await subscriber.payments.plans.orderPlan(planId);
    if (how === "refund") await refund(shop, orderId);
    else at.fixture.processor.controls.openDispute(txHash);
    await refreshOrder(at.service.ports, orderId);
    const { items } = await subscriber.payments.holdings.listOrders({ orderId });
    const { recentOrders } = await builder.figures.getCustomer({ address: subscriber.address });
    for (const order of [items[0], recentOrders[0]]) {
      expect(order?.refunded ?? order?.disputed).toMatchObject({
        amount: "5000000",
        credits: "0",
      });
    }
  });

  test("a refund of a used-up order takes no credits of another, and returns none when it fails", async () => {
    const shop = await openShop();
    const used = await order(shop);
    await use(shop, 10);
    await order(shop);
    const refunded = await refund(shop, used);
    expect(refunded).toMatchObject({ status: "paid", credits: "0" });
    expect(await balanceOf(shop)).toMatchObject({ balance: 10n });
    at.fixture.processor.controls.finishRefund(refunded.reference ?? "", "failed");
    await refreshOrder(at.service.ports, used);
    expect(await balanceOf(shop)).toMatchObject({ balance: 10n });
  });

  test("a chargeback takes the credits of other orders too", async () => {
    const shop = await openShop();
    const { orderId, txHash = "" } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
    await use(shop, 10);
    await order(shop);
    at.fixture.processor.controls.openDispute(txHash);
    await refreshOrder(at.service.ports, orderId);
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n });
  });

  test("a refund of last month's order leaves this month alone, and returns no time when it fails", async () => {
    const shop = await openMonths();
    const last = await order(shop);
    await at.service.ports.clock.advance(20 * DAY);
    await order(shop);
    await at.service.ports.clock.advance(11 * DAY);
    const end = await endOf(shop);
    expect(await unusedOf(shop, last)).toBe("0");
    const refunded = await refund(shop, last);
    expect(refunded).toMatchObject({ status: "paid" });
    expect(await endOf(shop)).toBe(end);
    expect(await balanceOf(shop)).toMatchObject({ isSubscriber: true });
    at.fixture.processor.controls.finishRefund(refunded.reference ?? "", "failed");
    await refreshOrder(at.service.ports, last);
    expect(await endOf(shop)).toBe(end);
  });

  test("a refund takes the time that is left of its order, and a failed one returns as much", async () => {
    const shop = await openMonths();
    const first = await order(shop);
    await at.service.ports.clock.advance(20 * DAY);
    await order(shop);
    expect(Math.round((await secsLeft(shop)) / DAY)).toBe(40);
    expect(await unusedOf(shop, first)).toBe("1660000");
    const refunded = await refund(shop, first);
    expect(Math.round((await secsLeft(shop)) / DAY)).toBe(30);
    at.fixture.processor.controls.finishRefund(refunded.reference ?? "", "failed");
    await refreshOrder(at.service.ports, first);
    expect(Math.round((await secsLeft(shop)) / DAY)).toBe(40);
  });

  test("a promise refunds the unused part of a time plan at once, without an amount", async () => {
    const shop = await openMonths();
    await promise(shop);
    const orderId = await order(shop);
    await at.service.ports.clock.advance(3 * DAY);
    const { money } = shop.subscriber.payments;
    expect(await money.getRefundable(orderId)).toMatchObject({
      left: "5000000",
      unused: "4490000",
      promisedUntil: expect.any(String),
    });
    expect(await ask(shop, orderId)).toMatchObject({
      status: "paid",
      madeBy: "rule",
      amount: "4490000",
    });
    expect(await secsLeft(shop)).toBeLessThan(MONTH / 100);
    expect(await ask(shop, orderId)).toMatchObject({ status: "requested", amount: "510000" });
  });

  test("a promise pays the amount that a page showed a moment before", async () => {
    const shop = await openMonths();
    await promise(shop);
    const orderId = await order(shop);
    await at.service.ports.clock.advance(DAY);
    const shown = await unusedOf(shop, orderId);
    await at.service.ports.clock.advance(45);
    expect(await ask(shop, orderId, shown)).toMatchObject({ status: "paid", madeBy: "rule" });
    const late = await openMonths();
    await promise(late);
    const second = await order(late);
    await at.service.ports.clock.advance(DAY);
    const old = await unusedOf(late, second);
    await at.service.ports.clock.advance(DAY / 2);
    expect(await ask(late, second, old)).toMatchObject({ status: "requested" });
  });

  test("no promise is answered after its days, nor without one; a request is then for all", async () => {
    const shop = await openShop();
    await promise(shop);
    const orderId = await order(shop);
    await use(shop, 4);
    await at.service.ports.clock.advance(14 * DAY + 1);
    const { money } = shop.subscriber.payments;
    expect(await money.getRefundable(orderId)).not.toHaveProperty("promisedUntil");
    expect(await ask(shop, orderId)).toMatchObject({ status: "requested", amount: "5000000" });
  });

  test("credits that can expire are unused until they do", async () => {
    const shop = await openShop({ ...tenCredits, durationSecs: BigInt(MONTH) });
    await promise(shop);
    const orderId = await order(shop);
    await use(shop, 4);
    expect(await unusedOf(shop, orderId)).toBe("3000000");
    const other = await openShop({ ...tenCredits, durationSecs: BigInt(DAY) });
    await promise(other);
    const expired = await order(other);
    await at.service.ports.clock.advance(DAY + 1);
    expect(await unusedOf(other, expired)).toBe("0");
    expect(await ask(other, expired)).toMatchObject({ status: "requested" });
    expect(await ask(shop, orderId)).toMatchObject({ madeBy: "rule", amount: "3000000" });
  });

  test("a request for a call names its credits, and is found by the call", async () => {
    const shop = await openShop();
    await order(shop);
    const { accessToken } = await mintToken(shop);
    const [first, second] = ["asked-call-0000000001", "asked-call-0000000002"];
    for (const id of [first, second]) await settleCard(at.service, shop, accessToken, id);
    const { money } = shop.subscriber.payments;
    const requests = [first, second].map((agentRequestId) =>
      money.requestRefund({ agentRequestId, reason: "It didn’t work" }),
    );
    expect(await Promise.all(requests)).toMatchObject([{ credits: "1" }, { credits: "1" }]);
    const find = (payments: typeof shop.builder.payments, role: "builder" | "subscriber") =>
      payments.money.listRefunds({ role, agentRequestId: second });
    const found = { items: [{ agentRequestId: second, status: "requested", amount: "0" }] };
    expect(await find(shop.subscriber.payments, "subscriber")).toMatchObject(found);
    const { items } = await find(shop.builder.payments, "builder");
    expect(items).toHaveLength(1);
    await shop.builder.payments.money.acceptRefundRequest({ refundId: items[0]?.refundId ?? "" });
    expect(await balanceOf(shop)).toMatchObject({ balance: 9n });
  });
});

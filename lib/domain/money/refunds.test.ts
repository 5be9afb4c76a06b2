import { getDynamicCreditsConfig, getExpirableDurationConfig } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import {
  type CardShop,
  mintToken,
  openCardShop,
  settleCard,
} from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService } from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { refreshOrder } from "../orders/resolve-orders.ts";
import { createRefund } from "./refunds.ts";
import { resolveRefunds } from "./send-refunds.ts";

describe.each(ruleStores())("refunds on $name", ({ open }) => {
  const at = useCardService(open);

  const refresh = (orderId: string) => refreshOrder(at.service.ports, orderId);
  const { balanceOf, owedTo } = at;
  /** A shop whose plan sells ten credits for 5.00, and an order of it. */
  async function sold(credits = getDynamicCreditsConfig(10n, 1n, 10n), isTimePlan = false) {
    const shop = await openCardShop(at.service, { credits, isTimePlan });
    const order = async () => {
      const { orderId, txHash } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
      return { orderId, payment: txHash ?? "" };
    };
    return { ...shop, ...(await order()), order };
  }
  const refundsOf = async (payment: string) =>
    (await at.fixture.stripe.refunds.list({ payment_intent: payment, limit: 100 })).data.filter(
      ({ status }) => status !== "failed",
    );
  const later = async (seconds: number) => {
    await at.service.ports.clock.advance(seconds);
    await resolveRefunds(at.service.ports, 100);
  };

  test("a partial refund in the processor's dashboard takes its part of the credits", async () => {
    const shop = await sold();
    const give = (amount: number) =>
      at.fixture.stripe.refunds.create({ payment_intent: shop.payment, amount });
    await give(200);
    for (let time = 0; time < 3; time++) await refresh(shop.orderId);
    expect(await balanceOf(shop)).toMatchObject({ balance: 6n });
    expect(await owedTo(shop)).toBe(3_000_000n);
    const { items } = await shop.builder.payments.money.listRefunds({ orderId: shop.orderId });
    expect(items).toMatchObject([
      { amount: "2000000", credits: "4", status: "paid", madeBy: "processor", currency: "usd" },
    ]);
    await give(300);
    await refresh(shop.orderId);
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n, isSubscriber: false });
    expect(await owedTo(shop)).toBe(0n);
    expect(await shop.subscriber.payments.plans.getOrder(shop.orderId)).toMatchObject({
      status: "refunded",
      code: "refunded",
    });
  });

  test("a pending refund of the processor's dashboard is looked up, and never made again", async () => {
    const shop = await openCardShop(at.service, { testCard: "pm_card_pendingRefund" });
    const { orderId, txHash } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
    const payment = txHash ?? "";
    const { id } = await at.fixture.stripe.refunds.create({ payment_intent: payment, amount: 200 });
    await refresh(orderId);
    await later(61);
    expect(await refundsOf(payment)).toHaveLength(1);
    const { items } = await shop.builder.payments.money.listRefunds({ orderId });
    expect(items).toMatchObject([{ status: "open", reference: id, madeBy: "processor" }]);
    at.fixture.processor.controls.finishRefund(id, "succeeded");
    await later(121);
    expect(await shop.builder.payments.money.getRefund(id)).toMatchObject({ status: "paid" });
    expect(await owedTo(shop)).toBe(3_000_000n);
  });

  test("a builder refunds an amount, then the rest: credits leave with each, and no more than was paid", async () => {
    const shop = await sold();
    const { money } = shop.builder.payments;
    const { orderId } = shop;
    expect(
      await money.createRefund({ orderId, amount: 1_500_000n, reason: "Sorry" }),
    ).toMatchObject({
      status: "paid",
      amount: "1500000",
      currency: "usd",
      credits: "3",
      reason: "Sorry",
    });
    expect(await balanceOf(shop)).toMatchObject({ balance: 7n });
    await expect(money.createRefund({ orderId, amount: 3_500_001n })).rejects.toMatchObject({
      code: "invalid_input",
      details: [{ path: "amount", message: "Use a multiple of 10000." }],
    });
    await expect(money.createRefund({ orderId, amount: 3_510_000n })).rejects.toMatchObject({
      code: "invalid_input",
      details: [{ path: "amount", message: "At most 3500000." }],
    });
    await expect(money.createRefund({ orderId, amount: 0n })).rejects.toMatchObject({
      message: "Between 1 and 3500000 can be refunded.",
    });
    expect(await money.createRefund({ orderId })).toMatchObject({ amount: "3500000" });
    await expect(money.createRefund({ orderId })).rejects.toMatchObject({
      code: "conflict",
      message: "The whole payment was already refunded.",
    });
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n });
    expect(await owedTo(shop)).toBe(0n);
    expect((await refundsOf(shop.payment)).map(({ amount }) => amount)).toEqual([350, 150]);
  });

  test("a subscriber whose order was refunded is listed with that order and its date", async () => {
    const shop = await sold();
    await shop.builder.payments.money.createRefund({ orderId: shop.orderId });
    const { items: orders } = await shop.subscriber.payments.holdings.listOrders({
      planId: shop.planId,
    });
    expect(orders).toMatchObject([{ status: "refunded" }]);
    // It waited over the end of a month, and is dated by its charge.
    await at.database.query(
      "update orders set created_at = created_at - interval '20 days' where order_id = $1",
      [shop.orderId],
    );
    const charged = (await at.service.ports.orders.find(shop.orderId))?.chargedAt?.toISOString();
    const { items } = await shop.builder.payments.plans.listSubscribers(shop.planId);
    expect(items).toMatchObject([{ orders: 1, firstOrderAt: charged, lastOrderAt: charged }]);
  });

  test("the unused part is computed; used credits are left, and are no debt", async () => {
    const shop = await sold();
    const { accessToken } = await mintToken(shop);
    for (let time = 0; time < 4; time++) await settleCard(at.service, shop, accessToken);
    const { money } = shop.builder.payments;
    // The settlements ordered nothing: the token was minted after the order.
    expect(await money.getRefundable(shop.orderId)).toMatchObject({
      paid: "5000000",
      left: "5000000",
      unused: "3000000",
      credits: { granted: "10", available: "6", held: "0", used: "4" },
    });
    await money.createRefund({ orderId: shop.orderId, amount: 3_000_000n });
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n });
    await money.createRefund({ orderId: shop.orderId });
    expect(await balanceOf(shop)).not.toHaveProperty("debt");
  });

  test("a repeat with one Idempotency-Key refunds once, and another body is a conflict", async () => {
    const shop = await sold();
    const { money } = shop.builder.payments;
    const input = { orderId: shop.orderId, amount: 1_000_000n, idempotencyKey: "once" };
    const answers = await Promise.all([1, 2, 3].map(() => money.createRefund(input)));
    expect(new Set(answers.map(({ refundId }) => refundId)).size).toBe(1);
    await expect(money.createRefund({ ...input, amount: 2_000_000n })).rejects.toMatchObject({
      code: "idempotency_conflict",
    });
    expect(await refundsOf(shop.payment)).toHaveLength(1);
  });

  test("T43: a refund that the bank sends back returns the credits and what was owed", async () => {
    const shop = await sold();
    const refund = await shop.builder.payments.money.createRefund({ orderId: shop.orderId });
    at.fixture.processor.controls.finishRefund(refund.reference ?? "", "failed");
    for (let time = 0; time < 2; time++) await refresh(shop.orderId);
    expect(await shop.builder.payments.money.getRefund(refund.refundId)).toMatchObject({
      status: "refused",
      failure: { code: "returned" },
    });
    expect(await balanceOf(shop)).toMatchObject({ balance: 10n, isSubscriber: true });
    expect(await owedTo(shop)).toBe(5_000_000n);
    expect(await shop.subscriber.payments.plans.getOrder(shop.orderId)).toMatchObject({
      status: "minted",
    });
    const { items } = await shop.builder.money.listMovements({});
    expect(items.map(({ kind, amount }) => [kind, amount])).toEqual([
      ["refund-failed", "5000000"],
      ["refund", "-5000000"],
      ["sale", "5000000"],
    ]);
  });

  test("refunds of a time plan take their part of the time, and the last one the access", async () => {
    const shop = await sold(getExpirableDurationConfig(100_000n), true);
    const before = (await balanceOf(shop)).expiresAt ?? "";
    await shop.builder.payments.money.createRefund({ orderId: shop.orderId, amount: 2_000_000n });
    const after = (await balanceOf(shop)).expiresAt ?? "";
    expect(Date.parse(before) - Date.parse(after)).toBe(40_000_000);
    await shop.builder.payments.money.createRefund({ orderId: shop.orderId });
    expect(await balanceOf(shop)).toMatchObject({ isSubscriber: false });
  });

  describe("and chargebacks", () => {
    test("T43: a disputed order is not refunded", async () => {
      const shop = await sold();
      at.fixture.processor.controls.openDispute(shop.payment);
      const { money } = shop.builder.payments;
      // No webhook has reported the dispute yet: the processor refuses, and the dispute is found.
      expect(await money.createRefund({ orderId: shop.orderId })).toMatchObject({
        status: "refused",
        failure: { code: "charge_disputed" },
      });
      expect(await shop.subscriber.payments.plans.getOrder(shop.orderId)).toMatchObject({
        status: "refunded",
        code: "disputed",
      });
      await expect(money.createRefund({ orderId: shop.orderId })).rejects.toMatchObject({
        code: "conflict",
        message: "The payment is disputed. Answer the dispute instead.",
      });
      expect(await owedTo(shop)).toBe(0n);
    });

    test("T43: a dispute after a refund takes what the refund left, and its win returns that alone", async () => {
      const shop = await sold();
      await shop.builder.payments.money.createRefund({ orderId: shop.orderId, amount: 2_000_000n });
      const dispute = at.fixture.processor.controls.openDispute(shop.payment);
      for (let time = 0; time < 2; time++) await refresh(shop.orderId);
      expect(await balanceOf(shop)).toMatchObject({ balance: 0n });
      expect(await owedTo(shop)).toBe(0n);
      at.fixture.processor.controls.endDispute(dispute, "won");
      for (let time = 0; time < 2; time++) await refresh(shop.orderId);
      expect(await balanceOf(shop)).toMatchObject({ balance: 6n });
      expect(await owedTo(shop)).toBe(3_000_000n);
    });

    test.each([
      { part: "a part", amount: 2_000_000n },
      { part: "all", amount: 5_000_000n },
    ])(
      "T43: what a refund of $part brings back while the bank has the payment is the bank's",
      async ({ amount }) => {
        const shop = await openCardShop(at.service, {
          credits: getDynamicCreditsConfig(10n, 1n, 10n),
          testCard: "pm_card_pendingRefund",
        });
        const { orderId, txHash } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
        const refund = await shop.builder.payments.money.createRefund({ orderId, amount });
        expect(refund.status).toBe("open");
        const { controls } = at.fixture.processor;
        const dispute = controls.openDispute(txHash ?? "");
        await refresh(orderId);
        controls.finishRefund(refund.reference ?? "", "failed");
        await later(61);
        expect(await brokenRules(at.database)).toEqual([]);
        const { getRefund } = shop.builder.payments.money;
        expect(await getRefund(refund.refundId)).toMatchObject({ status: "refused" });
        const disputed = { status: "refunded", code: "disputed" };
        expect(await shop.subscriber.payments.plans.getOrder(orderId)).toMatchObject(disputed);
        expect(await balanceOf(shop)).toMatchObject({ balance: 0n, isSubscriber: false });
        expect(await owedTo(shop)).toBe(0n);
        controls.endDispute(dispute, "won");
        await refresh(orderId);
        expect(await balanceOf(shop)).toMatchObject({ balance: 10n, isSubscriber: true });
        expect(await owedTo(shop)).toBe(5_000_000n);
      },
    );

    test("T43: a dispute of an order that was refunded in full takes nothing more", async () => {
      const shop = await sold();
      await shop.builder.payments.money.createRefund({ orderId: shop.orderId });
      const dispute = at.fixture.processor.controls.openDispute(shop.payment);
      await refresh(shop.orderId);
      expect(await owedTo(shop)).toBe(0n);
      at.fixture.processor.controls.endDispute(dispute, "won");
      await refresh(shop.orderId);
      expect(await balanceOf(shop)).toMatchObject({ balance: 0n });
      expect(await shop.subscriber.payments.plans.getOrder(shop.orderId)).toMatchObject({
        status: "refunded",
        code: "refunded",
      });
    });
  });

  describe("requested by the subscriber", () => {
    const ask = (shop: CardShop & { orderId: string }, amount?: bigint) =>
      shop.subscriber.payments.money.requestRefund({
        orderId: shop.orderId,
        reason: "Bought the wrong plan",
        ...(amount !== undefined && { amount }),
      });

    test("are accepted once, with the amount asked for or another", async () => {
      const shop = await sold();
      const { refundId, ...asked } = await ask(shop);
      expect(asked).toMatchObject({ status: "requested", amount: "5000000" });
      expect(await balanceOf(shop)).toMatchObject({ balance: 10n });
      await expect(ask(shop)).rejects.toMatchObject({ code: "conflict" });
      const { money } = shop.builder.payments;
      const { items } = await money.listRefunds({ status: "requested" });
      expect(items).toMatchObject([{ refundId, reason: "Bought the wrong plan" }]);
      const accept = () =>
        money.acceptRefundRequest({ refundId, amount: 3_000_000n, message: "Half." });
      const [first, second] = await Promise.all([accept(), accept()]);
      expect(first).toMatchObject({ refundId, amount: "3000000", message: "Half." });
      expect(second.refundId).toBe(refundId);
      for (const other of [{ amount: 5_000_000n }, { message: "In full." }]) {
        await expect(money.acceptRefundRequest({ refundId, ...other })).rejects.toMatchObject({
          code: "conflict",
          message: "You already answered this request with a refund of 3.00 USD.",
        });
      }
      await expect(money.declineRefundRequest({ refundId })).rejects.toMatchObject({
        code: "conflict",
      });
      expect(await refundsOf(shop.payment)).toHaveLength(1);
      expect(await balanceOf(shop)).toMatchObject({ balance: 4n });
    });

    test("of a stranger, or decided by one, are not found", async () => {
      const shop = await sold();
      const stranger = await at.service.party();
      const { refundId } = await ask(shop);
      const { money } = stranger.payments;
      for (const call of [
        () => money.requestRefund({ orderId: shop.orderId, reason: "Mine" }),
        () => money.createRefund({ orderId: shop.orderId }),
        () => money.acceptRefundRequest({ refundId }),
        () => money.declineRefundRequest({ refundId }),
        () => money.getRefund(refundId),
        () => money.getRefundable(shop.orderId),
        () => shop.subscriber.payments.money.acceptRefundRequest({ refundId }),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: "not_found" });
      }
      await expect(
        shop.subscriber.payments.money.createRefund({ orderId: shop.orderId }),
      ).rejects.toMatchObject({
        code: "not_found",
        hint: "You bought it: ask its builder with POST /refund-requests.",
      });
    });

    test("are declined once, by the builder or by time", async () => {
      const shop = await sold();
      const { money } = shop.builder.payments;
      const { refundId } = await ask(shop);
      const declined = { status: "declined", message: "No." };
      expect(await money.declineRefundRequest({ refundId, message: "No." })).toMatchObject(
        declined,
      );
      expect(await money.declineRefundRequest({ refundId })).toMatchObject(declined);
      await expect(money.acceptRefundRequest({ refundId })).rejects.toMatchObject({
        code: "conflict",
        message: "You already declined this request.",
      });
      // Declined by another page at the same moment: nothing was declined, so nothing is noted.
      const audit = { account: shop.builder.address, keyId: null, action: "refund.decline" };
      const note = { ...audit, subject: refundId, requestId: "second" };
      expect(await at.service.ports.refunds.decline(refundId, null, note)).toBe(false);
      const notes = await at.database.query(
        "select request_id from audit where action = 'refund.decline' and subject = $1",
        [refundId],
      );
      expect(notes).toHaveLength(1);
      const next = await ask(shop, 1_000_000n);
      await later(14 * 86_400 + 1);
      expect(await money.getRefund(next.refundId)).toMatchObject({
        status: "declined",
        failure: { code: "expired" },
      });
      expect(await balanceOf(shop)).toMatchObject({ balance: 10n });
    });

    test("end when the builder refunds the order otherwise, and are not paid a second time", async () => {
      const shop = await sold();
      const { money } = shop.builder.payments;
      const { refundId } = await ask(shop, 2_000_000n);
      const { orderId } = shop;
      const paid = await money.createRefund({ orderId, amount: 2_000_000n });
      expect(await shop.subscriber.payments.money.getRefund(refundId)).toMatchObject({
        status: "declined",
        failure: { code: "refunded", message: `This was refunded as ${paid.refundId}.` },
      });
      await expect(money.acceptRefundRequest({ refundId })).rejects.toMatchObject({
        code: "conflict",
        message: `This was refunded as ${paid.refundId}.`,
      });
      expect(await ask(shop)).toMatchObject({ status: "requested", amount: "3000000" });
      await at.fixture.stripe.refunds.create({ payment_intent: shop.payment, amount: 300 });
      await refreshOrder(at.service.ports, orderId);
      expect(await money.listRefunds({ status: "requested" })).toMatchObject({ items: [] });
    });

    test("are granted at once by the plan's rule for unused credits, within its days", async () => {
      const shop = await sold();
      const { planId } = shop;
      await shop.builder.payments.plans.updatePlan(planId, {
        metadataAttributes: { name: "By card", refundUnusedDays: 14 },
      });
      const { accessToken } = await mintToken(shop);
      for (let time = 0; time < 4; time++) await settleCard(at.service, shop, accessToken);
      expect(await ask(shop, 3_000_000n)).toMatchObject({ status: "paid", madeBy: "rule" });
      expect(await ask(shop)).toMatchObject({ status: "requested", amount: "2000000" });
      const another = await shop.order();
      await at.service.ports.clock.advance(14 * 86_400 + 1);
      const late = { ...shop, ...another };
      expect(await ask(late, 1_000_000n)).toMatchObject({ status: "requested" });
    });

    test("of several orders at once are granted for unused credits once", async () => {
      const shop = await sold();
      const { planId } = shop;
      await shop.builder.payments.plans.updatePlan(planId, {
        metadataAttributes: { name: "By card", refundUnusedDays: 14 },
      });
      const orders = [shop, ...(await Promise.all([shop.order(), shop.order(), shop.order()]))];
      const { accessToken } = await mintToken(shop);
      for (let time = 0; time < 30; time++) await settleCard(at.service, shop, accessToken);
      const answers = await Promise.all(
        orders.map(({ orderId }) => ask({ ...shop, orderId }).catch(() => null)),
      );
      const paid = answers.filter((answer) => answer?.status === "paid");
      expect(paid.map((answer) => answer?.credits)).toEqual(["10"]);
      expect(answers.filter((answer) => answer?.status === "requested")).toHaveLength(3);
      expect(await balanceOf(shop)).toMatchObject({ balance: 0n });
    });

    test("are granted by the rules of the version that was bought, also once the plan has none", async () => {
      const shop = await sold();
      const { planId } = shop;
      const rules = (refundUnusedDays: number, refundFailedCalls: boolean) =>
        shop.builder.payments.plans.updatePlan(planId, {
          metadataAttributes: { name: "By card", refundUnusedDays, refundFailedCalls },
        });
      await rules(14, true);
      expect(await shop.subscriber.payments.plans.getPlan(planId)).toMatchObject({
        metadata: { main: { refundUnusedDays: 14, refundFailedCalls: true } },
      });
      const promised = { ...shop, ...(await shop.order()) };
      const { accessToken } = await mintToken(shop);
      const agentRequestId = "promised-failed-call-1";
      await settleCard(at.service, shop, accessToken, agentRequestId);
      await rules(0, false);
      const later = { ...shop, ...(await shop.order()) };
      await shop.builder.payments.requests.reportRequests({
        requests: [
          {
            at: new Date().toISOString(),
            agentRequestId,
            method: "POST",
            path: "/ask",
            planId,
            httpStatus: 500,
            moneyStatus: "unknown",
          },
        ],
      });
      const { money } = shop.subscriber.payments;
      expect(await money.requestRefund({ agentRequestId, reason: "It failed" })).toMatchObject({
        madeBy: "rule",
      });
      expect(await ask(promised, 1_000_000n)).toMatchObject({ status: "paid", madeBy: "rule" });
      expect(await ask(later, 1_000_000n)).toMatchObject({ status: "requested" });
      expect(await shop.builder.payments.plans.getPlan(planId)).toMatchObject({ version: 3 });
    });
  });

  describe("of a settled call", () => {
    test("give its credits back, once", async () => {
      const shop = await sold();
      const { accessToken } = await mintToken(shop);
      const agentRequestId = "refunded-call-0000001";
      await settleCard(at.service, shop, accessToken, agentRequestId);
      expect(await balanceOf(shop)).toMatchObject({ balance: 9n });
      const { money } = shop.builder.payments;
      expect(await money.createRefund({ agentRequestId })).toMatchObject({
        status: "paid",
        credits: "1",
        amount: "0",
        agentRequestId,
      });
      expect(await balanceOf(shop)).toMatchObject({ balance: 10n });
      await expect(money.createRefund({ agentRequestId })).rejects.toMatchObject({
        code: "conflict",
        message: "This call was already refunded.",
      });
      await expect(money.createRefund({ agentRequestId, amount: 10_000n })).rejects.toMatchObject({
        code: "conflict",
      });
    });

    test("give money back, at most what it cost, and leave the other credits", async () => {
      const shop = await sold();
      const { accessToken } = await mintToken(shop);
      const agentRequestId = "refunded-call-0000002";
      await settleCard(at.service, shop, accessToken, agentRequestId);
      const { money } = shop.builder.payments;
      await expect(money.createRefund({ agentRequestId, amount: 510_000n })).rejects.toMatchObject({
        code: "invalid_input",
      });
      expect(await money.createRefund({ agentRequestId, amount: 500_000n })).toMatchObject({
        status: "paid",
        orderId: shop.orderId,
      });
      expect(await balanceOf(shop)).toMatchObject({ balance: 9n });
      expect(await owedTo(shop)).toBe(4_500_000n);
    });
  });

  describe("when something fails", () => {
    test.each([
      ["request lost", { kind: "lose-request", times: 2 }],
      ["reply lost", { kind: "lose-reply", times: 2 }],
      ["500 before the effect", { kind: "error-before" }],
      ["500 after the effect", { kind: "error-after" }],
      ["reply late", { kind: "delay", ms: 1_500 }],
    ] as const)("%s: stays open, is looked up and refunded once", async (_name, fault) => {
      const shop = await sold();
      at.fixture.processor.faults.add({ ...fault, method: "POST", path: "/v1/refunds" });
      const { rail, cards } = at.fixture.replica({ timeoutMs: 1_000 });
      const { ports } = createTestService(at.database, { rails: [rail], cards });
      const refund = await createRefund(
        { ...shop.builder.context, ports },
        { orderId: shop.orderId },
      );
      expect(refund).toMatchObject({ status: "open" });
      expect(await balanceOf(shop)).toMatchObject({ balance: 0n });
      at.fixture.processor.faults.clear();
      await expect
        .poll(
          async () => {
            await later(61);
            return (await shop.builder.payments.money.getRefund(refund.refundId)).status;
          },
          { timeout: 10_000 },
        )
        .toBe("paid");
      expect(await refundsOf(shop.payment)).toHaveLength(1);
      expect(await owedTo(shop)).toBe(0n);
    });

    test("the webhook comes before the answer, and the answer never", async () => {
      const shop = await sold();
      at.fixture.processor.faults.add({
        kind: "lose-reply",
        path: "/v1/refunds",
        method: "POST",
        times: 2,
      });
      const refund = await shop.builder.payments.money.createRefund({ orderId: shop.orderId });
      expect(refund).toMatchObject({ status: "open" });
      await refresh(shop.orderId);
      expect(await shop.builder.payments.money.getRefund(refund.refundId)).toMatchObject({
        status: "paid",
        reference: expect.stringMatching(/^re_/),
      });
      expect(await balanceOf(shop)).toMatchObject({ balance: 0n });
      await later(61);
      expect(await refundsOf(shop.payment)).toHaveLength(1);
    });
  });

  describe("at once", () => {
    longTest("300 refunds of an order give back what was paid, and no more", async () => {
      const shop = await sold();
      const { context } = shop.builder;
      const results = await Promise.allSettled(
        Array.from({ length: 300 }, (_, n) =>
          createRefund(context, { orderId: shop.orderId, amount: BigInt(10_000 * (50 + (n % 7))) }),
        ),
      );
      await later(61);
      const paid = (await refundsOf(shop.payment)).reduce((sum, { amount }) => sum + amount, 0);
      const done = results.filter(({ status }) => status === "fulfilled");
      expect(paid).toBeLessThanOrEqual(500);
      expect(done.length).toBe((await refundsOf(shop.payment)).length);
      expect(await owedTo(shop)).toBe(5_000_000n - BigInt(paid) * 10_000n);
      const { balance } = await balanceOf(shop);
      expect(balance).toBeLessThanOrEqual(10n - BigInt(Math.floor(paid / 50)));
    });

    test("T43: refund, settle and chargeback have one outcome each", async () => {
      const shops = await Promise.all(Array.from({ length: 6 }, () => sold()));
      await Promise.all(
        shops.map(async (shop, n) => {
          const { accessToken } = await mintToken(shop);
          const dispute = async () => {
            if (n % 2 === 0) at.fixture.processor.controls.openDispute(shop.payment);
            await refresh(shop.orderId);
          };
          await Promise.allSettled([
            ...Array.from({ length: 12 }, () => settleCard(at.service, shop, accessToken)),
            shop.builder.payments.money.createRefund({ orderId: shop.orderId, amount: 2_000_000n }),
            dispute(),
            shop.builder.payments.money.createRefund({ orderId: shop.orderId }),
            refresh(shop.orderId),
          ]);
          await later(61);
          await refresh(shop.orderId);
        }),
      );
      for (const { payment, orderId, ...shop } of shops) {
        const given = (await refundsOf(payment)).reduce((sum, { amount }) => sum + amount, 0);
        const order = await at.service.ports.orders.find(orderId);
        const isDisputed = order?.failureCode === "disputed";
        // What the token's top-ups bought is owed beside this order's rest.
        const { items } = await shop.builder.payments.money.listRefunds({ orderId, limit: 100 });
        const sum = items
          .filter(({ status }) => status === "paid")
          .reduce((total, { amount }) => total + BigInt(amount), 0n);
        expect(sum).toBe(BigInt(given) * 10_000n);
        expect((order?.reversedAmount ?? 0n) + sum).toBe(isDisputed ? 5_000_000n : sum);
      }
    });
  });
});

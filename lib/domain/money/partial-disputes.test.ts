import { getDynamicCreditsConfig, getExpirableDurationConfig } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { mintToken, openCardShop, settleCard } from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { applyOutcome } from "../orders/apply-outcome.ts";
import type { PaymentDispute } from "../orders/order-ports.ts";
import { refreshOrder } from "../orders/resolve-orders.ts";

const DAY = 86_400;

describe.each(ruleStores())("disputes of a part of a payment on $name", ({ open }) => {
  const at = useCardService(open);

  /** An order of 10 credits for 5.00, whose bank takes parts of it in cents. */
  async function sold(
    terms: NonNullable<Parameters<typeof openCardShop>[1]> = {
      credits: getDynamicCreditsConfig(10n, 1n, 10n),
    },
  ) {
    const shop = await openCardShop(at.service, terms);
    const { orderId, txHash = "" } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
    const { controls } = at.fixture.processor;
    const refresh = async () => {
      for (let time = 0; time < 2; time++) await refreshOrder(at.service.ports, orderId);
    };
    return {
      ...shop,
      orderId,
      refresh,
      money: shop.builder.payments.money,
      async dispute(cents: number) {
        const disputeId = controls.openDispute(txHash, "fraudulent", cents);
        await refresh();
        return disputeId;
      },
      async win(disputeId: string) {
        controls.endDispute(disputeId, "won");
        await refresh();
      },
      async standing() {
        const { status } = await shop.subscriber.payments.plans.getOrder(orderId);
        const { balance } = await at.balanceOf(shop);
        return { status, balance, owed: await at.owedTo(shop) };
      },
    };
  }

  test("a dispute of a part takes that part and its credits, and winning it returns both", async () => {
    const shop = await sold();
    const disputeId = await shop.dispute(100);
    expect(await shop.standing()).toEqual({ status: "minted", balance: 8n, owed: 4_000_000n });
    await expect(shop.money.createRefund({ orderId: shop.orderId })).rejects.toMatchObject({
      code: "conflict",
      message: "The payment is disputed. Answer the dispute instead.",
    });
    await shop.win(disputeId);
    expect(await shop.standing()).toEqual({ status: "minted", balance: 10n, owed: 5_000_000n });
  });

  test("several disputes take their sum, up to the whole order, and each that is won returns its part", async () => {
    const shop = await sold();
    const first = await shop.dispute(100);
    const second = await shop.dispute(150);
    expect(await shop.standing()).toEqual({ status: "minted", balance: 5n, owed: 2_500_000n });
    const third = await shop.dispute(250);
    expect(await shop.standing()).toEqual({ status: "refunded", balance: 0n, owed: 0n });
    await shop.win(second);
    expect(await shop.standing()).toEqual({ status: "minted", balance: 3n, owed: 1_500_000n });
    await shop.win(third);
    await shop.win(first);
    expect(await shop.standing()).toEqual({ status: "minted", balance: 10n, owed: 5_000_000n });
  });

  test("a dispute whose amount or deadline the bank changes takes the new part, until it is decided", async () => {
    const shop = await sold();
    const disputeId = await shop.dispute(100);
    const { ports } = at.service;
    const order = await ports.orders.find(shop.orderId);
    const before = await ports.disputes.find(disputeId);
    if (!order || !before) throw new Error("There is no such dispute.");
    const change = async (changes: Partial<PaymentDispute>) => {
      const dispute = { ...before, ...changes };
      const failure = { code: "disputed", message: "The payment was disputed." } as const;
      const now = (await ports.orders.find(shop.orderId)) ?? order;
      await applyOutcome(ports, now, { status: "returned", ...failure, disputes: [dispute] });
      const { amount, reason, respondBy } = (await ports.disputes.find(disputeId)) ?? before;
      return { amount, reason, respondBy };
    };
    const respondBy = new Date("2027-01-01T00:00:00Z");
    const larger = { amount: 2_000_000n, reason: "product_not_received", respondBy };
    expect(await change(larger)).toEqual(larger);
    expect(await shop.standing()).toEqual({ status: "minted", balance: 6n, owed: 3_000_000n });
    const smaller = { ...larger, amount: 500_000n, respondBy: null };
    expect(await change(smaller)).toEqual(smaller);
    expect(await shop.standing()).toEqual({ status: "minted", balance: 9n, owed: 4_500_000n });
    await change({ ...smaller, status: "lost" });
    expect(await change({ ...larger, status: "lost" })).toEqual(smaller);
    expect(await change(larger)).toEqual(smaller);
  });

  test("a dispute of a part makes a debt of that part's used credits alone", async () => {
    const shop = await sold();
    const { accessToken } = await mintToken(shop);
    for (let call = 0; call < 9; call++) await settleCard(at.service, shop, accessToken);
    await shop.dispute(100);
    expect(await at.balanceOf(shop)).toMatchObject({ balance: 0n, debt: 1n });
    expect(await at.owedTo(shop)).toBe(4_000_000n);
  });

  test("a refund takes what is left beside a dispute, and one that fails is the bank's only as far as it is disputed", async () => {
    const shop = await sold({
      credits: getDynamicCreditsConfig(10n, 1n, 10n),
      testCard: "pm_card_pendingRefund",
    });
    const refund = await shop.money.createRefund({ orderId: shop.orderId, amount: 4_500_000n });
    await shop.dispute(100);
    expect(await shop.standing()).toEqual({ status: "refunded", balance: 0n, owed: 0n });
    at.fixture.processor.controls.finishRefund(refund.reference ?? "", "failed");
    await shop.refresh();
    expect(await shop.standing()).toEqual({ status: "minted", balance: 8n, owed: 4_000_000n });
  });

  test("a dispute of a part of a time plan's price takes that part of the time", async () => {
    const shop = await sold({
      credits: getExpirableDurationConfig(BigInt(30 * DAY)),
      isTimePlan: true,
    });
    const end = async () => Date.parse((await at.balanceOf(shop)).expiresAt ?? "") / 1000;
    const whole = await end();
    const disputeId = await shop.dispute(100);
    expect(whole - (await end())).toBe(6 * DAY);
    expect(await at.balanceOf(shop)).toMatchObject({ isSubscriber: true });
    expect(await at.owedTo(shop)).toBe(4_000_000n);
    await shop.win(disputeId);
    expect(await end()).toBe(whole);
  });

  test("evidence that was written and never reached the bank can be edited", async () => {
    const { money, dispute } = await sold();
    const disputeId = await dispute(100);
    const { faults } = at.fixture.processor;
    faults.add({ kind: "error-before", path: "/v1/disputes", times: 20 });
    const draft = { disputeId, summary: "A first draft." };
    await expect(money.submitEvidence(draft)).rejects.toMatchObject({ code: "outcome_unknown" });
    faults.clear();
    const sent = await money.submitEvidence({ disputeId, summary: "The better text." });
    expect(sent).toMatchObject({ status: "under_review", submittedAt: expect.any(String) });
    expect(sent.evidence[0]?.text).toBe("The better text.");
    expect(await at.fixture.stripe.disputes.retrieve(disputeId)).toMatchObject({
      evidence: { uncategorized_text: "The better text." },
      evidence_details: { submission_count: 1 },
    });
  });

  test("of two texts that are sent at once, the one that the bank has is shown", async () => {
    const { money, dispute } = await sold();
    const disputeId = await dispute(100);
    const { disputes } = at.service.ports;
    const { keepEvidence } = disputes;
    let second: Promise<unknown> | undefined;
    // The second replaces the first's text before the first is sent, and is sent after it.
    disputes.keepEvidence = async (...written) => {
      const kept = await keepEvidence(...written);
      await new Promise<void>((resolve) => {
        disputes.keepEvidence = async (...other) => {
          const text = await keepEvidence(...other);
          resolve();
          await first;
          return text;
        };
        second = money.submitEvidence({ disputeId, summary: "The second." });
      });
      disputes.keepEvidence = keepEvidence;
      return kept;
    };
    const first = money.submitEvidence({ disputeId, summary: "The first." });
    await first;
    await expect(second).rejects.toMatchObject({ code: "conflict" });
    expect(await at.fixture.stripe.disputes.retrieve(disputeId)).toMatchObject({
      evidence: { uncategorized_text: "The first." },
    });
    expect((await money.getDispute(disputeId)).evidence[0]?.text).toBe("The first.");
  });
});

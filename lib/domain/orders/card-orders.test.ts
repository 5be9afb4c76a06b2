import {
  getDynamicCreditsConfig,
  getExpirableDurationConfig,
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
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService } from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { auditNote } from "../context.ts";
import { applyOutcome } from "./apply-outcome.ts";
import type { ChargeOutcome } from "./order-ports.ts";
import { orderPlan } from "./orders.ts";
import { newOrder, payOrder } from "./pay-order.ts";
import { CONFIRM_WITHIN_SECS, refreshOrder, resolveOrders } from "./resolve-orders.ts";

describe.each(ruleStores())("card orders after the charge on $name", ({ open }) => {
  const errors: string[] = [];
  const at = useCardService(open, {
    log: { info: () => {}, warn: () => {}, error: (_fields, message) => errors.push(message) },
  });

  const refresh = (orderId: string) => refreshOrder(at.service.ports, orderId);
  const { balanceOf, owedTo } = at;
  const ordered = async (shop: CardShop) => {
    const { orderId, txHash } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
    return { orderId, payment: txHash ?? "" };
  };
  const givenBack = (payment: string) =>
    at.fixture.stripe.refunds.create({ payment_intent: payment });
  /** Advances the clock and resolves due orders. */
  const later = async (seconds: number) => {
    await at.service.ports.clock.advance(seconds);
    await resolveOrders(at.service.ports);
  };

  test("a refund takes back unused credits, once, and what the receiver earned", async () => {
    const shop = await openCardShop(at.service);
    const { orderId, payment } = await ordered(shop);
    expect(await owedTo(shop)).toBe(5_000_000n);
    await givenBack(payment);
    for (let time = 0; time < 3; time++) await refresh(orderId);
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n, isSubscriber: false });
    expect(await balanceOf(shop)).not.toHaveProperty("debt");
    expect(await owedTo(shop)).toBe(0n);
    expect(await shop.subscriber.payments.plans.getOrder(orderId)).toMatchObject({
      success: false,
      status: "refunded",
      code: "refunded",
    });
    // Giving money back is no suspicion: nothing was revoked.
    const { accessToken } = await mintToken(shop);
    expect(await settleCard(at.service, shop, accessToken)).toMatchObject({ success: true });
  });

  test("T43: a chargeback makes used credits a debt, revokes, and the next order repays first", async () => {
    const shop = await openCardShop(at.service, {
      credits: getDynamicCreditsConfig(10n, 1n, 10n),
    });
    const { accessToken, delegationId } = await mintToken(shop);
    const { builder, subscriber, planId } = shop;
    const agentRequestId = "chargeback-held-request-1";
    await builder.payments.facilitator.verifyPermissions({
      paymentRequired: requirementOf(shop),
      x402AccessToken: accessToken,
      maxAmount: "3",
      reserve: true,
      agentRequestId,
    });
    for (let time = 0; time < 4; time++) await settleCard(at.service, shop, accessToken);
    const [payment] = at.fixture.processor.controls.payments().slice(-1);
    const orderId = payment?.metadata.order_id ?? "";
    const dispute = at.fixture.processor.controls.openDispute(payment?.id ?? "");
    for (let time = 0; time < 3; time++) await refresh(orderId);
    // Of ten, four were used and three are on hold: seven are owed, three were taken back.
    expect(await balanceOf(shop)).toMatchObject({ balance: 3n, held: 3n, debt: 7n });
    expect(await subscriber.payments.delegation.getDelegation(delegationId)).toMatchObject({
      status: "Revoked",
    });
    expect(await settleCard(at.service, shop, accessToken)).toMatchObject({
      success: false,
      errorReason: "invalid_token",
    });
    // What comes back from the hold repays at once.
    await builder.payments.facilitator.releasePermissions({ agentRequestId });
    await at.service.ports.ledger.sweep();
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n, debt: 4n });
    await subscriber.payments.plans.orderPlan(planId);
    expect(await balanceOf(shop)).toMatchObject({ balance: 6n });
    // The bank decides for the seller: the credits are there again, and what was revoked stays so.
    at.fixture.processor.controls.endDispute(dispute, "won");
    await refresh(orderId);
    expect(await balanceOf(shop)).toMatchObject({ balance: 16n });
    expect(await owedTo(shop)).toBe(10_000_000n);
    expect(await subscriber.payments.delegation.getDelegation(delegationId)).toMatchObject({
      status: "Revoked",
    });
  });

  test("a request orders nothing when the debt would take what the order grants", async () => {
    const shop = await openCardShop(at.service, { credits: getFixedCreditsConfig(4n, 1n) });
    const first = await mintToken(shop);
    for (let time = 0; time < 4; time++) await settleCard(at.service, shop, first.accessToken);
    const [payment] = at.fixture.processor.controls.payments().slice(-1);
    at.fixture.processor.controls.openDispute(payment?.id ?? "");
    await refresh(payment?.metadata.order_id ?? "");
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n, debt: 4n });
    const { accessToken } = await mintToken(shop);
    const payments = at.fixture.processor.controls.payments().length;
    expect(await settleCard(at.service, shop, accessToken)).toMatchObject({
      success: false,
      cause: "credits_owed",
    });
    expect(at.fixture.processor.controls.payments()).toHaveLength(payments);
    await shop.subscriber.payments.plans.orderPlan(shop.planId);
    expect(await settleCard(at.service, shop, accessToken)).toMatchObject({ success: true });
  });

  test("of two orders one is charged back: the other's credits pay for what was used", async () => {
    const shop = await openCardShop(at.service, { credits: getFixedCreditsConfig(4n, 1n) });
    const first = await ordered(shop);
    const second = await ordered(shop);
    const { accessToken } = await mintToken(shop);
    for (let time = 0; time < 6; time++) await settleCard(at.service, shop, accessToken);
    await givenBack(first.payment);
    await refresh(first.orderId);
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n, debt: 2n });
    await givenBack(second.payment);
    await refresh(second.orderId);
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n, debt: 6n });
  });

  test("a time plan's refund takes its time back, and access only when no order is left", async () => {
    const terms = { isTimePlan: true, credits: getExpirableDurationConfig(86_400n) };
    const shop = await openCardShop(at.service, terms);
    const first = await ordered(shop);
    const end = (await balanceOf(shop)).expiresAt;
    const second = await ordered(shop);
    await givenBack(second.payment);
    await refresh(second.orderId);
    expect(await balanceOf(shop)).toMatchObject({ isSubscriber: true, expiresAt: end });
    await givenBack(first.payment);
    await refresh(first.orderId);
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n, isSubscriber: false });
  });

  test("T45: a balance that cannot hold another order's credits refuses it before the charge", async () => {
    const shop = await openCardShop(at.service, {
      credits: getFixedCreditsConfig(MAX_UINT256, 1n),
    });
    await ordered(shop);
    const charges = at.fixture.processor.controls.payments().length;
    await expect(ordered(shop)).rejects.toMatchObject({
      code: "payment_refused",
      message: expect.stringContaining("cannot hold another order's credits. Nothing was charged."),
      details: [{ path: "order", message: "balance_full" }],
    });
    expect(at.fixture.processor.controls.payments()).toHaveLength(charges);
    expect(await balanceOf(shop)).toMatchObject({ balance: MAX_UINT256 });
  });

  test("T45: a paid order whose credits the balance cannot hold is seen, ended and refunded", async () => {
    const shop = await openCardShop(at.service, {
      credits: getFixedCreditsConfig(MAX_UINT256, 1n),
    });
    const { plans } = shop.subscriber.payments;
    at.fixture.processor.faults.add({ kind: "lose-reply", path: "/v1/payment_intents", times: 9 });
    const unknown = await plans.orderPlan(shop.planId);
    at.fixture.processor.faults.clear();
    expect(unknown).toMatchObject({ status: "charging" });
    // Two orders reserved at the same moment do not see each other.
    const setStatus = (status: string) =>
      at.database.query("update orders set status = $1 where order_id = $2", [
        status,
        unknown.orderId,
      ]);
    await setStatus("declined");
    await ordered(shop);
    await setStatus("charging");
    expect((await brokenRules(at.database)).join()).toContain("inv_orders_unmintable");
    await later(60);
    expect(await at.service.ports.orders.find(unknown.orderId)).toMatchObject({
      status: "declined",
      failureCode: "balance_full",
      refundState: "done",
    });
    expect(await balanceOf(shop)).toMatchObject({ balance: MAX_UINT256 });
  });

  test("T45: time beyond the year 9999 is not sold, and what is paid for it goes back", async () => {
    const shop = await openCardShop(at.service, {
      isTimePlan: true,
      credits: getExpirableDurationConfig(1_000n * 31_557_600n),
    });
    const { orderId } = await ordered(shop);
    const fillUp = (until: string) =>
      at.database.query("update balances set expires_at = $2 where plan_id = $1", [
        shop.planId,
        until,
      ]);
    at.fixture.processor.faults.add({ kind: "lose-reply", path: "/v1/payment_intents", times: 9 });
    const waiting = await shop.subscriber.payments.plans.orderPlan(shop.planId);
    at.fixture.processor.faults.clear();
    expect(waiting).toMatchObject({ status: "charging" });
    // With the order under way there is no room for another one.
    await fillUp("8500-01-01T00:00:00Z");
    const charges = at.fixture.processor.controls.payments().length;
    await expect(ordered(shop)).rejects.toMatchObject({
      code: "payment_refused",
      details: [{ path: "order", message: "balance_full" }],
    });
    expect(at.fixture.processor.controls.payments()).toHaveLength(charges);
    await fillUp("9500-01-01T00:00:00Z");
    await later(60);
    expect(await at.service.ports.orders.find(waiting.orderId)).toMatchObject({
      status: "declined",
      failureCode: "balance_full",
      refundState: "done",
    });
    expect(await balanceOf(shop)).toMatchObject({ expiresAt: "9500-01-01T00:00:00.000Z" });
    expect((await shop.subscriber.payments.plans.getOrder(orderId)).status).toBe("minted");
  });

  test("money that comes after an order was declined goes back, and buys nothing", async () => {
    const shop = await openCardShop(at.service);
    at.fixture.processor.controls.declineCard(shop.card, "InsufficientFunds");
    const { plans } = shop.subscriber.payments;
    await expect(plans.orderPlan(shop.planId)).rejects.toMatchObject({
      code: "payment_refused",
      hint: "Add funds to it, or use another card.",
    });
    const [payment] = at.fixture.processor.controls.payments().slice(-1);
    at.fixture.processor.controls.declineCard(shop.card, null);
    await at.fixture.stripe.paymentIntents.confirm(payment?.id ?? "", {
      payment_method: shop.card,
    });
    const orderId = payment?.metadata.order_id ?? "";
    // The answer to the refund is lost; the poller asks again, for the same one.
    at.fixture.processor.faults.add({ kind: "lose-reply", path: "/v1/refunds", times: 2 });
    await refresh(orderId);
    expect(await at.service.ports.orders.find(orderId)).toMatchObject({ refundState: "owed" });
    await later(60);
    expect(await at.service.ports.orders.find(orderId)).toMatchObject({
      status: "declined",
      refundState: "done",
      refundReference: expect.stringMatching(/^re_/),
    });
    const refunds = await at.fixture.stripe.refunds.list({ payment_intent: payment?.id ?? "" });
    expect(refunds.data).toHaveLength(1);
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n });
  });

  test("a refund that was refused needs a person until the money went back by hand", async () => {
    const shop = await openCardShop(at.service);
    const { controls } = at.fixture.processor;
    controls.declineCard(shop.card, "InsufficientFunds");
    await expect(ordered(shop)).rejects.toMatchObject({ code: "payment_refused" });
    const [payment] = controls.payments().slice(-1);
    controls.declineCard(shop.card, null);
    await at.fixture.stripe.paymentIntents.confirm(payment?.id ?? "", {
      payment_method: shop.card,
    });
    const orderId = payment?.metadata.order_id ?? "";
    const { rail, cards } = at.fixture;
    const refuses: typeof rail.refund = async () => ({
      status: "refused",
      code: "insufficient_funds",
      message: "The platform's balance is too low.",
    });
    const poor = createTestService(at.database, { rails: [{ ...rail, refund: refuses }], cards });
    await refreshOrder(poor.ports, orderId);
    const stateOf = async () => (await at.service.ports.orders.find(orderId))?.refundState;
    expect(await stateOf()).toBe("refused");
    const stuck = await at.service.ports.orders.countStuck();
    await givenBack(payment?.id ?? "");
    await refreshOrder(poor.ports, orderId);
    expect(await stateOf()).toBe("done");
    expect(await at.service.ports.orders.countStuck()).toBe(stuck - 1);
  });

  test.each(["confirm", "refuse"] as const)(
    "an order that waits for its holder tells how, its account alone, and the holder may %s",
    async (answer) => {
      const shop = await openCardShop(at.service, { testCard: "pm_card_authenticationRequired" });
      const { paymentMethods, plans } = shop.subscriber.payments;
      const adding = await paymentMethods.addPaymentMethod({
        testCard: "pm_card_authenticationRequired",
      });
      expect(adding.status).toBe("requires_action");
      await confirmAs(adding.confirmationUrl, "confirm");
      const saved = await paymentMethods.finishPaymentMethod(adding.setupIntentId);
      expect(saved).toMatchObject({ status: "succeeded" });
      const receipt = await plans.orderPlan(shop.planId, {
        providerPaymentMethodId: saved.paymentMethodId,
      });
      const waiting = {
        success: false,
        status: "requires_action",
        code: "authentication_required",
        nextStep: "Confirm it, or use another card.",
        confirmBy: expect.any(String),
        confirmation: {
          clientSecret: expect.stringMatching(/^pi_.*_secret_/),
          publishableKey: at.fixture.processor.publishableKey,
          paymentMethodId: saved.paymentMethodId,
          confirmationUrl: expect.stringContaining("/holder/pi_"),
        },
      };
      expect(receipt).toMatchObject(waiting);
      expect(await plans.getOrder(receipt.orderId)).toMatchObject(waiting);
      const stranger = await at.service.call(shop.builder, "GET", `/orders/${receipt.orderId}`);
      expect([stranger.status, await stranger.text()]).toEqual([
        404,
        expect.not.stringContaining("secret"),
      ]);
      await confirmAs(receipt.confirmation?.confirmationUrl, answer);
      const after = await plans.getOrder(receipt.orderId);
      expect(after).not.toHaveProperty("confirmation");
      expect(after.status).toBe(answer === "confirm" ? "minted" : "declined");
      expect(await balanceOf(shop)).toMatchObject({ balance: answer === "confirm" ? 100n : 0n });
    },
  );

  test("an unconfirmed order is declined at its deadline, and can't be paid later", async () => {
    const shop = await openCardShop(at.service, {
      testCard: "pm_card_authenticationRequiredOnSetup",
    });
    const { paymentMethods, plans } = shop.subscriber.payments;
    const adding = await paymentMethods.addPaymentMethod({
      testCard: "pm_card_authenticationRequired",
    });
    await confirmAs(adding.confirmationUrl, "confirm");
    const card = await paymentMethods.finishPaymentMethod(adding.setupIntentId);
    const { orderId, confirmation } = await plans.orderPlan(shop.planId, {
      providerPaymentMethodId: card.paymentMethodId,
    });
    await later(1800);
    expect((await plans.getOrder(orderId)).status).toBe("requires_action");
    await later(1801);
    expect(await plans.getOrder(orderId)).toMatchObject({
      status: "declined",
      code: "not_paid_in_time",
      nextStep: "Order again.",
    });
    await confirmAs(confirmation?.confirmationUrl, "confirm");
    await refresh(orderId);
    expect(await balanceOf(shop)).toMatchObject({ balance: 0n });
  });

  longTest(
    "an order that is not charged in time is declined; one that can't be checked is reported as stuck",
    async () => {
      const shop = await openCardShop(at.service);
      const lost = { kind: "lose-request", path: "/v1/payment_intents", times: 2 } as const;
      at.fixture.processor.faults.add(lost);
      const { orderId } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
      await later(901);
      expect(await shop.subscriber.payments.plans.getOrder(orderId)).toMatchObject({
        status: "declined",
        code: "not_paid_in_time",
      });
      expect(await at.service.ports.orders.countStuck()).toBe(0);

      at.fixture.processor.faults.add(lost);
      const { orderId: stuck } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
      at.fixture.processor.faults.add({ kind: "error-before", method: "GET", times: 1000 });
      await later(1801);
      await later(600);
      expect(await at.service.ports.orders.countStuck()).toBe(1);
      expect(errors.filter((text) => text.includes("stuck"))).toHaveLength(1);
      expect(await at.service.ports.orders.find(stuck)).toMatchObject({ status: "charging" });
      at.fixture.processor.faults.clear();
      await later(600);
      expect(await at.service.ports.orders.countStuck()).toBe(0);
      expect(await at.service.ports.orders.find(stuck)).toMatchObject({ status: "declined" });
    },
  );

  test("a delegation that was created for an order ends with it when the holder never confirms", async () => {
    const shop = await openCardShop(at.service);
    const { cards, processor } = at.fixture;
    const { address } = shop.subscriber;
    const { setupIntentId } = await cards.saveCard(address, "pm_card_authenticationRequired");
    processor.controls.authenticate(setupIntentId);
    const { paymentMethodId } = await cards.finishCard(address, setupIntentId);
    const { delegation, plans } = shop.subscriber.payments;
    const create = () =>
      delegation.createDelegation({
        provider: "card-processor",
        providerPaymentMethodId: paymentMethodId ?? "",
        planIds: [shop.planId],
        spendingLimitCents: 1_000n,
        durationSecs: 2_592_000,
      });
    const statusOf = async ({ delegationId }: { delegationId: string }) =>
      (await delegation.getDelegation(delegationId)).status;
    const [own, earlier] = [await create(), await create()];
    const first = await plans.orderPlan(shop.planId, {
      delegationId: own.delegationId,
      endsDelegation: true,
    });
    const second = await plans.orderPlan(shop.planId, { delegationId: earlier.delegationId });
    expect(first).toMatchObject({ status: "requires_action" });
    expect(await statusOf(own)).toBe("Active");
    await later(CONFIRM_WITHIN_SECS + 1);
    for (const { orderId } of [first, second]) {
      expect(await at.service.ports.orders.find(orderId)).toMatchObject({ status: "declined" });
    }
    expect(await statusOf(own)).toBe("Revoked");
    expect(await statusOf(earlier)).toBe("Active");
  });

  test("an order that was declined meanwhile is not charged by a repeat that read it before", async () => {
    const shop = await openCardShop(at.service);
    const { ports } = at.service;
    const { context, address: account } = shop.subscriber;
    const plan = await ports.plans.find(shop.planId);
    if (!plan) throw new Error("There is no such plan.");
    const read = newOrder(ports, plan, {
      account,
      fingerprint: "repeat",
      delegation: null,
      now: await ports.clock.now(),
      idempotencyKey: null,
      paymentMethodId: null,
      jti: null,
    });
    await ports.orders.reserve(read, auditNote(context, "order", plan.planId));
    // The process stopped before it charged; the order is given up, and then the caller's repeat goes on.
    await later(901);
    const charges = at.fixture.processor.controls.payments().length;
    expect(await payOrder(ports, read, plan, null)).toMatchObject({
      order: { status: "declined", failureCode: "not_paid_in_time" },
    });
    expect(at.fixture.processor.controls.payments()).toHaveLength(charges);
  });

  test("a delegation that is revoked while its order is open is not charged any more", async () => {
    const shop = await openCardShop(at.service);
    const { delegationId } = await mintToken(shop);
    at.fixture.processor.faults.add({
      kind: "lose-request",
      path: "/v1/payment_intents",
      times: 2,
    });
    const { orderId } = await shop.subscriber.payments.plans.orderPlan(shop.planId, {
      delegationId,
    });
    await shop.subscriber.payments.delegation.revokeDelegation(delegationId);
    await later(60);
    expect(await shop.subscriber.payments.plans.getOrder(orderId)).toMatchObject({
      status: "declined",
      code: "delegation_revoked",
    });
  });

  test("a builder with an account at the processor is paid with the charge", async () => {
    const shop = await openCardShop(at.service);
    const { stripe, processor } = at.fixture;
    const asked = { card_payments: { requested: true }, transfers: { requested: true } };
    const { id } = await stripe.accounts.create({ type: "express", capabilities: asked });
    processor.controls.onboard(id);
    const connectedAccounts = new Map([[shop.builder.address.toLowerCase(), id]]);
    const { rail, cards } = at.fixture.replica({ connectedAccounts });
    const connected = createTestService(at.database, { rails: [rail], cards });
    await ordered(shop);
    expect(await owedTo(shop)).toBe(5_000_000n);
    const { context } = shop.subscriber;
    await orderPlan({ ...context, ports: connected.ports }, { planId: shop.planId });
    const [payment] = at.fixture.processor.controls.payments().slice(-1);
    expect(payment?.transfer_data).toEqual({ destination: id });
    // Owed is what the first order brought; the second has reached the builder.
    expect(await owedTo(shop)).toBe(5_000_000n);
  });

  test("every outcome at every stage, any number of times, keeps the books", async () => {
    const outcomes: (ChargeOutcome | null)[] = [
      null,
      { status: "paid", reference: "pi_table" },
      { status: "returned", code: "refunded", message: "Back." },
      { status: "returned", code: "disputed", message: "Back." },
      { status: "refused", code: "lost_card", message: "No." },
      { status: "refused", code: "authentication_required", message: "?", requiresAction: true },
    ];
    const ends = new Set<string>();
    const shop = await openCardShop(at.service);
    const plan = await at.service.ports.plans.find(shop.planId);
    if (!plan) throw new Error("There is no such plan.");
    for (const first of outcomes) {
      for (const second of outcomes) {
        const { address: account, context } = await at.service.party();
        const order = newOrder(at.service.ports, plan, {
          account,
          fingerprint: "table",
          delegation: null,
          now: await at.service.ports.clock.now(),
          idempotencyKey: null,
          paymentMethodId: null,
          jti: null,
        });
        const { orderId } = order;
        await at.service.ports.orders.reserve(order, auditNote(context, "order", plan.planId));
        for (const outcome of [first, first, second, second]) {
          const current = await at.service.ports.orders.find(orderId);
          if (current) await applyOutcome(at.service.ports, current, outcome);
        }
        const { status } = (await at.service.ports.orders.find(orderId)) ?? {};
        const { balance } = await shop.builder.payments.plans.getPlanBalance(shop.planId, account);
        expect([orderId, balance]).toEqual([orderId, status === "minted" ? 100n : 0n]);
        ends.add(`${nameOf(first)} > ${nameOf(second)}: ${status}`);
      }
    }
    expect([...ends].filter((end) => end.startsWith("paid"))).toEqual([
      "paid > nothing: minted",
      "paid > paid: minted",
      "paid > refunded: refunded",
      "paid > disputed: refunded",
      "paid > lost_card: minted",
      "paid > authentication_required: minted",
    ]);
    await at.service.ports.clock.advance(1000);
    while ((await resolveOrders(at.service.ports, 100)) > 0);
  });
});

const nameOf = (outcome: ChargeOutcome | null) =>
  outcome === null ? "nothing" : "code" in outcome ? outcome.code : outcome.status;

/** Answers the stand-in bank's page, as the card's holder. */
async function confirmAs(url: string | undefined, answer: "confirm" | "refuse"): Promise<void> {
  const { origin, pathname, searchParams } = new URL(url ?? "");
  const page = await fetch(url ?? "");
  expect(page.status).toBe(200);
  const done = await fetch(`${origin}${pathname}`, {
    method: "POST",
    body: new URLSearchParams({ client_secret: searchParams.get("client_secret") ?? "", answer }),
  });
  expect(done.status).toBe(200);
}

import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { mintToken, openCardShop, settleCard } from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";

describe.each(ruleStores())("saved cards and card purchases on $name", ({ open }) => {
  const at = useCardService(open);

  test("a page saves a card with the client secret, and the first card is the default", async () => {
    const { payments } = await at.service.party();
    const { paymentMethods, delegation } = payments;
    const setup = await paymentMethods.addPaymentMethod();
    expect(setup).toMatchObject({
      status: "requires_payment_method",
      clientSecret: expect.stringMatching(/^seti_.*_secret_/),
      publishableKey: at.fixture.processor.publishableKey,
    });
    expect(await paymentMethods.finishPaymentMethod(setup.setupIntentId)).not.toHaveProperty(
      "paymentMethodId",
    );
    const confirm = `${at.fixture.processor.apiBase}/v1/setup_intents/${setup.setupIntentId}/confirm`;
    await fetch(confirm, {
      method: "POST",
      body: new URLSearchParams({
        key: setup.publishableKey,
        client_secret: setup.clientSecret,
        "payment_method_data[type]": "card",
        "payment_method_data[card][number]": "4242424242424242",
      }),
    });
    const done = await paymentMethods.finishPaymentMethod(setup.setupIntentId);
    expect(done).toMatchObject({ status: "succeeded", paymentMethodId: expect.any(String) });
    expect(await delegation.listPaymentMethods()).toMatchObject([
      { id: done.paymentMethodId, brand: "visa", last4: "4242", isDefault: true, isExpired: false },
    ]);
    const stranger = await at.service.party();
    await expect(
      stranger.payments.paymentMethods.finishPaymentMethod(setup.setupIntentId),
    ).rejects.toMatchObject({ code: "not_found" });
  });

  test("a test card that is declined when it is saved says why; names of other things are refused", async () => {
    const { paymentMethods } = (await at.service.party()).payments;
    await expect(
      paymentMethods.addPaymentMethod({ testCard: "pm_card_chargeDeclinedExpiredCard" }),
    ).rejects.toMatchObject({
      code: "payment_refused",
      message: expect.stringContaining("expired"),
    });
    await expect(
      paymentMethods.addPaymentMethod({ testCard: "pm_1Somebody" }),
    ).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("another card becomes the default; an expired default is passed over", async () => {
    const shop = await openCardShop(at.service);
    const { paymentMethods, delegation } = shop.subscriber.payments;
    const second = await paymentMethods.addPaymentMethod({ testCard: "pm_card_mastercard" });
    const secondId = second.paymentMethodId ?? "";
    await paymentMethods.setDefaultPaymentMethod(secondId);
    expect(await delegation.listPaymentMethods()).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ id: secondId, isDefault: true }),
        expect.objectContaining({ id: shop.card, isDefault: false }),
      ]),
    );
    at.fixture.processor.controls.expireCard(secondId);
    const made = await delegation.createDelegation({
      provider: "card-processor",
      spendingLimitCents: 1000n,
      durationSecs: 3600,
    });
    expect(await delegation.getDelegation(made.delegationId)).toMatchObject({
      providerPaymentMethodId: shop.card,
    });
    expect(await shop.subscriber.payments.plans.orderPlan(shop.planId)).toMatchObject({
      status: "minted",
    });
    const stranger = (await at.service.party()).payments.paymentMethods;
    await expect(stranger.setDefaultPaymentMethod(secondId)).rejects.toMatchObject({
      code: "not_found",
    });
    expect(
      await at.database.query<{ subject: string }>(
        "select subject from audit where account = $1 and action = 'payment-method.default'",
        [shop.subscriber.address],
      ),
    ).toEqual([{ subject: "mastercard 4444" }]);
  });

  test("a card's removal tells what ends first, then ends it, at once", async () => {
    const shop = await openCardShop(at.service);
    const { subscriber, card, planId } = shop;
    const { paymentMethods, delegation } = subscriber.payments;
    const { accessToken, tokenId, delegationId } = await mintToken(shop);
    const effects = {
      delegations: [
        { delegationId, currency: "usd", remainingBudgetCents: "5000", planIds: [planId] },
      ],
      tokens: [{ tokenId, planId, delegationId }],
    };
    expect(await paymentMethods.removePaymentMethod(card, { dryRun: true })).toEqual({
      removed: false,
      ...effects,
    });
    expect(await settleCard(at.service, shop, accessToken)).toMatchObject({ success: true });
    const stranger = (await at.service.party()).payments.paymentMethods;
    await expect(stranger.removePaymentMethod(card)).rejects.toMatchObject({ code: "not_found" });
    const removal = await paymentMethods.removePaymentMethod(card);
    expect(removal).toMatchObject({ removed: true, tokens: effects.tokens });
    expect(removal.delegations).toMatchObject([{ delegationId, remainingBudgetCents: "4500" }]);
    expect(await delegation.listPaymentMethods()).toEqual([]);
    expect(await delegation.getDelegation(delegationId)).toMatchObject({ status: "Revoked" });
    expect(await settleCard(at.service, shop, accessToken)).toMatchObject({
      success: false,
      errorReason: "invalid_token",
    });
    await expect(paymentMethods.removePaymentMethod(card)).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("a card plan is bought by the vendor's call: a link charges nothing, a named card at once", async () => {
    const shop = await openCardShop(at.service);
    const { subscriber, planId, card } = shop;
    const answer = await at.service.call(subscriber, "POST", "/fiat/stripe/payment", {
      sessionType: "embedded",
      planId,
    });
    const { result } = await answer.json();
    expect(result).toEqual({
      stripeCheckoutSessionId: expect.stringMatching(/^cs_/),
      checkoutLink: expect.stringContaining(`/checkout/${planId}?session=cs_`),
      clientReferenceId: subscriber.address,
      paymentStatus: "unpaid",
      linkCreatedAt: expect.any(String),
      linkExpiresAt: expect.any(String),
    });
    const { plans } = subscriber.payments;
    expect(await plans.getPlanBalance(planId)).toMatchObject({ balance: 0n });
    // The checkout pays with the session as its key: the link knows it then.
    await plans.orderPlan(planId, { idempotencyKey: result.stripeCheckoutSessionId });
    const again = await plans.orderFiatPlan(planId, {
      idempotencyKey: result.stripeCheckoutSessionId,
    });
    expect(again.result.paymentStatus).toBe("paid");
    const bought = await plans.orderFiatPlan(planId, { providerPaymentMethodId: card });
    expect(bought).toMatchObject({
      result: { paymentStatus: "paid" },
      order: { success: true, status: "minted" },
    });
    expect(await plans.getPlanBalance(planId)).toMatchObject({ balance: 200n });
    const free = await shop.builder.payments.plans.registerCreditsPlan(
      { name: "Free" },
      getFreePriceConfig(),
      getFixedCreditsConfig(1n),
    );
    await expect(plans.orderFiatPlan(free.planId)).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("one request's top-up is one order: a refused card is not tried again for it", async () => {
    const shop = await openCardShop(at.service);
    const { accessToken } = await mintToken(shop);
    at.fixture.processor.controls.declineCard(shop.card, "StolenCard");
    const before = at.fixture.processor.controls.payments().length;
    for (let time = 0; time < 3; time++) {
      expect(await settleCard(at.service, shop, accessToken, "one-request-0001")).toMatchObject({
        success: false,
        errorReason: "insufficient_balance",
      });
    }
    expect(at.fixture.processor.controls.payments().length).toBe(before + 1);
    at.fixture.processor.controls.declineCard(shop.card, null);
    expect(await settleCard(at.service, shop, accessToken, "one-request-0002")).toMatchObject({
      success: true,
    });
    const [order] = await at.database.query<{ key: string }>(
      "select idempotency_key as key from orders where account = $1 and status = 'minted'",
      [shop.subscriber.address],
    );
    expect(order?.key).toBe(`top-up/${shop.builder.address}/one-request-0002/1`);
  });
});

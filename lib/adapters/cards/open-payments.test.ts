import { afterAll, beforeAll, expect, test } from "vitest";
import type { OpenPayments } from "./open-payments.ts";
import {
  type CardFixture,
  orderFor,
  planFor,
  randomAccount,
  repeatOf,
  startCardFixture,
} from "./testing/card-fixture.ts";

let fixture: CardFixture;
let open: OpenPayments;

beforeAll(async () => {
  fixture = await startCardFixture();
  open = fixture.openPayments;
});
afterAll(() => fixture.close());

/** An order whose card's bank wants the holder to confirm. */
async function waitingOrder() {
  const account = randomAccount();
  const { setupIntentId } = await fixture.cards.saveCard(account, "pm_card_authenticationRequired");
  fixture.processor.controls.authenticate(setupIntentId);
  const { paymentMethodId } = await fixture.cards.finishCard(account, setupIntentId);
  const order = orderFor(account);
  expect(await fixture.rail.charge(order, planFor(order), null)).toMatchObject({
    requiresAction: true,
  });
  return { order, card: paymentMethodId };
}

test("the holder's page confirms the payment with its secret, and the order is paid once", async () => {
  const { order, card } = await waitingOrder();
  const confirmation = await open.confirmationOf(order);
  expect(confirmation).toMatchObject({ paymentMethodId: card });
  const { clientSecret = "" } = confirmation ?? {};
  const [paymentId = ""] = clientSecret.split("_secret_");
  const { apiBase, publishableKey, controls } = fixture.processor;
  const answer = await fetch(`${apiBase}/v1/payment_intents/${paymentId}/confirm`, {
    method: "POST",
    body: new URLSearchParams({
      key: publishableKey,
      client_secret: clientSecret,
      payment_method: card ?? "",
    }),
  });
  expect((await answer.json()).status).toBe("requires_action");
  controls.authenticate(paymentId);
  expect(await fixture.rail.charge(repeatOf(order), planFor(order), null)).toEqual({
    status: "paid",
    reference: paymentId,
  });
  expect(await open.confirmationOf(order)).toBeNull();
  // Too late to give it up: it went through.
  expect(await open.abandon(order)).toEqual({ status: "paid", reference: paymentId });
});

test("a canceled payment can never go through", async () => {
  const { order, card } = await waitingOrder();
  const [paymentId = ""] = ((await open.confirmationOf(order))?.clientSecret ?? "").split(
    "_secret_",
  );
  expect(await open.abandon(order)).toMatchObject({ status: "refused", code: "canceled" });
  expect(await open.abandon(order)).toMatchObject({ status: "refused", code: "canceled" });
  await expect(
    fixture.stripe.paymentIntents.confirm(paymentId, { payment_method: card ?? "" }),
  ).rejects.toMatchObject({ code: "payment_intent_unexpected_state" });
  expect(await fixture.rail.charge(repeatOf(order), planFor(order), null)).toMatchObject({
    code: "canceled",
  });
});

test("an order without a payment has nothing to confirm or to give up", async () => {
  const order = orderFor(randomAccount());
  expect(await open.confirmationOf(order)).toBeNull();
  expect(await open.abandon(order)).toBeNull();
});

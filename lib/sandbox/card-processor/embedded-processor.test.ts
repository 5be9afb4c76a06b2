import { Stripe } from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CardFixture, startCardFixture } from "@/lib/adapters/cards/testing/card-fixture.ts";
import {
  type ControlledProcessor,
  startControlledProcessor,
} from "./testing/controlled-processor.ts";

let fixture: CardFixture;
let stripe: Stripe;
let processor: ControlledProcessor;

beforeAll(async () => {
  fixture = await startCardFixture();
  ({ stripe, processor } = fixture);
});
afterAll(() => fixture.close());

const newCustomer = async (metadata: Record<string, string> = {}) =>
  (await stripe.customers.create({ metadata })).id;

async function customerWith(token: string) {
  const customer = await newCustomer();
  const card = await stripe.paymentMethods.attach(token, { customer });
  return { customer, card: card.id };
}

const pay = (
  { customer, card }: { customer: string; card: string },
  terms: Partial<Stripe.PaymentIntentCreateParams> = {},
  options: Stripe.RequestOptions = {},
) =>
  stripe.paymentIntents.create(
    {
      amount: 500,
      currency: "usd",
      customer,
      payment_method: card,
      off_session: true,
      confirm: true,
      ...terms,
    },
    options,
  );

const failureOf = async (
  work: Promise<unknown>,
): Promise<InstanceType<typeof Stripe.errors.StripeError>> => {
  const cause = await work.then(
    () => new Error("It should have failed."),
    (error: unknown) => error,
  );
  expect(cause).toBeInstanceOf(Stripe.errors.StripeError);
  return cause as InstanceType<typeof Stripe.errors.StripeError>;
};

describe("customers and cards", () => {
  test("a customer is found by its metadata", async () => {
    const id = await newCustomer({ account: "0xabc", note: "it's [odd]" });
    expect((await stripe.customers.retrieve(id)) as Stripe.Customer).toMatchObject({
      metadata: { account: "0xabc", note: "it's [odd]" },
    });
    const { data } = await stripe.customers.search({ query: `metadata["account"]:"0xabc"` });
    expect(data.map((each) => each.id)).toEqual([id]);
  });

  test.each([
    [{ enabled: true }, "always"],
    [{ enabled: true, allow_redirects: "never" }, "never"],
    [{ enabled: false }, "always"],
  ] as const)("automatic_payment_methods %j are taken and answered", async (given, redirects) => {
    const expected = { enabled: given.enabled, allow_redirects: redirects };
    const options = { automatic_payment_methods: given };
    const payment = await stripe.paymentIntents.create({
      amount: 500,
      currency: "usd",
      ...options,
    });
    expect(payment.automatic_payment_methods).toEqual(expected);
    const setup = await stripe.setupIntents.create(options);
    expect(setup.automatic_payment_methods).toEqual(expected);
    const wrong = { enabled: true, allow_redirects: "sometimes" as "never" };
    const failure = await failureOf(
      stripe.paymentIntents.create({
        amount: 500,
        currency: "usd",
        automatic_payment_methods: wrong,
      }),
    );
    expect(failure.param).toBe("automatic_payment_methods[allow_redirects]");
  });

  test("a confirmed setup intent saves a card, which can be listed, made default and detached", async () => {
    const customer = await newCustomer();
    const intent = await stripe.setupIntents.create({
      customer,
      payment_method: "pm_card_mastercard",
      confirm: true,
    });
    expect(intent.status).toBe("succeeded");
    const card = intent.payment_method as string;
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } });
    const { data } = await stripe.paymentMethods.list({ customer, type: "card" });
    expect(data.map((each) => [each.id, each.card?.brand, each.card?.last4])).toEqual([
      [card, "mastercard", "4444"],
    ]);
    await stripe.paymentMethods.detach(card);
    const left = await stripe.paymentMethods.list({ customer, type: "card" });
    expect(left.data).toEqual([]);
    expect(await stripe.customers.retrieve(customer)).toMatchObject({
      invoice_settings: { default_payment_method: null },
    });
    const failure = await failureOf(pay({ customer, card }));
    expect([failure.statusCode, failure.code]).toEqual([400, "payment_method_unactivated"]);
  });

  test("a page confirms a setup with the publishable key, the client secret and a card number", async () => {
    const customer = await newCustomer();
    const intent = await stripe.setupIntents.create({ customer });
    const ask = (fields: Record<string, string>) =>
      fetch(`${processor.apiBase}/v1/setup_intents/${intent.id}/confirm`, {
        method: "POST",
        body: new URLSearchParams({
          key: processor.publishableKey,
          "payment_method_data[type]": "card",
          "payment_method_data[card][number]": "4242 4242 4242 4242",
          "payment_method_data[card][exp_month]": "11",
          "payment_method_data[card][exp_year]": "31",
          "payment_method_data[card][cvc]": "123",
          ...fields,
        }),
      });
    expect((await ask({})).status).toBe(404);
    expect((await ask({ client_secret: "guess" })).status).toBe(404);
    const answer = await ask({ client_secret: intent.client_secret ?? "" });
    expect([answer.status, (await answer.json()).status]).toEqual([200, "succeeded"]);
    const [card] = (await stripe.paymentMethods.list({ customer })).data;
    expect(card?.card).toMatchObject({ last4: "4242", exp_month: 11, exp_year: 2031 });
  });

  test("declined cards cannot be saved, and the setup says why", async () => {
    const customer = await newCustomer();
    const failure = await failureOf(
      stripe.setupIntents.create({
        customer,
        payment_method: "pm_card_chargeDeclinedIncorrectCvc",
        confirm: true,
      }),
    );
    expect([failure.type, failure.statusCode, failure.code]).toEqual([
      "StripeCardError",
      402,
      "incorrect_cvc",
    ]);
    expect(failure.setup_intent).toMatchObject({ status: "requires_payment_method" });
    expect((await stripe.paymentMethods.list({ customer })).data).toEqual([]);
  });

  test("a card confirmed when saved later pays without confirmation", async () => {
    const customer = await newCustomer();
    const intent = await stripe.setupIntents.create({
      customer,
      payment_method: "pm_card_authenticationRequiredOnSetup",
      confirm: true,
    });
    expect([intent.status, intent.next_action?.type]).toEqual([
      "requires_action",
      "use_stripe_sdk",
    ]);
    processor.controls.authenticate(intent.id);
    const done = await stripe.setupIntents.retrieve(intent.id);
    expect(done.status).toBe("succeeded");
    const paid = await pay({ customer, card: done.payment_method as string });
    expect(paid.status).toBe("succeeded");
  });

  test("a refused confirmation saves no card", async () => {
    const customer = await newCustomer();
    const { id } = await stripe.setupIntents.create({
      customer,
      payment_method: "pm_card_authenticationRequired",
      confirm: true,
    });
    processor.controls.authenticate(id, false);
    expect(await stripe.setupIntents.retrieve(id)).toMatchObject({
      status: "requires_payment_method",
      last_setup_error: { code: "setup_intent_authentication_failure" },
    });
  });
});

describe("payments", () => {
  test("a payment succeeds with its charge, and can be expanded", async () => {
    const owner = await customerWith("pm_card_visa");
    const paid = await pay(owner, { metadata: { order_id: "o1" }, expand: ["latest_charge"] });
    expect(paid).toMatchObject({
      status: "succeeded",
      amount_received: 500,
      customer: owner.customer,
    });
    expect(paid.latest_charge).toMatchObject({ paid: true, metadata: { order_id: "o1" } });
    expect((await stripe.paymentIntents.retrieve(paid.id)).latest_charge).toMatch(/^ch_/);
    const unknown = await failureOf(
      stripe.paymentIntents.retrieve(paid.id, { expand: ["nothing.here"] }),
    );
    expect(unknown.message).toContain("cannot be expanded");
  });

  test.each([
    ["pm_card_chargeCustomerFail", "card_declined", "generic_decline"],
    ["pm_card_chargeCustomerFailInsufficientFunds", "card_declined", "insufficient_funds"],
    ["pm_card_chargeCustomerFailLostCard", "card_declined", "lost_card"],
    ["pm_card_chargeCustomerFailStolenCard", "card_declined", "stolen_card"],
    ["pm_card_radarBlock", "card_declined", "fraudulent"],
    ["pm_card_chargeCustomerFailVelocityLimitExceeded", "card_declined", "card_velocity_exceeded"],
    ["pm_card_chargeCustomerFailExpiredCard", "expired_card", ""],
    ["pm_card_chargeCustomerFailIncorrectCvc", "incorrect_cvc", ""],
    ["pm_card_chargeCustomerFailProcessingError", "processing_error", ""],
    ["pm_card_authenticationRequired", "authentication_required", "authentication_required"],
    ["pm_card_threeDSecure2Required", "authentication_required", "authentication_required"],
  ])("%s declines with %s, and the payment remembers it", async (token, code, declineCode) => {
    const owner = await customerWith(token);
    const failure = await failureOf(pay(owner));
    expect(failure).toBeInstanceOf(Stripe.errors.StripeCardError);
    expect([failure.statusCode, failure.code, failure.decline_code]).toEqual([
      402,
      code,
      declineCode,
    ]);
    const { id } = failure.payment_intent as Stripe.PaymentIntent;
    expect(await stripe.paymentIntents.retrieve(id)).toMatchObject({
      status: "requires_payment_method",
      amount_received: 0,
      last_payment_error: { code },
    });
  });

  test.each([
    ["pm_card_chargeDeclined", "card_declined"],
    ["pm_card_visa_chargeDeclinedInsufficientFunds", "card_declined"],
    ["pm_card_chargeDeclinedExpiredCard", "expired_card"],
    ["pm_card_chargeDeclinedProcessingError", "processing_error"],
  ])("%s is declined when charged directly", async (token, code) => {
    const customer = await newCustomer();
    expect((await failureOf(pay({ customer, card: token }))).code).toBe(code);
  });

  test("an on-session payment waits for its confirmation", async () => {
    const owner = await customerWith("pm_card_authenticationRequired");
    const intent = await stripe.paymentIntents.create({
      amount: 700,
      currency: "eur",
      customer: owner.customer,
      payment_method: owner.card,
      confirm: true,
    });
    expect(intent.status).toBe("requires_action");
    processor.controls.authenticate(intent.id);
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe("succeeded");
  });

  test("another customer's card is rejected", async () => {
    const owner = await customerWith("pm_card_visa");
    const failure = await failureOf(pay({ customer: await newCustomer(), card: owner.card }));
    expect([failure.statusCode, failure.param]).toEqual([400, "payment_method"]);
  });

  test("partial refunds never exceed the payment", async () => {
    const paid = await pay(await customerWith("pm_card_visa"));
    const part = await stripe.refunds.create({ payment_intent: paid.id, amount: 200 });
    expect(part).toMatchObject({ amount: 200, status: "succeeded", currency: "usd" });
    expect(
      (await failureOf(stripe.refunds.create({ payment_intent: paid.id, amount: 301 }))).param,
    ).toBe("amount");
    await stripe.refunds.create({ payment_intent: paid.id });
    const failure = await failureOf(stripe.refunds.create({ payment_intent: paid.id }));
    expect(failure.code).toBe("charge_already_refunded");
    expect(
      (await stripe.refunds.list({ payment_intent: paid.id })).data.map(({ amount }) => amount),
    ).toEqual([300, 200]);
  });

  test("a dispute reverses the payment and is listed", async () => {
    const paid = await pay(await customerWith("pm_card_createDispute"));
    const { data } = await stripe.disputes.list({ payment_intent: paid.id });
    expect(data[0]).toMatchObject({ reason: "fraudulent", status: "needs_response", amount: 500 });
    const failure = await failureOf(stripe.refunds.create({ payment_intent: paid.id }));
    expect(failure.code).toBe("charge_disputed");
    processor.controls.endDispute(data[0]?.id ?? "", "won");
    expect((await stripe.disputes.retrieve(data[0]?.id ?? "")).status).toBe("won");
  });

  test("the balance lacks what the bank took back, and no more", async () => {
    const usd = async () =>
      (await stripe.balance.retrieve()).available.find(({ currency }) => currency === "usd")
        ?.amount ?? 0;
    const before = await usd();
    const paid = await pay(await customerWith("pm_card_visa"));
    expect(await usd()).toBe(before + 500);
    const id = processor.controls.openDispute(paid.id, "fraudulent", 200);
    expect(await usd()).toBe(before + 300);
    processor.controls.endDispute(id, "won");
    expect(await usd()).toBe(before + 500);
  });

  test("lists page through all rows, newest first", async () => {
    const owner = await customerWith("pm_card_visa");
    const ids: string[] = [];
    for (let index = 0; index < 7; index++) ids.unshift((await pay(owner)).id);
    const paged: string[] = [];
    const pages = stripe.paymentIntents.list({ customer: owner.customer, limit: 3 });
    for await (const { id } of pages) paged.push(id);
    expect(paged).toEqual(ids);
    const before = await stripe.paymentIntents.list({
      customer: owner.customer,
      ending_before: ids[3] as string,
      limit: 2,
    });
    expect([before.data.map(({ id }) => id), before.has_more]).toEqual([[ids[1], ids[2]], true]);
  });

  test("a search finds customers by their metadata, page by page", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 4; index++) ids.unshift(await newCustomer({ account: "0xfound" }));
    const found: string[] = [];
    const query = 'metadata["account"]:"0xfound"';
    for await (const { id } of stripe.customers.search({ query, limit: 3 })) found.push(id);
    expect(found).toEqual(ids);
  });
});

describe("idempotency", () => {
  test("the same key and parameters get the same answer, declines included", async () => {
    const owner = await customerWith("pm_card_visa");
    const first = await pay(owner, {}, { idempotencyKey: "same" });
    const second = await pay(owner, {}, { idempotencyKey: "same" });
    expect(second).toEqual(first);
    expect(second.lastResponse.headers["idempotent-replayed"]).toBe("true");
    const broke = await customerWith("pm_card_chargeCustomerFail");
    const ids = new Set<string | undefined>();
    for (let index = 0; index < 2; index++) {
      const { payment_intent } = await failureOf(pay(broke, {}, { idempotencyKey: "declined" }));
      ids.add(payment_intent?.id);
    }
    expect([...ids]).toEqual([expect.stringMatching(/^pi_/)]);
  });

  test("the same key with other parameters is an idempotency error", async () => {
    const owner = await customerWith("pm_card_visa");
    await pay(owner, {}, { idempotencyKey: "taken" });
    const failure = await failureOf(pay(owner, { amount: 501 }, { idempotencyKey: "taken" }));
    expect([failure.type, failure.statusCode]).toEqual(["StripeIdempotencyError", 400]);
  });

  test("a key in use is a conflict, and invalid parameters do not use a key", async () => {
    const owner = await customerWith("pm_card_visa");
    processor.faults.add({ kind: "delay", ms: 300, path: "/v1/payment_intents" });
    const slow = pay(owner, {}, { idempotencyKey: "busy" });
    await expect.poll(() => processor.faults.hits().delay, { interval: 5 }).toBe(1);
    const failure = await failureOf(pay(owner, {}, { idempotencyKey: "busy" }));
    expect([failure.statusCode, failure.code]).toEqual([409, "idempotency_key_in_use"]);
    expect((await slow).status).toBe("succeeded");
    await failureOf(pay(owner, { amount: 1 }, { idempotencyKey: "fixed" }));
    expect((await pay(owner, {}, { idempotencyKey: "fixed" })).status).toBe("succeeded");
  });

  test("a key expires after a day", async () => {
    const owner = await customerWith("pm_card_visa");
    const first = await pay(owner, {}, { idempotencyKey: "old" });
    processor.controls.advance(86_401);
    expect((await pay(owner, {}, { idempotencyKey: "old" })).id).not.toBe(first.id);
    processor.controls.advance(-86_401);
  });
});

describe("errors in Stripe's format", () => {
  test("a wrong key is 401 and is not echoed", async () => {
    const wrong = `sk_test_${"x".repeat(40)}`;
    const failure = await failureOf(
      fixture.replica({ secretKey: wrong }).stripe.balance.retrieve(),
    );
    expect([failure.type, failure.statusCode]).toEqual(["StripeAuthenticationError", 401]);
    expect(failure.message).not.toContain(wrong);
  });

  test("unknown routes, unknown objects and bad parameters", async () => {
    const route = await failureOf(stripe.products.list());
    expect([route.statusCode, route.type]).toEqual([404, "StripeInvalidRequestError"]);
    const object = await failureOf(stripe.paymentIntents.retrieve("pi_nothing"));
    expect([object.statusCode, object.code]).toEqual([404, "resource_missing"]);
    const owner = await customerWith("pm_card_visa");
    expect((await failureOf(pay(owner, { amount: 10 }))).code).toBe("amount_too_small");
    expect((await failureOf(pay(owner, { amount: 1.5 }))).code).toBe("parameter_invalid_integer");
    expect((await failureOf(pay(owner, { capture_method: "manual" }))).code).toBe(
      "parameter_unknown",
    );
    const missing = await failureOf(stripe.refunds.create({}));
    expect(missing.statusCode).toBe(400);
  });

  test("the publishable key may call only what a page needs", async () => {
    const answer = await fetch(`${processor.apiBase}/v1/balance`, {
      headers: { authorization: `Bearer ${processor.publishableKey}` },
    });
    expect([answer.status, (await answer.json()).error.code]).toEqual([403, "secret_key_required"]);
  });
});

describe("faults on demand", () => {
  const path = "/v1/payment_intents";

  test.each([
    ["lose-reply", "StripeConnectionError", 1],
    ["error-after", "StripeAPIError", 1],
    ["lose-request", "StripeConnectionError", 0],
    ["error-before", "StripeAPIError", 0],
    ["rate-limit", "StripeRateLimitError", 0],
  ] as const)("%s is a %s that leaves %i payments", async (kind, type, count) => {
    const owner = await customerWith("pm_card_visa");
    // The SDK repeats once on its own when a connection is closed.
    const times = kind.startsWith("lose") ? 2 : 1;
    processor.faults.add({ kind, path, times });
    const failure = await failureOf(pay(owner, {}, { idempotencyKey: `fault-${kind}` }));
    expect(failure.type).toBe(type);
    const { data } = await stripe.paymentIntents.list({ customer: owner.customer });
    expect(data).toHaveLength(count);
  });
});

test("a kill loses nothing acknowledged, and a torn last line is dropped", async () => {
  const owner = await customerWith("pm_card_visa");
  const paid = await pay(owner, { metadata: { order_id: "kept" } }, { idempotencyKey: "kept" });
  const { cpSync, appendFileSync, mkdtempSync, rmSync } = await import("node:fs");
  const { tmpdir } = await import("node:os");
  const { join } = await import("node:path");
  // What a kill leaves behind: the files as they are now, the last line cut short.
  const copy = mkdtempSync(join(tmpdir(), "turnpike-cards-killed-"));
  cpSync(fixture.dataDir, copy, { recursive: true });
  appendFileSync(join(copy, "journal.jsonl"), '[{"object":"payment_intent","id":"pi_torn"');
  const again = await startControlledProcessor({ dataDir: copy });
  try {
    expect(again.secretKey).toBe(processor.secretKey);
    const other = fixture.replica({ apiBase: again.apiBase }).stripe;
    expect(await other.paymentIntents.retrieve(paid.id)).toMatchObject({
      metadata: { order_id: "kept" },
    });
    const replayed = await other.paymentIntents.create(
      {
        amount: 500,
        currency: "usd",
        customer: owner.customer,
        payment_method: owner.card,
        off_session: true,
        confirm: true,
        metadata: { order_id: "kept" },
      },
      { idempotencyKey: "kept" },
    );
    expect(replayed.id).toBe(paid.id);
  } finally {
    await again.stop();
    rmSync(copy, { recursive: true, force: true });
  }
});

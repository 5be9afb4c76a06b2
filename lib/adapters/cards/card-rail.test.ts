import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { fromMinorUnits, minorDigits } from "@/lib/console/minor-units.ts";
import type { ChargeOutcome } from "@/lib/domain/orders/order-ports.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";
import { DECLINES, type DeclineName } from "@/lib/sandbox/card-processor/test-cards.ts";
import type { CardRail } from "./card-rail.ts";
import { chargeAmountOf } from "./charge-amount.ts";
import {
  type CardFixture,
  delegationFor,
  orderFor,
  planFor,
  randomAccount,
  repeatOf,
  startCardFixture,
} from "./testing/card-fixture.ts";

const PAYMENTS = "/v1/payment_intents";
let fixture: CardFixture;

beforeAll(async () => {
  fixture = await startCardFixture();
});
afterEach(() => {
  fixture.processor.faults.clear();
  fixture.processor.controls.setSearchLag(0);
});
afterAll(() => fixture.close());

const charge = (order: OrderRecord, rail: CardRail = fixture.rail): Promise<ChargeOutcome> =>
  rail.charge(order, planFor(order), null);

const thrownBy = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (value) => `returned ${JSON.stringify(value)}`,
    (cause: unknown) => String(cause),
  );

async function accountWith(token: string) {
  const account = randomAccount();
  const { paymentMethodId } = await fixture.cards.saveCard(account, token);
  if (!paymentMethodId) throw new Error(`${token} was not saved.`);
  return { account, card: paymentMethodId };
}

/** What the processor's own books say was charged for an order. */
const paymentsOf = ({ orderId }: OrderRecord) =>
  fixture.processor.controls
    .payments()
    .filter(({ metadata }) => metadata.order_id === orderId)
    .map(({ id, amount, currency, status }) => ({ id, amount, currency, status }));

describe("a charge", () => {
  test("is one off-session payment of the order's price, named by the order", async () => {
    const { account, card } = await accountWith("pm_card_visa");
    const order = orderFor(account, { paymentMethodId: card });
    const outcome = await charge(order);
    const [payment] = paymentsOf(order);
    expect(outcome).toEqual({ status: "paid", reference: payment?.id });
    expect(payment).toMatchObject({ amount: 500, currency: "usd", status: "succeeded" });
    const { metadata } = await fixture.stripe.paymentIntents.retrieve(payment?.id ?? "");
    expect(metadata).toEqual({
      order_id: order.orderId,
      environment: "sandbox",
      account: order.account,
      plan_id: order.planId,
      plan_version: "1",
    });
  });

  test("takes the order's card, else the delegation's, else the account's default", async () => {
    const { account, card: first } = await accountWith("pm_card_visa");
    const { paymentMethodId: second } = await fixture.cards.saveCard(account, "pm_card_mastercard");
    const usedBy = async (order: OrderRecord, delegated: string | null) => {
      await fixture.rail.charge(
        order,
        planFor(order),
        delegated === null ? null : delegationFor(account, { paymentMethodId: delegated }),
      );
      const [payment] = paymentsOf(order);
      return (await fixture.stripe.paymentIntents.retrieve(payment?.id ?? "")).payment_method;
    };
    expect(await usedBy(orderFor(account, { paymentMethodId: second ?? null }), first)).toBe(
      second,
    );
    expect(await usedBy(orderFor(account), second ?? null)).toBe(second);
    expect(await usedBy(orderFor(account), null)).toBe(first);
  });

  test("never takes a card of another account, nor charges without one", async () => {
    const { card } = await accountWith("pm_card_visa");
    for (const order of [
      orderFor(randomAccount(), { paymentMethodId: card }),
      orderFor(randomAccount(), { paymentMethodId: "pm_card_visa" }),
      orderFor(randomAccount()),
    ]) {
      expect(await charge(order)).toMatchObject({ status: "refused", code: "card_not_found" });
      expect(paymentsOf(order)).toEqual([]);
    }
  });

  test("T44: is refused when plan and delegation differ in currency, or the delegation pays otherwise", async () => {
    const { account } = await accountWith("pm_card_visa");
    const order = orderFor(account, { currency: "eur" });
    const by = (terms: Parameters<typeof delegationFor>[1]) =>
      fixture.rail.charge(order, planFor(order), delegationFor(account, terms));
    expect(await by({ currency: "usd" })).toMatchObject({ code: "currency_mismatch" });
    expect(await by({ provider: "erc4337" })).toMatchObject({ code: "wrong_provider" });
    expect(paymentsOf(order)).toEqual([]);
    expect(await by({ currency: "eur" })).toMatchObject({ status: "paid" });
  });
});

describe("a refusal", () => {
  const own: Record<DeclineName, string> = {
    "": "generic_decline",
    InsufficientFunds: "insufficient_funds",
    LostCard: "lost_card",
    StolenCard: "stolen_card",
    Fraudulent: "fraudulent",
    VelocityLimitExceeded: "card_velocity_exceeded",
    ExpiredCard: "expired_card",
    IncorrectCvc: "incorrect_cvc",
    ProcessingError: "processing_error",
  };

  test.each(Object.keys(DECLINES) as DeclineName[])(
    "of the bank has its own code, says what happened and what to do: %s",
    async (name) => {
      const { account, card } = await accountWith("pm_card_visa");
      fixture.processor.controls.declineCard(card, name);
      const order = orderFor(account, { paymentMethodId: card });
      const outcome = await charge(order);
      expect(outcome).toMatchObject({ status: "refused", code: own[name] });
      // Two sentences: what happened, and the next step.
      expect((outcome as { message: string }).message).toMatch(/^The .+\. [A-Z].+\.$/);
      expect(outcome).not.toHaveProperty("requiresAction");
      // Asked again, the bank's answer stands, and no second payment is made.
      expect(await charge(repeatOf(order))).toEqual(outcome);
      expect(paymentsOf(order)).toHaveLength(1);
    },
  );

  test("does not tell whether a card is lost, stolen or suspected", async () => {
    const { account, card } = await accountWith("pm_card_visa");
    const messages = new Set<string>();
    for (const name of ["LostCard", "StolenCard", "Fraudulent"] as const) {
      fixture.processor.controls.declineCard(card, name);
      messages.add(((await charge(orderFor(account))) as { message: string }).message);
    }
    expect([...messages]).toEqual(["The card was declined. Use another card."]);
  });

  test.each(["pm_card_authenticationRequired", "pm_card_threeDSecure2Required"])(
    "of %s asks for the holder's confirmation, and is paid once it was given",
    async (token) => {
      const account = randomAccount();
      const setup = await fixture.cards.saveCard(account, token);
      fixture.processor.controls.authenticate(setup.setupIntentId);
      const { paymentMethodId: card } = await fixture.cards.finishCard(
        account,
        setup.setupIntentId,
      );
      const order = orderFor(account, { paymentMethodId: card });
      expect(await charge(order)).toMatchObject({
        status: "refused",
        code: "authentication_required",
        requiresAction: true,
        message: expect.stringContaining("Confirm it"),
      });
      const [payment] = paymentsOf(order);
      await fixture.stripe.paymentIntents.confirm(payment?.id ?? "", {
        payment_method: card ?? "",
      });
      expect(await fixture.rail.lookUp(order)).toMatchObject({ code: "authentication_required" });
      fixture.processor.controls.authenticate(payment?.id ?? "");
      expect(await charge(repeatOf(order))).toEqual({ status: "paid", reference: payment?.id });
      expect(paymentsOf(order)).toHaveLength(1);
    },
  );

  test("of a card past its last month is expired_card", async () => {
    const { account, card } = await accountWith("pm_card_visa");
    fixture.processor.controls.expireCard(card);
    expect(await charge(orderFor(account))).toMatchObject({ code: "expired_card" });
  });

  test("is certain when the processor cannot be reached or does not let us in at the first attempt", async () => {
    const { account } = await accountWith("pm_card_visa");
    const order = orderFor(account);
    const strangers = [
      fixture.replica({ apiBase: "http://127.0.0.1:9" }).rail,
      fixture.replica({ secretKey: `sk_test_${"0".repeat(40)}` }).rail,
    ];
    for (const rail of strangers) {
      expect(await charge(order, rail)).toMatchObject({ code: "processor_unavailable" });
      expect(await thrownBy(charge(repeatOf(order), rail))).toContain("PaymentOutcomeUnknown");
      await expect(rail.isHealthy()).rejects.toThrow(/connection|Invalid API Key/);
    }
    expect(await fixture.rail.isHealthy()).toBe(true);
    expect(paymentsOf(order)).toEqual([]);
  });
});

describe("an unknown outcome is thrown, and the repeat is one payment", () => {
  test.each([
    // The SDK retries once when a connection is closed: two lost replies lose both.
    ["a lost reply", { kind: "lose-reply", path: PAYMENTS, times: 2 }],
    ["a lost request", { kind: "lose-request", path: PAYMENTS, times: 2 }],
    ["500 before the effect", { kind: "error-before", path: PAYMENTS }],
    ["500 after the effect", { kind: "error-after", path: PAYMENTS }],
    ["an answer too late", { kind: "delay", path: PAYMENTS, ms: 1_500 }],
    ["too many requests", { kind: "rate-limit", path: PAYMENTS }],
  ] as const)("%s", async (_, fault) => {
    const { account } = await accountWith("pm_card_visa");
    const order = orderFor(account);
    fixture.processor.faults.add(fault);
    // Only what is late has a short limit: a busy machine is slow with the rest, too.
    const { rail } = fault.kind === "delay" ? fixture.replica({ timeoutMs: 1_000 }) : fixture;
    expect(await thrownBy(charge(order, rail))).toContain("PaymentOutcomeUnknown");
    if (fault.kind === "delay") await expect.poll(() => paymentsOf(order)).toHaveLength(1);
    // Another replica takes the order up, with nothing remembered.
    const outcome = await charge(repeatOf(order), fixture.replica().rail);
    expect(outcome).toEqual({ status: "paid", reference: paymentsOf(order)[0]?.id });
    expect(paymentsOf(order)).toHaveLength(1);
  });

  test("also when the search does not know the payment and its customer yet", async () => {
    fixture.processor.controls.setSearchLag(60);
    const { account } = await accountWith("pm_card_visa");
    const order = orderFor(account);
    fixture.processor.faults.add({ kind: "error-after", path: PAYMENTS });
    expect(await thrownBy(charge(order))).toContain("PaymentOutcomeUnknown");
    expect(await charge(repeatOf(order), fixture.replica().rail)).toMatchObject({ status: "paid" });
    expect(paymentsOf(order)).toHaveLength(1);
  });

  test("also days later, when the processor has forgotten the key, and the card is gone", async () => {
    const { account, card } = await accountWith("pm_card_visa");
    const order = orderFor(account);
    fixture.processor.faults.add({ kind: "lose-reply", path: PAYMENTS, times: 2 });
    await thrownBy(charge(order));
    await fixture.cards.removeCard(account, card);
    fixture.processor.controls.advance(3 * 86_400);
    const later = () => new Date(Date.now() + 3 * 86_400_000);
    const { rail } = fixture.replica({ now: later });
    expect(await charge(repeatOf(order), rail)).toMatchObject({ status: "paid" });
    expect(paymentsOf(order)).toHaveLength(1);
    fixture.processor.controls.advance(-3 * 86_400);
  });

  test("also days later, where the processor has no search", async () => {
    const { account } = await accountWith("pm_card_visa");
    const order = orderFor(account);
    fixture.processor.faults.add({ kind: "lose-reply", path: PAYMENTS, times: 2 });
    await thrownBy(charge(order));
    const search = { method: "GET", path: `${PAYMENTS}/search`, times: 100 };
    fixture.processor.faults.add({ kind: "error-before", ...search });
    fixture.processor.controls.advance(3 * 86_400);
    const later = () => new Date(Date.now() + 3 * 86_400_000);
    const { rail } = fixture.replica({ now: later });
    const outcome = await charge(repeatOf(order), rail);
    fixture.processor.controls.advance(-3 * 86_400);
    expect(outcome).toMatchObject({ status: "paid" });
    expect(paymentsOf(order)).toHaveLength(1);
    expect(await rail.lookUp(orderFor(account))).toBeNull();
  });

  test("two workers at once make one payment; the second one gets an unknown outcome", async () => {
    const { account } = await accountWith("pm_card_visa");
    const order = orderFor(account);
    // The first request is under way until the second worker has its answer, however long that takes.
    const worker = () => fixture.replica({ timeoutMs: 20_000 }).rail;
    const delays = fixture.processor.faults.hits().delay ?? 0;
    let answer = () => {};
    const until = new Promise<void>((done) => {
      answer = done;
    });
    fixture.processor.faults.add({ kind: "delay", path: PAYMENTS, until });
    const slow = charge(order, worker());
    await expect
      .poll(() => fixture.processor.faults.hits().delay, { interval: 5 })
      .toBe(delays + 1);
    const other = await thrownBy(charge(repeatOf(order), worker()));
    answer();
    expect(other).toContain("idempotency_key_in_use");
    expect(await slow).toMatchObject({ status: "paid" });
    const many = await Promise.allSettled(
      Array.from({ length: 20 }, () => charge(repeatOf(order), worker())),
    );
    expect(new Set(many.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(paymentsOf(order)).toHaveLength(1);
  });

  test("a repeat whose default card changed meanwhile is not a second payment", async () => {
    const { account } = await accountWith("pm_card_visa");
    const order = orderFor(account);
    fixture.processor.faults.add({ kind: "error-after", path: PAYMENTS });
    await thrownBy(charge(order));
    const { paymentMethodId } = await fixture.cards.saveCard(account, "pm_card_mastercard");
    await fixture.cards.setDefaultCard(account, paymentMethodId ?? "");
    // The list does not answer: the key alone stands between the order and a second payment.
    expect(await thrownBy(charge({ ...order, attempt: 0 }))).toContain("StripeIdempotencyError");
    expect(await charge(repeatOf(order))).toMatchObject({ status: "paid" });
    expect(paymentsOf(order)).toHaveLength(1);
  });

  test("a payment of another environment is not this order's", async () => {
    const { account, card } = await accountWith("pm_card_visa");
    const order = orderFor(account);
    await fixture.stripe.paymentIntents.create({
      amount: 500,
      currency: "usd",
      customer: await fixture.customers.ensure(account),
      payment_method: card,
      off_session: true,
      confirm: true,
      metadata: { order_id: order.orderId, environment: "live" },
    });
    expect(await fixture.rail.lookUp(order)).toBeNull();
  });

  test("money that went back meanwhile buys nothing", async () => {
    const { account } = await accountWith("pm_card_visa");
    const [refunded, disputed] = [orderFor(account), orderFor(account)];
    fixture.processor.faults.add({ kind: "error-after", path: PAYMENTS, times: 2 });
    await thrownBy(charge(refunded));
    await thrownBy(charge(disputed));
    await fixture.refunds.refund(refunded);
    fixture.processor.controls.openDispute(paymentsOf(disputed)[0]?.id ?? "");
    expect(await charge(repeatOf(refunded))).toMatchObject({
      status: "returned",
      code: "refunded",
    });
    expect(await charge(repeatOf(disputed))).toMatchObject({
      status: "returned",
      code: "disputed",
    });
  });
});

describe("currencies", () => {
  test.each([
    ["usd", 5_000_000n, 500],
    ["eur", 1_230_000n, 123],
    ["jpy", 500_000_000n, 500],
    ["krw", 1_000_000_000n, 1000],
    ["kwd", 5_120_000n, 5120],
    ["ugx", 2_000_000_000n, 200_000],
    ["isk", 500_000_000n, 50_000],
  ])("%s: %i millionths are charged as %i", async (currency, price, amount) => {
    const { account } = await accountWith("pm_card_visa");
    const order = orderFor(account, { currency, price });
    expect(await charge(order)).toMatchObject({ status: "paid" });
    expect(paymentsOf(order)).toMatchObject([{ amount, currency }]);
  });

  test.each([
    ["kwd", 5_125_000n, "amount_not_chargeable"],
    ["isk", 1_500_000n, "amount_not_chargeable"],
    ["usd", 1_000_000_000_000n, "amount_not_chargeable"],
    ["usd", 100_000n, "amount_not_chargeable"],
    ["jpy", 49_000_000n, "amount_not_chargeable"],
  ])("%s: %i millionths are refused", async (currency, price, code) => {
    const { account } = await accountWith("pm_card_visa");
    const order = orderFor(account, { currency, price });
    expect(await charge(order)).toMatchObject({ status: "refused", code });
    expect(paymentsOf(order)).toEqual([]);
  });

  test("T44: an amount is the price to the last minor unit, in every currency", () => {
    const currency = fc.constantFrom("usd", "eur", "jpy", "krw", "kwd", "bhd", "tnd", "gbp");
    fc.assert(
      fc.property(currency, fc.bigInt(500n, 9_999_999n), (code, units) => {
        const minor = minorDigits(code) === 3 ? units * 10n : units;
        const order = orderFor(randomAccount(), {
          currency: code,
          price: fromMinorUnits(minor, code),
        });
        expect(chargeAmountOf(order)).toEqual({ amount: Number(minor) });
      }),
    );
  });
});

describe("refunds", () => {
  test("give a payment back once, also when the answer was lost", async () => {
    const { account } = await accountWith("pm_card_visa");
    const order = orderFor(account);
    await charge(order);
    fixture.processor.faults.add({ kind: "lose-reply", path: "/v1/refunds", times: 2 });
    expect(await thrownBy(fixture.refunds.refund(order))).toContain("PaymentOutcomeUnknown");
    const first = await fixture.refunds.refund(order);
    expect(first).toMatchObject({ status: "refunded", reference: expect.stringMatching(/^re_/) });
    expect(await fixture.refunds.refund(order)).toEqual(first);
    const { data } = await fixture.stripe.refunds.list({
      payment_intent: paymentsOf(order)[0]?.id ?? "",
    });
    expect(data.map(({ amount }) => amount)).toEqual([500]);
  });

  test("find the payment by the order's reference, or by the order", async () => {
    const { account } = await accountWith("pm_card_visa");
    const order = orderFor(account);
    const paid = await charge(order);
    const reference = paid.status === "paid" ? paid.reference : null;
    expect(await fixture.refunds.refund({ ...order, reference })).toMatchObject({
      status: "refunded",
    });
    expect(await fixture.refunds.refund(orderFor(account))).toEqual({ status: "not-charged" });
  });

  test("of a disputed payment are refused, and one the bank sent back is tried again", async () => {
    const disputed = orderFor((await accountWith("pm_card_createDispute")).account);
    await charge(disputed);
    expect(await fixture.refunds.refund(disputed)).toMatchObject({
      status: "refused",
      code: "charge_disputed",
    });
    const order = orderFor((await accountWith("pm_card_pendingRefund")).account);
    await charge(order);
    const pending = await fixture.refunds.refund(order);
    expect(pending.status).toBe("pending");
    fixture.processor.controls.finishRefund(
      "reference" in pending ? pending.reference : "",
      "failed",
    );
    const again = await fixture.refunds.refund(order);
    expect(again).not.toEqual(pending);
    expect(again.status).toBe("pending");
  });

  test("that were refused are made once their cause is gone", async () => {
    const order = orderFor((await accountWith("pm_card_visa")).account);
    await charge(order);
    const dispute = fixture.processor.controls.openDispute(paymentsOf(order)[0]?.id ?? "");
    expect(await fixture.refunds.refund(order)).toMatchObject({ status: "refused" });
    fixture.processor.controls.endDispute(dispute, "won");
    expect(await fixture.refunds.refund(order)).toMatchObject({ status: "refunded" });
  });
});

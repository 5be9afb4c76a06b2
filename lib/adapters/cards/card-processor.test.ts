import { PaymentMethodSummary } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCardProcessor } from "./card-processor.ts";
import { createCustomerBook } from "./customer-book.ts";
import { createFindPayment } from "./find-payment.ts";
import {
  type CardFixture,
  keepCustomers,
  orderFor,
  randomAccount,
  startCardFixture,
} from "./testing/card-fixture.ts";

let fixture: CardFixture;

beforeAll(async () => {
  fixture = await startCardFixture();
});
afterAll(() => fixture.close());

test("an account without cards has an empty list", async () => {
  expect(await fixture.cards.listPaymentMethods(randomAccount())).toEqual([]);
});

test("a saved card is listed with the specification's fields, the first as the default", async () => {
  const account = randomAccount();
  const { paymentMethodId: visa } = await fixture.cards.saveCard(account, "pm_card_visa");
  const { paymentMethodId: amex } = await fixture.cards.saveCard(account, "pm_card_amex");
  const cards = await fixture.cards.listPaymentMethods(account);
  expect(cards.map((card) => PaymentMethodSummary.parse(card))).toEqual(cards);
  expect(cards).toEqual([
    {
      id: amex,
      type: "card",
      brand: "amex",
      last4: "0005",
      expMonth: 12,
      expYear: 2040,
      isDefault: false,
      isExpired: false,
    },
    expect.objectContaining({ id: visa, brand: "visa", last4: "4242", isDefault: true }),
  ]);
  await fixture.cards.setDefaultCard(account, amex ?? "");
  const [first] = await fixture.cards.listPaymentMethods(account);
  expect(first).toMatchObject({ id: amex, isDefault: true });
});

test("a card past its last month is marked", async () => {
  const account = randomAccount();
  const { paymentMethodId } = await fixture.cards.saveCard(account, "pm_card_visa");
  fixture.processor.controls.expireCard(paymentMethodId ?? "");
  expect(await fixture.cards.listPaymentMethods(account)).toMatchObject([{ isExpired: true }]);
});

test("a card is added by a page that knows the client secret, then finished by the service", async () => {
  const account = randomAccount();
  const { setupIntentId, clientSecret, status } = await fixture.cards.startCard(account);
  expect(status).toBe("requires_payment_method");
  const { apiBase, publishableKey } = fixture.processor;
  await fetch(`${apiBase}/v1/setup_intents/${setupIntentId}/confirm`, {
    method: "POST",
    body: new URLSearchParams({
      key: publishableKey,
      client_secret: clientSecret,
      payment_method: "pm_card_visa",
    }),
  });
  const done = await fixture.cards.finishCard(account, setupIntentId);
  expect(done.status).toBe("succeeded");
  expect(await fixture.cards.listPaymentMethods(account)).toMatchObject([
    { id: done.paymentMethodId, isDefault: true },
  ]);
});

test("a card the bank declines is not saved, and the error says why", async () => {
  const account = randomAccount();
  await expect(
    fixture.cards.saveCard(account, "pm_card_chargeDeclinedExpiredCard"),
  ).rejects.toMatchObject({
    code: "payment_refused",
    message: "The card has expired. Save a card that is still valid.",
    details: [{ path: "paymentMethod", message: "expired_card" }],
  });
  expect(await fixture.cards.listPaymentMethods(account)).toEqual([]);
});

test("a removed card is gone; another account's card and setup are not found", async () => {
  const [mine, theirs] = [randomAccount(), randomAccount()];
  const { paymentMethodId: card = "", setupIntentId } = await fixture.cards.saveCard(
    mine,
    "pm_card_visa",
  );
  const notFound = { code: "not_found" };
  await expect(fixture.cards.removeCard(theirs, card ?? "")).rejects.toMatchObject(notFound);
  await expect(fixture.cards.setDefaultCard(theirs, card ?? "")).rejects.toMatchObject(notFound);
  await expect(fixture.cards.finishCard(theirs, setupIntentId)).rejects.toMatchObject(notFound);
  await fixture.cards.removeCard(mine, card ?? "");
  expect(await fixture.cards.listPaymentMethods(mine)).toEqual([]);
  await expect(fixture.cards.removeCard(mine, card ?? "")).rejects.toMatchObject(notFound);
});

test("an account has one customer, however many replicas ask at once and whatever the search knows", async () => {
  const account = randomAccount();
  fixture.processor.controls.setSearchLag(3600);
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, index) => {
      const spelling = index % 2 === 0 ? account : account.toUpperCase().replace("0X", "0x");
      return fixture
        .replica()
        .customers.ensure(spelling)
        .catch(() => null);
    }),
  );
  // One may meet the other's request still under way; asked again it finds the same customer.
  const known = ids.filter((id) => id !== null);
  expect(known.length).toBeGreaterThan(0);
  known.push(await fixture.replica().customers.ensure(account));
  expect(new Set(known).size).toBe(1);
  fixture.processor.controls.setSearchLag(0);
});

test("an account has one customer where the processor has no search", async () => {
  const { controls } = fixture.processor;
  controls.setSearch(false);
  try {
    const account = randomAccount();
    const replica = fixture.replica({ customers: keepCustomers() });
    const found = await Promise.all([1, 2].map(() => replica.customers.ensure(account)));
    expect(new Set([...found, await replica.customers.refresh(account)]).size).toBe(1);
  } finally {
    controls.setSearch(true);
  }
});

test("an account keeps its customer while the search finds nothing, days later and on every replica", async () => {
  const { controls } = fixture.processor;
  const account = randomAccount();
  controls.setSearchLag(30 * 86_400);
  try {
    const { paymentMethodId } = await fixture.cards.saveCard(account, "pm_card_visa");
    // The processor's idempotency keys are forgotten after a day.
    controls.advance(2 * 86_400);
    const cards = await fixture.replica().cards.listPaymentMethods(account);
    expect(cards.map(({ id }) => id)).toEqual([paymentMethodId]);
  } finally {
    controls.setSearchLag(0);
  }
});

test("of customers made at once the first that is noted is everyone's", async () => {
  const account = randomAccount();
  const { stripe } = fixture;
  fixture.processor.controls.setSearchLag(3600);
  const customers = keepCustomers();
  // Each replica makes another one, as when the first request's idempotency key has been forgotten.
  const replicas = [1, 2, 3].map((n) => {
    const create = () => stripe.customers.create({ metadata: { n } });
    const own = { search: stripe.customers.search.bind(stripe.customers), create };
    return createCustomerBook({ customers: own } as unknown as Stripe, "sandbox", customers);
  });
  const ids = await Promise.all(replicas.map(({ ensure }) => ensure(account)));
  expect(new Set(ids).size).toBe(1);
  fixture.processor.controls.setSearchLag(0);
});

test("an account from before is found by the search, and one whose customer is gone gets another", async () => {
  const account = randomAccount();
  const before = await fixture.customers.ensure(account);
  const customers = keepCustomers();
  expect(await fixture.replica({ customers }).customers.ensure(account)).toBe(before);
  expect(await customers.find(account)).toBe(before);
  const other = randomAccount();
  await customers.keep(other, "cus_deleted", null);
  const made = await Promise.all(
    [1, 2].map(() =>
      fixture
        .replica({ customers })
        .customers.ensure(other)
        .catch(() => null),
    ),
  );
  const kept = await fixture.replica({ customers }).customers.ensure(other);
  expect(kept).not.toBe("cus_deleted");
  expect(new Set([...made, kept].filter((id) => id !== null)).size).toBe(1);
});

test("an account whose customer is deleted while the service runs gets another without a restart", async () => {
  const account = randomAccount();
  const customers = keepCustomers();
  const { deleting, remove } = deletingCustomers(fixture.stripe);
  const book = createCustomerBook(deleting, "sandbox", customers);
  const page = { publishableKey: "pk_test_1" };
  const cards = createCardProcessor({
    stripe: deleting,
    environment: "sandbox",
    customers: book,
    page,
  });
  await cards.saveCard(account, "pm_card_visa");
  const gone = remove(await customers.find(account));
  expect(await cards.listPaymentMethods(account)).toEqual([]);
  expect(await cards.chooseCard(account, null)).toBeNull();
  const { paymentMethodId } = await cards.saveCard(account, "pm_card_visa");
  expect(await cards.chooseCard(account, null)).toMatchObject({ paymentMethodId });
  expect(await customers.find(account)).not.toBe(gone);
});

test("a setup that another replica began for a replaced customer is finished", async () => {
  const { account, first, second } = await replaceCustomer();
  const { setupIntentId } = await second.startCard(account);
  expect(await first.finishCard(account, setupIntentId)).toMatchObject({ setupIntentId });
});

test("a payment that another replica made for a replaced customer is found", async () => {
  const { account, first, second } = await replaceCustomer();
  await second.saveCard(account, "pm_card_visa");
  const chosen = await second.chooseCard(account, null);
  const order = orderFor(account);
  const { id, created } = await fixture.stripe.paymentIntents.create({
    ...{ amount: 500, currency: "usd", confirm: true, off_session: true },
    customer: chosen?.customer ?? "",
    payment_method: chosen?.paymentMethodId ?? "",
    metadata: { order_id: order.orderId, environment: "sandbox" },
  });
  const createdAt = new Date(created * 1000);
  expect(await first.findPayment({ ...order, createdAt })).toMatchObject({ id });
  expect(await first.findPayment({ ...orderFor(account), createdAt })).toBeNull();
});

/** An account whose customer was deleted at the processor, and two replicas, of which the first remembers it. */
async function replaceCustomer() {
  const account = randomAccount();
  const kept = keepCustomers();
  const { deleting: stripe, remove } = deletingCustomers(fixture.stripe);
  const page = { publishableKey: "pk_test_1" };
  const openReplica = () => {
    const customers = createCustomerBook(stripe, "sandbox", kept);
    const parts = { stripe, environment: "sandbox" as const, customers, page };
    return { ...createCardProcessor(parts), findPayment: createFindPayment(parts) };
  };
  const [first, second] = [openReplica(), openReplica()];
  await first.saveCard(account, "pm_card_visa");
  remove(await kept.find(account));
  return { account, first, second };
}

/** The processor with customers that were deleted there: it has none of their cards. */
function deletingCustomers(stripe: Stripe) {
  const gone = new Set<string>();
  const changed = <Part extends object>(part: Part, name: string, value: unknown): Part =>
    Object.create(part, { [name]: { value } });
  const retrieve = async (id: string) =>
    gone.has(id) ? { id, deleted: true } : stripe.customers.retrieve(id);
  const list = (query: { customer: string }) =>
    stripe.paymentMethods.list({
      ...query,
      customer: gone.has(query.customer) ? "cus_deleted" : query.customer,
    });
  const deleting: Stripe = Object.create(stripe, {
    customers: { value: changed(stripe.customers, "retrieve", retrieve) },
    paymentMethods: { value: changed(stripe.paymentMethods, "list", list) },
  });
  const remove = (id: string | null) => {
    gone.add(id ?? "");
    return id;
  };
  return { deleting, remove };
}

test("while the processor is away the answer is unavailable, without its words", async () => {
  const { cards } = fixture.replica({ apiBase: "http://127.0.0.1:9" });
  await expect(cards.listPaymentMethods(randomAccount())).rejects.toMatchObject({
    code: "unavailable",
    message: "The card processor is not responding. Nothing was changed.",
  });
});

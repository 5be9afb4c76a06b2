import type { Stripe } from "stripe";
import { listAnswer, paging } from "./lists.ts";
import { flag, integer, object, readParams, required, text } from "./read-params.ts";
import { find, newId, type Scope, save } from "./scope.ts";
import { invalid, missing, StripeFailure } from "./stripe-failure.ts";
import { type Decline, findCardByNumber, TEST_CARDS, type TestCard } from "./test-cards.ts";

const cardShape = object({
  type: text,
  card: object({ number: text, exp_month: integer, exp_year: integer, cvc: text, token: text }),
  billing_details: object({ name: text, email: text }),
});
type CardInput = NonNullable<ReturnType<typeof cardShape>>;

/** What a confirmation sends: the card as an id or as typed, and what pages add. */
export const cardChoice = {
  payment_method: text,
  payment_method_data: cardShape,
  client_secret: text,
  return_url: text,
  use_stripe_sdk: flag,
};

/** The card that a confirmation names; null where it names none. */
export function readCard(
  scope: Scope,
  given: { payment_method?: string | undefined; payment_method_data?: CardInput | undefined },
): Stripe.PaymentMethod | null {
  if (given.payment_method_data) {
    return saveTyped(scope, given.payment_method_data, "payment_method_data[card][number]");
  }
  return given.payment_method ? findCard(scope, given.payment_method, "payment_method") : null;
}

export function createPaymentMethod(scope: Scope): Stripe.PaymentMethod {
  return saveTyped(scope, cardShape(scope.params, ""), "card[number]");
}

const getPaymentMethod = (scope: Scope): Stripe.PaymentMethod =>
  findCard(scope, scope.ids[0] ?? "", "payment_method");

export function listPaymentMethods(scope: Scope) {
  const { customer, type, ...page } = readParams(scope.params, {
    ...paging,
    customer: text,
    type: text,
  });
  const { id } = find(scope, "customer", required(customer, "customer"), "customer");
  return listAnswer(
    scope,
    "payment_method",
    "/v1/payment_methods",
    page,
    (row) => row.customer === id && (type === undefined || row.type === type),
  );
}

export function attachPaymentMethod(scope: Scope): Stripe.PaymentMethod {
  const { customer } = readParams(scope.params, { customer: text });
  const card = getPaymentMethod(scope);
  return attach(scope, card, required(customer, "customer"));
}

export function detachPaymentMethod(scope: Scope): Stripe.PaymentMethod {
  readParams(scope.params, {});
  const card = getPaymentMethod(scope);
  if (card.customer === null) {
    throw invalid(
      "The payment method you provided is not attached to a customer so detachment is impossible.",
    );
  }
  const customer = find(scope, "customer", card.customer as string);
  if (customer.invoice_settings.default_payment_method === card.id) {
    customer.invoice_settings.default_payment_method = null;
    scope.work.put(customer);
  }
  // As with Stripe, a detached card cannot be used again.
  const detached = { ...card, customer: null };
  scope.work.put(detached);
  const record = find(scope, "card_record", card.id);
  scope.work.put({ ...record, onCharge: DETACHED, onAttach: DETACHED });
  scope.emit("payment_method.detached", detached);
  return detached;
}

/** Attaches a card to a customer, unless the bank declines it. */
export function attach(
  scope: Scope,
  card: Stripe.PaymentMethod,
  customerId: string,
): Stripe.PaymentMethod {
  find(scope, "customer", customerId, "customer");
  if (card.customer === customerId) return card;
  if (card.customer !== null) {
    throw invalid("The payment method you provided has already been attached to a customer.");
  }
  const { onAttach } = find(scope, "card_record", card.id);
  if (onAttach) throw declineOf(onAttach, { payment_method: card });
  const attached = { ...card, customer: customerId };
  return save(scope, attached, "payment_method.attached");
}

/** A saved card, or a new one if the id is a test token. */
export function findCard(scope: Scope, id: string, param: string): Stripe.PaymentMethod {
  const test = TEST_CARDS.get(id);
  if (test) return saveCard(scope, test, { exp_month: 12, exp_year: 2040 });
  const card = scope.work.find("payment_method", id);
  if (card) return card;
  throw missing("PaymentMethod", id, param);
}

function saveTyped(scope: Scope, { type, card }: CardInput, param: string): Stripe.PaymentMethod {
  if (required(type, "type") !== "card") {
    throw invalid(`This account takes payment methods of type card, not ${type}.`, {
      param: "type",
    });
  }
  const { number, exp_month, exp_year, token } = required(card, "card");
  const test = token
    ? TEST_CARDS.get(token.replace(/^tok_/, "pm_card_"))
    : findCardByNumber(number ?? "");
  if (!test) {
    throw declineOf(
      { code: "incorrect_number", message: "Your card number is incorrect." },
      { param },
    );
  }
  const year = exp_year ?? 2040;
  const month = exp_month ?? 12;
  const end = new Date(Date.UTC(year < 100 ? 2000 + year : year, month)).getTime() / 1000;
  if (month < 1 || month > 12) {
    throw declineOf({
      code: "invalid_expiry_month",
      message: "Your card's expiration month is invalid.",
    });
  }
  if (end <= scope.now) {
    throw declineOf({
      code: "invalid_expiry_year",
      message: "Your card's expiration year is invalid.",
    });
  }
  return saveCard(scope, test, { exp_month: month, exp_year: year < 100 ? 2000 + year : year });
}

export const declineOf = (
  { code, decline_code, message }: Decline,
  more: ConstructorParameters<typeof StripeFailure>[3] = {},
): StripeFailure =>
  new StripeFailure(402, "card_error", message, {
    code,
    ...(decline_code && { decline_code }),
    ...more,
  });

function saveCard(
  scope: Scope,
  { number: _number, brand, last4, ...behaviour }: TestCard,
  ends: { exp_month: number; exp_year: number },
): Stripe.PaymentMethod {
  const id = newId("pm");
  const card: Stripe.PaymentMethod = {
    id,
    object: "payment_method",
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: "pass" },
      country: "US",
      display_brand: brand,
      ...ends,
      funding: "credit",
      generated_from: null,
      last4,
      networks: { available: [brand], preferred: null },
      regulated_status: "unregulated",
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: scope.now,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: "card",
  };
  scope.work.put(card);
  scope.work.put({ object: "card_record", ...behaviour, id: `${id}` });
  return card;
}

const DETACHED: Decline = {
  code: "payment_method_unactivated",
  message: "The payment method was detached from a customer. It may not be used again.",
};

import type { Stripe } from "stripe";
import { checkAmount } from "./amounts.ts";
import { confirmPayment } from "./confirm-payment.ts";
import { mergeMetadata } from "./customers.ts";
import { cardChoice, findCard, readCard } from "./payment-methods.ts";
import {
  automaticMethods,
  flag,
  integer,
  metadata,
  object,
  readParams,
  required,
  text,
  texts,
} from "./read-params.ts";
import { empty, find, findIntent, newId, newSecret, type Scope, save } from "./scope.ts";
import { invalid } from "./stripe-failure.ts";
import { findDestination } from "./transfers.ts";

/** What Stripe returns in every payment intent and this processor does not use. */
const UNUSED = {
  ...empty("application canceled_at cancellation_reason customer_account"),
  ...empty("excluded_payment_method_types last_payment_error latest_charge managed_payments"),
  ...empty("next_action payment_method_configuration_details payment_method_options"),
  ...empty("payment_record processing review setup_future_usage shipping source"),
  ...empty("statement_descriptor"),
  amount_capturable: 0,
  amount_received: 0,
  capture_method: "automatic",
  confirmation_method: "automatic",
  livemode: false,
} as const satisfies Partial<Stripe.PaymentIntent>;

const PARAMS = {
  amount: integer,
  currency: text,
  customer: text,
  payment_method: text,
  confirm: flag,
  off_session: flag,
  error_on_requires_action: flag,
  description: text,
  metadata,
  receipt_email: text,
  return_url: text,
  statement_descriptor_suffix: text,
  allowed_payment_method_types: texts,
  automatic_payment_methods: automaticMethods,
  transfer_data: object({ destination: text, amount: integer }),
  application_fee_amount: integer,
  on_behalf_of: text,
  transfer_group: text,
};

export function createPaymentIntent(scope: Scope): Stripe.PaymentIntent {
  const given = readParams(scope.params, PARAMS);
  const amount = required(given.amount, "amount");
  const currency = required(given.currency, "currency").toLowerCase();
  checkAmount(amount, currency);
  if (given.customer) find(scope, "customer", given.customer, "customer");
  if (given.off_session !== undefined && !given.confirm) {
    throw invalid("You can only pass off_session when confirm is true.", { param: "off_session" });
  }
  const card = given.payment_method
    ? findCard(scope, given.payment_method, "payment_method")
    : undefined;
  const id = newId("pi");
  const destination = given.transfer_data?.destination;
  if (destination) findDestination(scope, destination, "transfer_data[destination]");
  const intent: Stripe.PaymentIntent = {
    ...UNUSED,
    id,
    object: "payment_intent",
    allowed_payment_method_types: ["card"],
    payment_method_types: ["card"],
    amount,
    automatic_payment_methods: given.automatic_payment_methods ?? null,
    currency,
    application_fee_amount: given.application_fee_amount ?? null,
    client_secret: newSecret(id),
    created: scope.now,
    customer: given.customer ?? null,
    description: given.description ?? null,
    metadata: mergeMetadata({}, given.metadata),
    on_behalf_of: given.on_behalf_of ?? null,
    payment_method: card?.id ?? null,
    receipt_email: given.receipt_email ?? null,
    statement_descriptor_suffix: given.statement_descriptor_suffix ?? null,
    status: card ? "requires_confirmation" : "requires_payment_method",
    transfer_data: destination ? { destination } : null,
    transfer_group: given.transfer_group ?? null,
  };
  save(scope, intent, "payment_intent.created");
  if (!given.confirm) return intent;
  const isOffSession = given.off_session ?? false;
  return confirmPayment(scope, intent, isOffSession || (given.error_on_requires_action ?? false));
}

export function getPaymentIntent(scope: Scope): Stripe.PaymentIntent {
  const { client_secret } = readParams(scope.params, { client_secret: text });
  return findIntent(scope, "payment_intent", client_secret);
}

export function confirmPaymentIntent(scope: Scope): Stripe.PaymentIntent {
  const given = readParams(scope.params, {
    ...cardChoice,
    off_session: flag,
    error_on_requires_action: flag,
  });
  const intent = findIntent(scope, "payment_intent", given.client_secret);
  const card = readCard(scope, given);
  return confirmPayment(
    scope,
    { ...intent, payment_method: card?.id ?? intent.payment_method },
    (given.off_session ?? false) || (given.error_on_requires_action ?? false),
  );
}

export function cancelPaymentIntent(scope: Scope): Stripe.PaymentIntent {
  readParams(scope.params, { cancellation_reason: text });
  const intent = find(scope, "payment_intent", scope.ids[0], "intent");
  if (intent.status === "succeeded" || intent.status === "canceled") {
    throw invalid(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`,
      { code: "payment_intent_unexpected_state", payment_intent: intent },
    );
  }
  const canceled: Stripe.PaymentIntent = {
    ...intent,
    status: "canceled",
    canceled_at: scope.now,
    next_action: null,
  };
  return save(scope, canceled, "payment_intent.canceled");
}

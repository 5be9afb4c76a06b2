import type { Stripe } from "stripe";
import { mergeMetadata } from "./customers.ts";
import { attach, cardChoice, declineOf, findCard, readCard } from "./payment-methods.ts";
import { automaticMethods, flag, metadata, readParams, text, texts } from "./read-params.ts";
import { empty, find, findIntent, newId, newSecret, type Scope, save } from "./scope.ts";
import { invalid, StripeFailure } from "./stripe-failure.ts";

export function createSetupIntent(scope: Scope): Stripe.SetupIntent {
  const given = readParams(scope.params, {
    customer: text,
    payment_method: text,
    confirm: flag,
    usage: text,
    description: text,
    metadata,
    allowed_payment_method_types: texts,
    automatic_payment_methods: automaticMethods,
    return_url: text,
  });
  if (given.customer) find(scope, "customer", given.customer, "customer");
  const usage = given.usage ?? "off_session";
  if (usage !== "off_session" && usage !== "on_session") {
    throw invalid("Invalid usage: must be one of off_session or on_session", { param: "usage" });
  }
  const id = newId("seti");
  const intent: Stripe.SetupIntent = {
    id,
    object: "setup_intent",
    ...empty("application cancellation_reason excluded_payment_method_types last_setup_error"),
    ...empty("latest_attempt mandate next_action on_behalf_of"),
    ...empty("payment_method_configuration_details payment_method_options single_use_mandate"),
    allowed_payment_method_types: ["card"],
    automatic_payment_methods: given.automatic_payment_methods ?? null,
    client_secret: newSecret(id),
    created: scope.now,
    customer: given.customer ?? null,
    description: given.description ?? null,
    livemode: false,
    metadata: mergeMetadata({}, given.metadata),
    payment_method: given.payment_method
      ? findCard(scope, given.payment_method, "payment_method").id
      : null,
    payment_method_types: ["card"],
    status: given.payment_method ? "requires_confirmation" : "requires_payment_method",
    usage,
  };
  save(scope, intent, "setup_intent.created");
  return given.confirm ? confirm(scope, intent) : intent;
}

export function getSetupIntent(scope: Scope): Stripe.SetupIntent {
  const { client_secret } = readParams(scope.params, { client_secret: text });
  return findIntent(scope, "setup_intent", client_secret);
}

export function confirmSetupIntent(scope: Scope): Stripe.SetupIntent {
  const given = readParams(scope.params, cardChoice);
  const intent = findIntent(scope, "setup_intent", given.client_secret);
  if (intent.status === "succeeded" || intent.status === "canceled") {
    throw invalid(
      `You cannot confirm this SetupIntent because it has a status of ${intent.status}.`,
      { code: "setup_intent_unexpected_state", setup_intent: intent },
    );
  }
  const card = readCard(scope, given);
  return confirm(scope, { ...intent, payment_method: card?.id ?? intent.payment_method });
}

/** Completes a setup that waits for its holder's confirmation. */
export function finishSetup(scope: Scope, id: string, isConfirmed: boolean): Stripe.SetupIntent {
  const intent = find(scope, "setup_intent", id);
  if (intent.status !== "requires_action") {
    throw invalid(`SetupIntent ${id} does not wait for its holder.`);
  }
  if (isConfirmed) return succeed(scope, intent);
  const code = "setup_intent_authentication_failure";
  const message =
    "We are unable to authenticate your payment method. Please choose a different payment method and try again.";
  const failed: Stripe.SetupIntent = {
    ...intent,
    status: "requires_payment_method",
    payment_method: null,
    next_action: null,
    last_setup_error: { code, message, type: "invalid_request_error" },
  };
  return save(scope, failed, "setup_intent.setup_failed");
}

function confirm(scope: Scope, intent: Stripe.SetupIntent): Stripe.SetupIntent {
  const cardId = intent.payment_method as string | null;
  if (!cardId) {
    throw invalid("You cannot confirm this SetupIntent because it's missing a payment method.", {
      code: "setup_intent_unexpected_state",
    });
  }
  const card = find(scope, "payment_method", cardId);
  const record = find(scope, "card_record", cardId);
  if (record.onAttach) {
    const error = declineOf(record.onAttach);
    const failed: Stripe.SetupIntent = {
      ...intent,
      status: "requires_payment_method",
      payment_method: null,
      last_setup_error: {
        type: "card_error",
        message: error.message,
        code: record.onAttach.code,
        ...(record.onAttach.decline_code && { decline_code: record.onAttach.decline_code }),
        payment_method: card,
      },
    };
    save(scope, failed, "setup_intent.setup_failed");
    throw new StripeFailure(402, "card_error", error.message, {
      ...error.fields,
      payment_method: card,
      setup_intent: failed,
    });
  }
  if (record.authentication && !record.isAuthenticated) {
    const waiting: Stripe.SetupIntent = {
      ...intent,
      status: "requires_action",
      next_action: { type: "use_stripe_sdk", use_stripe_sdk: {} },
    };
    return save(scope, waiting, "setup_intent.requires_action");
  }
  return succeed(scope, intent);
}

function succeed(scope: Scope, intent: Stripe.SetupIntent): Stripe.SetupIntent {
  const cardId = intent.payment_method as string;
  const record = find(scope, "card_record", cardId);
  if (record.authentication === "setup") scope.work.put({ ...record, isAuthenticated: true });
  if (intent.customer) {
    attach(scope, find(scope, "payment_method", cardId), intent.customer as string);
  }
  const done: Stripe.SetupIntent = {
    ...intent,
    status: "succeeded",
    next_action: null,
    last_setup_error: null,
  };
  return save(scope, done, "setup_intent.succeeded");
}

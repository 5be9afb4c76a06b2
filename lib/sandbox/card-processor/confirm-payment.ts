import type { Stripe } from "stripe";
import { recordEntry } from "./balance.ts";
import { openDispute } from "./disputes.ts";
import { settledIn } from "./platform.ts";
import { empty, find, newId, type Scope, save } from "./scope.ts";
import { invalid, StripeFailure } from "./stripe-failure.ts";
import { DECLINES, type Decline } from "./test-cards.ts";
import { makeTransfer } from "./transfers.ts";

const AUTHENTICATION_REQUIRED: Decline = {
  code: "authentication_required",
  decline_code: "authentication_required",
  message: "Your card was declined. This transaction requires authentication.",
};

/**
 * Charges an intent's card. A decline is stored and answered as 402. A card that needs confirmation waits for its
 * holder, or is declined with `failsOnAction`, because the holder is absent.
 */
export function confirmPayment(
  scope: Scope,
  intent: Stripe.PaymentIntent,
  failsOnAction: boolean,
): Stripe.PaymentIntent {
  const isOpen = ["requires_payment_method", "requires_confirmation", "requires_action"];
  if (!isOpen.includes(intent.status)) {
    throw invalid(
      `You cannot confirm this PaymentIntent because it has already been ${intent.status} after being previously confirmed.`,
      { code: "payment_intent_unexpected_state", payment_intent: intent },
    );
  }
  const card = cardOf(scope, intent);
  const record = find(scope, "card_record", card.id);
  if (record.authentication && !record.isAuthenticated) {
    if (failsOnAction) return decline(scope, intent, card, AUTHENTICATION_REQUIRED);
    const waiting: Stripe.PaymentIntent = {
      ...intent,
      status: "requires_action",
      next_action: { type: "use_stripe_sdk", use_stripe_sdk: {} },
    };
    return save(scope, waiting, "payment_intent.requires_action");
  }
  return charge(scope, intent, card);
}

/** Completes a payment that waits for its holder's confirmation. */
export function finishPayment(
  scope: Scope,
  id: string,
  isConfirmed: boolean,
): Stripe.PaymentIntent {
  const intent = find(scope, "payment_intent", id);
  if (intent.status !== "requires_action") {
    throw invalid(`PaymentIntent ${id} is not waiting for confirmation.`);
  }
  const card = find(scope, "payment_method", intent.payment_method as string);
  const asked = { ...intent, next_action: null };
  if (isConfirmed) return charge(scope, asked, card);
  const failed: Stripe.PaymentIntent = {
    ...asked,
    status: "requires_payment_method",
    payment_method: null,
    last_payment_error: {
      code: "payment_intent_authentication_failure",
      message: "The provided payment method has failed authentication.",
      type: "invalid_request_error",
      payment_method: card,
    },
  };
  return save(scope, failed, "payment_intent.payment_failed");
}

function charge(
  scope: Scope,
  intent: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod,
): Stripe.PaymentIntent {
  const record = find(scope, "card_record", card.id);
  const { exp_month = 1, exp_year = 1970 } = card.card ?? {};
  const isExpired = Date.UTC(exp_year, exp_month) / 1000 <= scope.now;
  const refusal = isExpired ? DECLINES.ExpiredCard : record.onCharge;
  if (refusal) return decline(scope, intent, card, refusal);
  const paid = newCharge(scope, intent, card, null);
  const done: Stripe.PaymentIntent = {
    ...intent,
    status: "succeeded",
    amount_received: intent.amount,
    latest_charge: paid.id,
    last_payment_error: null,
    next_action: null,
  };
  save(scope, paid, "charge.succeeded");
  sendOn(scope, intent, paid);
  save(scope, done, "payment_intent.succeeded");
  if (record.after && "dispute" in record.after) {
    const { dispute } = record.after;
    scope.afterwards.push(() => openDispute(scope, done.id, dispute));
  }
  return done;
}

/** The charge's money goes on to the account that it is for. */
function sendOn(scope: Scope, intent: Stripe.PaymentIntent, paid: Stripe.Charge): void {
  const { amount, currency, transfer_data: to } = intent;
  if (!to) return;
  const destination = to.destination as string;
  const group = intent.transfer_group ?? `group_${intent.id}`;
  const terms = { amount, currency, destination, transfer_group: group };
  const { id } = makeTransfer(scope, { ...terms, source_transaction: paid.id });
  scope.work.put({ ...paid, transfer: id, transfer_data: { amount: null, destination } });
}

function decline(
  scope: Scope,
  intent: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod,
  refusal: Decline,
): never {
  const failed = newCharge(scope, intent, card, refusal);
  const { code, decline_code, message } = refusal;
  const fields = { code, ...(decline_code && { decline_code }), charge: failed.id };
  const declined: Stripe.PaymentIntent = {
    ...intent,
    status: "requires_payment_method",
    payment_method: null,
    next_action: null,
    latest_charge: failed.id,
    last_payment_error: { ...fields, message, payment_method: card, type: "card_error" },
  };
  save(scope, failed, "charge.failed");
  save(scope, declined, "payment_intent.payment_failed");
  throw new StripeFailure(402, "card_error", message, {
    ...fields,
    payment_intent: declined,
    payment_method: card,
  });
}

function cardOf(scope: Scope, intent: Stripe.PaymentIntent): Stripe.PaymentMethod {
  const id = intent.payment_method as string | null;
  if (!id) {
    throw invalid(
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method.",
      { code: "payment_intent_unexpected_state", payment_intent: intent },
    );
  }
  const card = find(scope, "payment_method", id, "payment_method");
  if (card.customer !== null && card.customer !== intent.customer) {
    throw invalid(
      `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
      { code: "resource_missing", param: "payment_method" },
    );
  }
  const { onAttach } = find(scope, "card_record", id);
  if (card.customer === null && onAttach?.code === "payment_method_unactivated") {
    throw invalid(onAttach.message, { code: onAttach.code, param: "payment_method" });
  }
  return card;
}

/** The entry in the platform's balance that says when the money is available, and in which currency. */
const enterCharge = (scope: Scope, { amount, currency }: Stripe.PaymentIntent, source: string) =>
  recordEntry(scope, {
    account: null,
    amount,
    currency: settledIn(scope, currency),
    type: "charge",
    source,
  });

function newCharge(
  scope: Scope,
  intent: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod,
  refusal: Decline | null,
): Stripe.Charge {
  const isPaid = refusal === null;
  const id = newId("ch");
  return {
    id,
    object: "charge",
    ...empty("application application_fee application_fee_amount"),
    balance_transaction: isPaid ? enterCharge(scope, intent, id) : null,
    ...empty("calculated_statement_descriptor failure_balance_transaction on_behalf_of"),
    ...empty("payment_method_details receipt_email receipt_number receipt_url review shipping"),
    ...empty("source source_transfer statement_descriptor statement_descriptor_suffix"),
    ...empty("transfer_data"),
    amount: intent.amount,
    amount_captured: isPaid ? intent.amount : 0,
    amount_refunded: 0,
    billing_details: card.billing_details,
    captured: isPaid,
    created: scope.now,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_code: refusal?.code ?? null,
    failure_message: refusal?.message ?? null,
    fraud_details: {},
    livemode: false,
    // Stripe copies the intent's metadata to new charges.
    metadata: intent.metadata,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: isPaid ? "approved_by_network" : "declined_by_network",
      reason: refusal?.decline_code ?? null,
      seller_message: isPaid ? "Payment complete." : "The bank did not approve the payment.",
      type: isPaid ? "authorized" : "issuer_declined",
    },
    paid: isPaid,
    payment_intent: intent.id,
    payment_method: card.id,
    refunded: false,
    status: isPaid ? "succeeded" : "failed",
    transfer_group: null,
  };
}

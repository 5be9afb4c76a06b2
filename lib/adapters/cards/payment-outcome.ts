import type { DisputeStatus } from "@turnpike/payments/protocol";
import { Stripe } from "stripe";
import type { ChargeOutcome, PaymentDispute } from "@/lib/domain/orders/order-ports.ts";
import { priceOf } from "./charge-amount.ts";
import { describeDecline } from "./describe-decline.ts";
import { PaymentOutcomeUnknown, scrub } from "./scrub.ts";

/**
 * What a payment that exists means for its order, asking about its disputes when it has had one. Throws while
 * that is not decided.
 */
export async function readOutcome(
  stripe: Pick<Stripe, "disputes">,
  intent: Stripe.PaymentIntent,
): Promise<ChargeOutcome> {
  const { latest_charge: charge } = intent;
  if (typeof charge !== "object" || !charge?.disputed) return outcomeOfIntent(intent, false);
  const data = await disputesOf(stripe, intent.id);
  const outcome = outcomeOfIntent(intent, data.some(takesBack));
  if (outcome.status === "refused") return outcome;
  const disputes = data.flatMap((dispute): PaymentDispute[] => {
    const status = stateOf(dispute);
    return status ? [disputeOf(dispute, status, intent.currency)] : [];
  });
  return { ...outcome, disputes };
}

/** How much of a payment's money banks have now, in the currency's minor unit. */
export const takenBack = async (
  stripe: Pick<Stripe, "disputes">,
  paymentId: string,
): Promise<number> =>
  (await disputesOf(stripe, paymentId))
    .filter(takesBack)
    .reduce((sum, { amount }) => sum + amount, 0);

const disputesOf = async (stripe: Pick<Stripe, "disputes">, paymentId: string) =>
  (await stripe.disputes.list({ payment_intent: paymentId, limit: 100 })).data;

/** Not when it was won, or is an inquiry so far: the money is with us. In any other state, of later releases too, the bank has it. */
const takesBack = (dispute: Stripe.Dispute): boolean =>
  dispute.status === "prevented" ? isWithdrawn(dispute) : !LEFT_WITH_US.has(dispute.status);

/** A prevented one was blocked, and moved no money, or resolved: the payment went back as by a dispute, without its fee. */
const isWithdrawn = ({ balance_transactions: entries }: Stripe.Dispute): boolean =>
  // A second one gave it back, at another rate where currencies differ.
  entries.length === 1;

const stateOf = (dispute: Stripe.Dispute): DisputeStatus | undefined => {
  if (dispute.status !== "prevented") return DISPUTE_STATES[dispute.status];
  // Like an inquiry, one that never took money is not listed.
  if (dispute.balance_transactions.length === 0) return undefined;
  return isWithdrawn(dispute) ? "lost" : "won";
};

const disputeOf = (
  { id, amount, reason, evidence_details: { due_by: dueBy } }: Stripe.Dispute,
  status: DisputeStatus,
  currency: string,
): PaymentDispute => ({
  disputeId: id,
  amount: priceOf(amount, currency),
  reason,
  status,
  // 0 where the bank allows no response.
  respondBy: dueBy ? new Date(dueBy * 1000) : null,
});

/** Inquiries are not listed: no money was taken for them. */
const DISPUTE_STATES: Partial<Record<Stripe.Dispute.Status, DisputeStatus>> = {
  needs_response: "needs_response",
  under_review: "under_review",
  won: "won",
  lost: "lost",
  // The bank keeps the money of a lost one unless the appeal is won.
  appeal_needs_response: "lost",
  appeal_under_review: "lost",
};

const LEFT_WITH_US: ReadonlySet<Stripe.Dispute.Status> = new Set([
  "won",
  "warning_needs_response",
  "warning_under_review",
  "warning_closed",
]);

function outcomeOfIntent(intent: Stripe.PaymentIntent, isDisputed: boolean): ChargeOutcome {
  switch (intent.status) {
    case "succeeded":
      return outcomeOfSuccess(intent, isDisputed);
    case "requires_action":
      return { status: "refused", ...describeDecline({ code: "authentication_required" }) };
    case "requires_payment_method": {
      const { last_payment_error: error } = intent;
      if (error) return { status: "refused", ...describeDecline(error) };
      break;
    }
    case "canceled":
      return {
        status: "refused",
        code: "canceled",
        message: "The payment was canceled. Order again.",
        nextStep: "Order again.",
      };
  }
  throw new PaymentOutcomeUnknown(`Payment ${intent.id} is ${intent.status}.`);
}

/** Money that went back buys nothing, even when it went through at first. */
function outcomeOfSuccess(
  { id, latest_charge: charge, transfer_data: transfer }: Stripe.PaymentIntent,
  isDisputed: boolean,
): ChargeOutcome {
  const hasRefunds = typeof charge === "object" && charge !== null && charge.amount_refunded > 0;
  if (isDisputed) {
    const message = "The payment was disputed with the card's bank, and its credits were removed.";
    return { status: "returned", code: "disputed", message, hasRefunds };
  }
  if (typeof charge === "object" && charge?.refunded) {
    const message = "The payment was refunded, and its credits were removed.";
    return { status: "returned", code: "refunded", message, hasRefunds };
  }
  return {
    status: "paid",
    reference: id,
    ...(hasRefunds && { hasRefunds }),
    ...(transfer?.destination && { isPaidOut: true }),
  };
}

/** Connection faults before anything was sent: nothing can have happened. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"]);

/**
 * What an error of the charge itself means: a refusal when it is certain that nothing was charged, thrown
 * as unknown otherwise. On a repeat an earlier request may still be under way, so that only the bank's own
 * answer is certain then.
 */
export function outcomeOfError(cause: unknown, isRepeat: boolean): ChargeOutcome {
  if (!(cause instanceof Stripe.errors.StripeError)) throw unknown(cause);
  if (cause instanceof Stripe.errors.StripeCardError) {
    return { status: "refused", ...describeDecline(cause) };
  }
  if (cause instanceof Stripe.errors.StripeInvalidRequestError && isDefinite(cause)) {
    return refusalOfRequest(cause);
  }
  if (!isRepeat && wasNotCharged(cause)) {
    return UNAVAILABLE;
  }
  throw unknown(cause);
}

/** Certain: the processor was not reached, or did not let us in. */
export const UNAVAILABLE: ChargeOutcome = {
  status: "refused",
  code: "processor_unavailable",
  message: "Cards cannot be charged at the moment. Nothing was charged; order again later.",
  nextStep: "Order again later.",
};

/** 409 and 429 say that another request is under way or that this one was not looked at. */
const isDefinite = ({ statusCode }: Stripe.errors.StripeError) =>
  statusCode === 400 || statusCode === 402 || statusCode === 404;

function refusalOfRequest({ code, param, message }: Stripe.errors.StripeError): ChargeOutcome {
  if (param === "payment_method" || param === "customer") {
    return {
      status: "refused",
      code: "card_not_found",
      message: "The saved card no longer exists. Save a card and order again.",
      nextStep: "Save a card and order again.",
    };
  }
  return {
    status: "refused",
    code: code ?? "invalid_request",
    message: `The card processor rejected this payment: ${scrub(message)}`,
  };
}

const wasNotCharged = (cause: Stripe.errors.StripeError): boolean =>
  cause.statusCode === 401 ||
  cause.statusCode === 403 ||
  (NOT_SENT.has(connectionCodeOf(cause)) && !wasRetried(cause));

/** The SDK sends a request again whose connection was closed, and tells of the second fault alone: the first may have arrived. */
const wasRetried = ({ message }: Stripe.errors.StripeError): boolean =>
  message.includes("Request was retried");

function connectionCodeOf(cause: Stripe.errors.StripeError): string {
  const { detail } = cause as { detail?: unknown };
  const code = typeof detail === "object" && detail !== null && "code" in detail ? detail.code : "";
  return String(code ?? "");
}

function unknown(cause: unknown): PaymentOutcomeUnknown {
  if (cause instanceof PaymentOutcomeUnknown) return cause;
  const { type, code, statusCode, message } = cause as Partial<Stripe.errors.StripeError>;
  const facts = [type, code, statusCode].filter(Boolean).join(" ");
  return new PaymentOutcomeUnknown(`The card processor's answer: ${facts} ${message ?? "none"}`);
}

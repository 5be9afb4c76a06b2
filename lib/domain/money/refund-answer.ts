import { PaymentsError, type Refund } from "@turnpike/payments/protocol";
import { amountText } from "../orders/money.ts";
import type { RefundOpening, RefundRecord } from "./refund-ports.ts";
import { waitsForWallet } from "./refund-signature.ts";

/** A refund as both sides see it. */
export const refundAnswer = (row: RefundRecord): Refund => ({
  refundId: row.refundId,
  ...(row.orderId && { orderId: row.orderId }),
  ...(row.requestKey && { agentRequestId: requestIdOf(row.requestKey) }),
  planId: row.planId,
  subscriber: row.account,
  status: row.state,
  amount: row.amount.toString(),
  currency: row.currency,
  credits: row.credits.toString(),
  madeBy: row.madeBy,
  ...(row.reason && { reason: row.reason }),
  ...(row.message && { message: row.message }),
  ...(row.reference && { reference: row.reference }),
  ...(row.failureCode && {
    failure: { code: row.failureCode, message: row.failureMessage ?? row.failureCode },
  }),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  ...(row.state === "requested" && row.expiresAt && { expiresAt: row.expiresAt.toISOString() }),
});

const requestIdOf = (requestKey: string): string => requestKey.slice(requestKey.indexOf("/") + 1);

const CONFLICTS = {
  disputed: "The payment is disputed. Answer the dispute instead.",
  used: "These credits were used meanwhile.",
  full: "The subscriber’s balance cannot hold more credits of this plan. Refund an amount of money.",
  unpaid: "Nothing was paid for this order.",
};

/** The refund as it is now, or the refusal with its reason. */
export function answerOf(opening: RefundOpening, now: RefundRecord): Refund {
  switch (opening.outcome) {
    case "opened":
      return refundAnswer(now);
    case "disputed":
    case "used":
    case "full":
    case "unpaid":
      throw conflict(CONFLICTS[opening.outcome], opening.outcome);
    case "decided":
      throw decided(now);
    case "existing":
      if (opening.refund.fingerprint !== now.fingerprint) throw keyConflict();
      return refundAnswer(opening.refund);
    case "expired":
      throw conflict(
        `The subscriber’s credits of this plan have expired, so returned credits would expire immediately. ${
          now.madeBy === "subscriber"
            ? "Decline this request. If they request a refund again, it is for an amount of money."
            : "Refund an amount of money."
        }`,
        "expired",
      );
    case "many":
      throw new PaymentsError(
        "payment_refused",
        `Your account has made the ${opening.mostADay} refunds a day whose gas the service pays. Nothing was sent.`,
        {
          hint: "Refund everything that is left of the payment, or wait up to 24 hours.",
          details: [{ path: "refund", message: "gas_budget" }],
        },
      );
    case "call-refunded":
      throw conflict("This call was already refunded.", "refunded");
    case "requested":
      throw now.madeBy === "builder"
        ? waitsForWallet(opening.refund)
        : conflict(
            "A refund of this was already requested. Wait for the builder’s answer.",
            "requested",
          );
    case "paid-out":
    case "too-much":
      if (opening.left > 0n)
        throw new PaymentsError("invalid_input", `Between 1 and ${opening.left} can be refunded.`, {
          details: [{ path: "amount", message: `At most ${opening.left}.` }],
        });
      throw opening.outcome === "too-much"
        ? conflict("The whole payment was already refunded.", "refunded")
        : conflict(
            "What is left of this payment was paid out to you, so it can’t be refunded.",
            "paid-out",
          );
  }
}

const conflict = (message: string, detail: string): PaymentsError =>
  new PaymentsError("conflict", message, { details: [{ path: "refund", message: detail }] });

/** The refusal of a second decision, or of one about a refund that has no request. */
export function decided(refund: RefundRecord): PaymentsError {
  const { state, failureMessage, madeBy, orderId, amount, currency, signature } = refund;
  if (state === "declined")
    return conflict(failureMessage ?? "You already declined this request.", "decided");
  const what = orderId ? amountText(currency, amount) : "its credits";
  if (madeBy === "processor" || (madeBy === "builder" && !signature))
    return conflict(`This refund of ${what} has no request to answer.`, "decided");
  if (state === "refused")
    return conflict(
      `The refund of ${what} for this request failed. Refund the order or call again.`,
      "decided",
    );
  const who = madeBy === "rule" ? "A refund rule of the plan" : "You";
  return conflict(`${who} already answered this request with a refund of ${what}.`, "decided");
}

/** The answer to a request that was accepted before, unless it was declined or another answer is given now. */
export function sameAnswer(
  answered: RefundRecord,
  given: { amount?: bigint | undefined; message?: string | undefined },
): Refund {
  const isSame =
    answered.state !== "declined" &&
    (given.amount ?? answered.amount) === answered.amount &&
    (given.message ?? answered.message) === answered.message;
  if (!isSame) throw decided(answered);
  return refundAnswer(answered);
}

/** The refusal of a key that named another refund. */
export const keyConflict = (): PaymentsError =>
  new PaymentsError("idempotency_conflict", "This Idempotency-Key was used for another refund.");

import type { Stripe } from "stripe";
import { mergeMetadata } from "./customers.ts";
import { isTakenBack } from "./disputes.ts";
import { flag, integer, metadata, readParams, text } from "./read-params.ts";
import { find, newId, type Scope } from "./scope.ts";
import { invalid, refused } from "./stripe-failure.ts";
import { makeReversal } from "./transfers.ts";

export function createRefund(scope: Scope): Stripe.Refund {
  const given = readParams(scope.params, {
    payment_intent: text,
    charge: text,
    amount: integer,
    reason: text,
    reverse_transfer: flag,
    metadata,
  });
  const charge = chargeOf(scope, given.payment_intent, given.charge);
  const left = charge.amount_captured - charge.amount_refunded;
  if (charge.refunded || left === 0) {
    throw refused(`Charge ${charge.id} has already been refunded.`, {
      code: "charge_already_refunded",
    });
  }
  if (isTakenBack(scope, charge)) {
    throw refused(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: "charge_disputed",
    });
  }
  const amount = given.amount ?? left;
  if (amount < 1 || amount > left) {
    throw refused(
      `Refund amount (${amount}) is greater than unrefunded amount on charge (${left}).`,
      { param: "amount" },
    );
  }
  const record = find(scope, "card_record", charge.payment_method ?? "");
  const isPending =
    record.after !== undefined && "refund" in record.after && record.after.refund === "pending";
  const id = newId("re");
  const reversal =
    given.reverse_transfer && charge.transfer
      ? reverseShare(scope, charge, { amount, source_refund: id })
      : null;
  const refund: Stripe.Refund = {
    id,
    object: "refund",
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: scope.now,
    currency: charge.currency,
    customer: charge.customer as string | null,
    customer_account: null,
    metadata: mergeMetadata({}, given.metadata),
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: (given.reason as Stripe.Refund.Reason | undefined) ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: isPending ? "pending" : "succeeded",
    transfer_reversal: reversal,
  };
  const refunded = charge.amount_refunded + amount;
  const changed = {
    ...charge,
    amount_refunded: refunded,
    refunded: refunded === charge.amount_captured,
  };
  scope.work.put(refund);
  scope.work.put(changed);
  scope.emit("refund.created", refund);
  scope.emit("charge.refunded", changed);
  return refund;
}

/** Takes the refund's share back from the account that the charge was for. A refund that fails does not undo it. */
function reverseShare(
  scope: Scope,
  charge: Stripe.Charge,
  of: { amount: number; source_refund: string },
): string {
  const transfer = find(scope, "transfer", charge.transfer as string);
  const share = Math.floor((of.amount * transfer.amount) / charge.amount);
  return makeReversal(scope, { ...of, id: transfer.id, amount: share }).id;
}

function chargeOf(
  scope: Scope,
  intentId: string | undefined,
  chargeId: string | undefined,
): Stripe.Charge {
  if ((intentId === undefined) === (chargeId === undefined)) {
    throw invalid("One of the following params should be provided: payment_intent or charge.");
  }
  if (chargeId !== undefined) return find(scope, "charge", chargeId, "charge");
  const intent = find(scope, "payment_intent", intentId, "payment_intent");
  const charge = intent.latest_charge
    ? find(scope, "charge", intent.latest_charge as string)
    : undefined;
  if (charge?.status !== "succeeded") {
    throw refused(
      `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      {
        param: "payment_intent",
      },
    );
  }
  return charge;
}

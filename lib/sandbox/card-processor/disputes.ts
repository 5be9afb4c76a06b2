import type { Stripe } from "stripe";
import type { FormValue } from "./form-body.ts";
import { flag, object, readParams, text } from "./read-params.ts";
import { find, newId, type Scope, save } from "./scope.ts";
import type { StoredDispute } from "./store.ts";
import { invalid, refused } from "./stripe-failure.ts";

const DAY_SECS = 86_400;

/** The cardholder's bank reverses a payment, or a part of it. */
export function openDispute(
  scope: Scope,
  intentId: string,
  reason = "fraudulent",
  amount?: number,
): StoredDispute {
  const whole = newDispute(scope, intentId, reason);
  const dispute = { ...whole, amount: amount ?? whole.amount };
  save(scope, dispute, "charge.dispute.created");
  scope.emit("charge.dispute.funds_withdrawn", dispute);
  return dispute;
}

export function newDispute(scope: Scope, intentId: string, reason: string): StoredDispute {
  const intent = find(scope, "payment_intent", intentId);
  const charge = intent.latest_charge
    ? find(scope, "charge", intent.latest_charge as string)
    : undefined;
  if (charge?.status !== "succeeded") {
    throw invalid(`PaymentIntent ${intentId} has no successful charge to dispute.`);
  }
  const dispute: StoredDispute = {
    id: newId("dp"),
    object: "dispute",
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created: scope.now,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {},
    evidence_details: {
      due_by: scope.now + 7 * DAY_SECS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: "manual",
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: intent.id,
    reason,
    status: "needs_response",
  };
  scope.work.put({ ...charge, disputed: true });
  return dispute;
}

type Disputable = Pick<Stripe.Charge, "id" | "disputed">;

/** Whether the bank has a charge's money now. */
export const isTakenBack = (scope: Pick<Scope, "work">, charge: Disputable): boolean =>
  takenBack(scope, charge) > 0;

/** What the bank has of a charge's money now, in minor units. */
export const takenBack = ({ work }: Pick<Scope, "work">, charge: Disputable): number =>
  (charge.disputed ? work.all("dispute") : [])
    .filter((row) => row.charge === charge.id && hasMoney(row))
    .reduce((sum, { amount }) => sum + amount, 0);

const hasMoney = ({ status, balance_transactions: entries }: StoredDispute): boolean =>
  status === "prevented" ? entries.length > 0 : status !== "won";

/** Evidence is collected until it is submitted, once and in time. */
export function updateDispute(scope: Scope): StoredDispute {
  const dispute = find(scope, "dispute", scope.ids[0]);
  const { evidence, submit } = readParams(scope.params, {
    evidence: object(EVIDENCE),
    submit: flag,
  });
  const { due_by: dueBy } = dispute.evidence_details;
  if (dispute.status !== "needs_response" || (dueBy !== null && dueBy < scope.now)) {
    throw refused(`Dispute ${dispute.id} does not accept evidence any more.`);
  }
  const texts = Object.values(evidence ?? {}).join("");
  if (texts.length > MOST_CHARACTERS) {
    throw invalid(`Evidence is limited to ${MOST_CHARACTERS} characters.`, { param: "evidence" });
  }
  const changed: StoredDispute = {
    ...dispute,
    evidence: { ...dispute.evidence, ...evidence },
    status: submit ? "under_review" : dispute.status,
    evidence_details: {
      ...dispute.evidence_details,
      has_evidence: true,
      submission_count: dispute.evidence_details.submission_count + (submit ? 1 : 0),
    },
  };
  return save(scope, changed, "charge.dispute.updated");
}

const MOST_CHARACTERS = 150_000;
const limitedText = (value: FormValue, name: string): string => {
  const given = text(value, name);
  if (given.length <= 20_000) return given;
  throw invalid(`Evidence text is limited to 20000 characters: ${name}.`, { param: name });
};
const EVIDENCE = {
  access_activity_log: limitedText,
  product_description: limitedText,
  refund_policy_disclosure: limitedText,
  service_date: limitedText,
  uncategorized_text: limitedText,
};

import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import {
  type Attempt,
  type CauseGroup,
  findCause,
  pendingCause,
  type Summary,
  summarizeAttempt,
} from "./attempt-causes.ts";

// Apart from the table of causes: lists show titles alone, and these texts would be half of it.

const SEE_LOG = "Check the agent’s log for this request ID.";
const UNDER_IT = "then mint a token under it.";

/** What the side that acts usually reads, and what the other side reads. */
const GROUPS: Readonly<Record<CauseGroup, readonly [usual: string, other: string]>> = {
  token: ["Mint a new token and send that one.", "The customer must mint a new token."],
  delegation: [`Renew it, ${UNDER_IT}`, "The customer must change their delegation."],
  budget: ["Raise the budget, then send it again.", "The customer’s budget does not allow this."],
  credits: ["Buy credits, then send it again.", "The customer must buy credits."],
  payment: ["Use another card, or add funds.", "Only the customer can fix their payment."],
  terms: ["Check it, then mint a new token.", "The customer must accept the changed plan."],
  missing: [
    "Send a token in the payment-signature header.",
    "The caller sent no access token yet.",
  ],
  request: ["Change it, then retry.", "The caller must change the request."],
  setup: ["Your agent’s setup refuses this token.", "Only the builder can fix this."],
  agent: [SEE_LOG, "The agent failed before payment. You can retry."],
  unsettled: [
    "The gate retries automatically. You can also write it off.",
    "Don’t pay again: credits may still be charged.",
  ],
};

/** What the side that acts reads where it is not its group's usual text. */
const TEXTS: Readonly<Record<string, string>> = {
  redemption_limit: "Mint a new token. Your credits are unchanged.",
  order_limit: "Mint a token that may order more, under a delegation with enough left.",
  other_agent: "Mint a token for this agent.",
  other_verb: "Mint a token for this method, or for any.",
  other_resource: "Mint a token for this endpoint.",
  invalid_agent: "Mint a token for this agent.",
  invalid_plan: "Mint a token for a plan this agent offers.",
  not_signed: "Sign the request with the token’s key.",
  holder_required: "Mint a token bound to your key.",
  amount_not_signed: "Check the offer, then mint a token.",
  key_mismatch: "Sign it with the token’s key.",
  delegation_revoked: `Create another one, ${UNDER_IT}`,
  spending_limit: `Raise the limit, ${UNDER_IT}`,
  limit_exceeded: `Raise the limit, ${UNDER_IT}`,
  grant_revoked: `Create another one, ${UNDER_IT}`,
  not_permitted: `Create one, ${UNDER_IT}`,
  currency_mismatch: `Create one, ${UNDER_IT}`,
  budget_not_allowed: "Add the builder to the list.",
  budget_per_call: "Raise it, or send a smaller request.",
  budget_per_day: "Raise it, or retry after 00:00 UTC.",
  budget_per_week: "Raise it, or retry after Monday 00:00 UTC.",
  budget_per_month: "Raise it, or retry next month.",
  budget_currency: "Remove it, or choose another plan.",
  pending_approval: "Approve or decline the request.",
  approval_declined: "Ask the person who declined it.",
  order_too_small: "Buy credits more than once.",
  credits_owed: "Buy credits until the debt is repaid.",
  gas_budget: "Buy more credits in one order, or wait a day.",
  balance_full: "Use credits of this plan first.",
  plan_archived: "Choose another plan.",
  trial_used_up: "Choose another plan.",
  insufficient_funds: "Add funds to the account that pays.",
  authentication_required: "Confirm the payment with your bank.",
  idempotency_conflict: "Use a new request ID.",
  conflict: "Wait for the first response.",
  price_too_low: "Raise the price to the service’s minimum.",
  plan_not_offered: "Accept this plan in the gate’s route.",
  scheme_changed: "Offer the plan’s current scheme.",
  other_network: "Offer the plan on its own network.",
  unknown_agent: "Check the agent ID in the gate’s routes.",
  plan_not_linked: "Link the plan to this agent.",
  endpoint_not_registered: "Register this endpoint.",
  internal: "Check the gate’s log, then run the doctor.",
  timeout: "Respond faster, or raise the gate’s time limit.",
};

/** What each side reads where neither can act. */
const OF_NO_SIDE: Readonly<Record<string, readonly [payer: string, builder: string]>> = {
  unavailable: [
    "Nothing was charged. Retry later.",
    "The gate could not reach the service. Callers can retry.",
  ],
  paused: [
    "Nothing was charged. Buy credits later.",
    "The customer can’t buy credits until orders resume.",
  ],
  chain_failed: [
    "The ledger has the charge. The service reconciles the two.",
    "The ledger has the charge. The service reconciles the two.",
  ],
  written_off: ["The builder wrote off this charge.", "You wrote off this charge."],
  "not-charged": ["Nothing was delivered or charged.", "The gate released the credits."],
};

/** What a side reads about a cause; undefined for a gate's own words. */
export function remedyOf(cause: string, reader: "payer" | "builder"): string | undefined {
  const { name, row } = findCause(cause);
  if (!row) return undefined;
  if (!row.group) return OF_NO_SIDE[name]?.[reader === "payer" ? 0 : 1];
  const [usual, other] = GROUPS[row.group];
  return row.whoActs === reader ? (TEXTS[name] ?? usual) : other;
}

/** What one side reads about an attempt. */
export type Explanation = Summary & { remedy: string };

/**
 * What one side reads about an attempt.
 *
 * @example const { title, remedy, action } = explainAttempt(record, "subscriber");
 */
export function explainAttempt(record: Attempt & Partial<RequestRecord>, side: Role): Explanation {
  const { cause } = record;
  const summary = summarizeAttempt(record, side);
  if (cause === undefined) return { ...summary, remedy: "" };
  const reader = side === "builder" ? "builder" : "payer";
  const remedy = remedyOf(pendingCause(cause, record), reader);
  return { ...summary, remedy: remedy ?? (reader === "builder" ? SEE_LOG : "") };
}

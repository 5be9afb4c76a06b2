import type { RequestRecord, Role, WhoActs } from "@turnpike/payments/protocol";

/** An address names members of the record in braces; without one of them there is no button. */
const ACTIONS = {
  mint: ["Mint a token", "/tokens/new?plan={planId}"],
  delegate: ["Create a delegation", "/delegations/new?plan={planId}"],
  renew: ["Renew the delegation", "/delegations/new?from={delegationId}"],
  raise: ["Raise the limit", "/delegations/new?from={delegationId}"],
  budgets: ["Open budgets", "/settings/budgets"],
  approve: ["Open approvals", "/approvals"],
  order: ["Buy credits", "/checkout/{planId}"],
  explore: ["Explore plans", "/explore"],
  card: ["Open payment methods", "/payment-methods"],
  confirm: ["Confirm the payment", "/checkout/{planId}"],
  review: ["Check the price", "/p/{planId}"],
  reference: ["Open the reference", "/docs/api"],
  plan: ["Open the plan", "/plans/{planId}"],
  agent: ["Open the agent", "/agents/{agentId}"],
  link: ["Link the plan", "/agents/{agentId}/plans"],
  endpoints: ["Edit endpoints", "/agents/{agentId}/endpoints"],
  doctor: ["Open the doctor", "/doctor"],
  reconcile: ["Reconcile", "/activity/reconcile"],
} as const;

type ActionName = keyof typeof ACTIONS;

type Row = {
  title: string;
  whoActs?: WhoActs;
  payer: string;
  builder: string;
  action?: ActionName | undefined;
};

/** A title, the text of the side that acts, and another button than the group's. */
type Lines = Readonly<Record<string, readonly [title: string, text?: string, action?: ActionName]>>;

/** Causes that one side ends, with one text for the other side, and the usual text and button of the side that acts. */
const ends = (
  whoActs: "payer" | "builder",
  other: string,
  [usual, button]: readonly [string, ActionName],
  lines: Lines,
): Record<string, Row> =>
  Object.fromEntries(
    Object.entries(lines).map(([cause, [title, text = usual, action = button]]) => {
      const [payer, builder] = whoActs === "payer" ? [text, other] : [other, text];
      return [cause, { title, whoActs, payer, builder, action }];
    }),
  );

const SEE_LOG = "Check the agent’s log for this request ID.";
const UNDER_IT = "then mint a token under it.";
const MINT: readonly [string, ActionName] = ["Mint a new token and send that one.", "mint"];
const SEND: readonly [string, ActionName] = [
  "Send a token in the payment-signature header.",
  "mint",
];

/**
 * The one table of causes: what each is called, who can end it, what each side reads, and the button that ends it. Codes
 * are the service's, a gate's, and, where neither gave one, the payment status.
 */
export const ATTEMPT_CAUSES: Readonly<Record<string, Row>> = {
  ...ends("payer", "The customer must mint a new token.", MINT, {
    token_revoked: ["Access token revoked"],
    token_expired: ["Access token expired"],
    expired_token: ["Access token expired"],
    invalid_token: ["Invalid access token"],
    redemption_limit: ["Access token used up", "Mint a new token. Your credits are unchanged."],
    no_burn_permission: ["Token may not spend credits"],
    terms_not_signed: ["Token names no price"],
    order_limit: ["Token’s order limit reached", "Mint a token that may spend more."],
    other_agent: ["Token for another agent", "Mint a token for this agent."],
    other_verb: ["Token for another method", "Mint a token for this method, or for any."],
    other_resource: ["Token for another endpoint", "Mint a token for this endpoint."],
    invalid_agent: ["Token for another agent or endpoint", "Mint a token for this agent."],
    invalid_plan: ["Token for another plan", "Mint a token for a plan this agent offers."],
    refused: ["Declined"],
    not_signed: ["Request not signed", "Sign the request with the token’s key.", "reference"],
    holder_required: ["Token not bound to a key", "Mint a token bound to your key."],
    amount_not_signed: [
      "Costs more than the offer",
      "Check the offer, then mint a token.",
      "review",
    ],
    key_mismatch: ["Signed with another key", "Sign it with the token’s key.", "reference"],
  }),
  ...ends(
    "payer",
    "The customer must change their delegation.",
    [`Renew it, ${UNDER_IT}`, "renew"],
    {
      delegation_revoked: ["Delegation revoked", `Create another one, ${UNDER_IT}`, "delegate"],
      delegation_expired: ["Delegation expired"],
      max_transactions: ["Delegation exhausted"],
      spending_limit: ["Spending limit reached", `Raise the limit, ${UNDER_IT}`, "raise"],
      limit_exceeded: ["On-chain limit reached", `Raise the limit, ${UNDER_IT}`, "raise"],
      grant_revoked: ["Delegation revoked on chain", `Create another one, ${UNDER_IT}`, "delegate"],
      grant_ended: ["Delegation expired on chain"],
      not_permitted: ["Delegation without this plan", `Create one, ${UNDER_IT}`, "delegate"],
      currency_mismatch: ["Delegation in another currency", `Create one, ${UNDER_IT}`, "delegate"],
    },
  ),
  ...ends(
    "payer",
    "The customer’s budget does not allow this.",
    ["Raise the budget, then send it again.", "budgets"],
    {
      budget_not_allowed: ["Builder not on the budget’s list", "Add the builder to the list."],
      budget_per_call: ["Above the budget of a call", "Raise it, or send a smaller request."],
      budget_per_day: ["Budget of the day used up", "Raise it, or retry after 00:00 UTC."],
      budget_per_week: ["Budget of the week used up", "Raise it, or retry after Monday 00:00 UTC."],
      budget_per_month: ["Budget of the month used up", "Raise it, or retry next month."],
      budget_per_builder: ["Budget for this builder used up"],
      budget_per_agent: ["Budget for this agent used up"],
      budget_currency: ["Budget in another currency", "Remove it, or choose another plan."],
      pending_approval: ["Waiting for approval", "Approve or decline the request.", "approve"],
      approval_declined: ["Declined by a person", "Ask the person who declined it.", "approve"],
    },
  ),
  ...ends(
    "payer",
    "The customer must buy credits.",
    ["Buy credits, then send it again.", "order"],
    {
      no_credits: ["Insufficient credits"],
      insufficient_balance: ["Insufficient credits"],
      order_not_allowed: ["Token may not buy credits"],
      order_too_small: ["One order grants too little", "Buy credits more than once."],
      too_many_orders: ["Credits used by other requests"],
      gas_budget: ["Today’s orders used up", "Buy more credits in one order, or wait a day."],
      plan_archived: ["Plan no longer sold", "Choose another plan.", "explore"],
      trial_used_up: ["Trial used up", "Choose another plan.", "explore"],
    },
  ),
  ...ends(
    "payer",
    "Only the customer can fix their payment.",
    ["Use another card, or add funds.", "card"],
    {
      declined: ["Payment declined"],
      insufficient_funds: ["Insufficient funds", "Add funds to the account that pays."],
      authentication_required: [
        "3-D Secure needed",
        "Confirm the payment with your bank.",
        "confirm",
      ],
    },
  ),
  ...ends(
    "payer",
    "The customer must accept the changed plan.",
    ["Check it, then mint a new token.", "review"],
    {
      price_changed: ["Price changed"],
      fewer_credits: ["Plan grants less"],
    },
  ),
  ...ends("payer", "The caller sent no access token yet.", SEND, {
    token_missing: ["No access token"],
    challenged: ["No access token"],
  }),
  ...ends("payer", "The caller must change the request.", ["Change it, then retry.", "reference"], {
    invalid_input: ["Request not readable"],
    idempotency_conflict: ["Request ID already used", "Use a new request ID."],
    conflict: ["Request already in progress", "Wait for the first answer."],
    status_4xx: ["The agent returned 4xx"],
  }),
  ...ends(
    "builder",
    "Only the builder can fix this.",
    ["Your agent’s setup refuses this token.", "agent"],
    {
      builder_setup: ["Refused by the agent’s setup"],
      price_too_low: ["Price too low", "Raise the price to the service’s minimum.", "plan"],
      plan_not_offered: ["Plan not offered", "Accept this plan in the gate’s route.", "plan"],
      scheme_changed: ["Payment scheme changed", "Offer the plan’s current scheme.", "plan"],
      other_network: ["Wrong network", "Offer the plan on its own network.", "plan"],
      unknown_agent: ["Agent not found", "Check the agent ID in the gate’s routes.", "doctor"],
      plan_not_linked: ["Plan not linked", "Link the plan to this agent.", "link"],
      endpoint_not_registered: ["Endpoint not registered", "Register this endpoint.", "endpoints"],
      internal: ["Gate misconfigured", "Check the gate’s log, then run the doctor.", "doctor"],
    },
  ),
  ...ends("builder", "The agent failed before payment. You can retry.", [SEE_LOG, "agent"], {
    exception: ["The agent failed"],
    work_failed: ["The agent reported a failure"],
    timeout: ["The agent timed out", "Respond faster, or raise the gate’s time limit."],
    nothing_delivered: ["The response was cut off"],
    status_5xx: ["The agent returned 5xx"],
  }),
  ...ends(
    "builder",
    "Don’t pay again: credits may still be charged.",
    ["Settle it, or write it off. The customer can’t be charged twice.", "reconcile"],
    { "delivered-unsettled": ["Payment not confirmed"], unknown: ["Outcome unknown"] },
  ),
  unavailable: {
    title: "Payment service unreachable",
    whoActs: "operator",
    payer: "Nothing was charged. Retry later.",
    builder: "The gate could not reach the service. Callers can retry.",
  },
  paused: {
    title: "Orders paused on chain",
    whoActs: "operator",
    payer: "Nothing was charged. Buy credits later.",
    builder: "The customer can buy no credits until orders resume.",
  },
  chain_failed: {
    title: "Burn failed on chain",
    whoActs: "operator",
    payer: "The ledger has the charge. The service reconciles the two.",
    builder: "The ledger has the charge. The service reconciles the two.",
  },
  written_off: {
    title: "Written off",
    payer: "The builder gave up this charge.",
    builder: "You gave up this charge.",
  },
  "not-charged": {
    title: "Not delivered",
    payer: "Nothing was delivered or charged.",
    builder: "The gate released the credits.",
  },
};

const OPEN: readonly RequestRecord["moneyStatus"][] = ["delivered-unsettled", "unknown"];

function findRow(cause: string): Row | undefined {
  const [, status, kind] = /^status_(([1-5])\d\d)$/.exec(cause) ?? [];
  const name = status ? (kind === "4" ? "status_4xx" : "status_5xx") : cause;
  const row = Object.hasOwn(ATTEMPT_CAUSES, name) ? ATTEMPT_CAUSES[name] : undefined;
  return row && status ? { ...row, title: `The agent returned ${status}` } : row;
}

/** What a cause is called; a gate's own words as they are. */
export const titleOfCause = (cause: string): string => findRow(cause)?.title ?? cause;

type Attempt = Pick<RequestRecord, "cause" | "moneyStatus">;

/** Who can end what is wrong with an attempt. While delivered work is not paid, its builder: whatever the cause. */
export function whoActsOf({ cause, moneyStatus }: Attempt): WhoActs | undefined {
  if (cause === undefined) return undefined;
  return OPEN.includes(moneyStatus) ? "builder" : findRow(cause)?.whoActs;
}

/** What a side reads about an attempt; `action` only where that side can end it. */
export type Explanation = {
  /** The cause in a few words; empty when nothing is wrong. */
  title: string;
  remedy: string;
  action?: { label: string; href: string };
};

/**
 * What one side reads about an attempt.
 *
 * @example const { title, remedy, action } = explainAttempt(record, "subscriber");
 */
export function explainAttempt(record: Attempt & Partial<RequestRecord>, side: Role): Explanation {
  const { cause, moneyStatus, whoActs } = record;
  if (cause === undefined) return { title: "", remedy: "" };
  const row = OPEN.includes(moneyStatus) ? ATTEMPT_CAUSES[moneyStatus] : findRow(cause);
  const reader = side === "builder" ? "builder" : "payer";
  const action = row?.action && whoActs === reader ? fill(ACTIONS[row.action], record) : undefined;
  return {
    title: titleOfCause(cause),
    remedy: row?.[reader] ?? (reader === "builder" ? SEE_LOG : ""),
    ...(action && { action }),
  };
}

function fill([label, template]: readonly [string, string], record: Partial<RequestRecord>) {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof RequestRecord);
  if (names.some((name) => record[name] === undefined)) return undefined;
  const href = names.reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(String(record[name]))),
    template,
  );
  return { label, href };
}

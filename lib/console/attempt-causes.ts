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

/** Causes that one side ends in the same way. `attempt-remedies.ts` has what each side reads about them. */
export type CauseGroup =
  | ("token" | "delegation" | "budget" | "credits" | "payment" | "terms" | "missing" | "request")
  | ("setup" | "agent" | "unsettled");

type Row = { title: string; whoActs?: WhoActs; group?: CauseGroup; action?: ActionName };

/** Titles, with the button where it is not the group's. */
type Lines = Readonly<Record<string, string | readonly [title: string, action: ActionName]>>;

const group = (
  name: CauseGroup,
  whoActs: "payer" | "builder",
  usual: ActionName,
  lines: Lines,
): Record<string, Row> =>
  Object.fromEntries(
    Object.entries(lines).map(([cause, line]) => {
      const [title, action] = typeof line === "string" ? [line, usual] : line;
      return [cause, { title, whoActs, group: name, action }];
    }),
  );

/**
 * The one table of causes: what each is called, who can end it, and the button that ends it. Codes are the service's, a
 * gate's, and, where neither gave one, the payment status.
 */
export const ATTEMPT_CAUSES: Readonly<Record<string, Row>> = {
  ...group("token", "payer", "mint", {
    token_revoked: "Access token revoked",
    token_expired: "Access token expired",
    expired_token: "Access token expired",
    invalid_token: "Invalid access token",
    redemption_limit: "Access token used up",
    no_burn_permission: "Token can’t spend credits",
    terms_not_signed: "Token names no price",
    order_limit: "Token’s order limit reached",
    other_agent: "Token for another agent",
    other_verb: "Token for another method",
    other_resource: "Token for another endpoint",
    invalid_agent: "Token for another agent or endpoint",
    invalid_plan: "Token for another plan",
    refused: "Declined",
    not_signed: ["Request not signed", "reference"],
    holder_required: "Token not bound to a key",
    amount_not_signed: ["Costs more than the offer", "review"],
    key_mismatch: ["Signed with another key", "reference"],
  }),
  ...group("delegation", "payer", "renew", {
    delegation_revoked: ["Delegation revoked", "delegate"],
    delegation_expired: "Delegation expired",
    max_transactions: "Delegation exhausted",
    spending_limit: ["Spending limit reached", "raise"],
    limit_exceeded: ["On-chain limit reached", "raise"],
    grant_revoked: ["Delegation revoked on chain", "delegate"],
    grant_ended: "Delegation expired on chain",
    not_permitted: ["Delegation without this plan", "delegate"],
    currency_mismatch: ["Delegation in another currency", "delegate"],
  }),
  ...group("budget", "payer", "budgets", {
    budget_not_allowed: "Builder not on the budget’s list",
    budget_per_call: "Over the per-call budget",
    budget_per_day: "Daily budget reached",
    budget_per_week: "Weekly budget reached",
    budget_per_month: "Monthly budget reached",
    budget_per_builder: "Budget for this builder reached",
    budget_per_agent: "Budget for this agent reached",
    budget_currency: "Budget in another currency",
    pending_approval: ["Waiting for approval", "approve"],
    approval_declined: ["Declined by a person", "approve"],
  }),
  ...group("credits", "payer", "order", {
    no_credits: "Insufficient credits",
    insufficient_balance: "Insufficient credits",
    order_not_allowed: "Token can’t buy credits",
    order_too_small: "One order isn’t enough",
    credits_owed: "Credit debt too large",
    too_many_orders: "Credits used by other requests",
    gas_budget: "Today’s orders used up",
    balance_full: "Balance full",
    plan_archived: ["Plan no longer sold", "explore"],
    trial_used_up: ["Trial used up", "explore"],
  }),
  ...group("payment", "payer", "card", {
    declined: "Payment declined",
    insufficient_funds: "Insufficient funds",
    authentication_required: ["3-D Secure needed", "confirm"],
  }),
  ...group("terms", "payer", "review", {
    price_changed: "Price changed",
    fewer_credits: "Plan grants less",
  }),
  ...group("missing", "payer", "mint", {
    token_missing: "No access token",
    challenged: "No access token",
  }),
  ...group("request", "payer", "reference", {
    invalid_input: "Request not readable",
    idempotency_conflict: "Request ID already used",
    conflict: "Request already in progress",
    status_4xx: "The agent returned 4xx",
  }),
  ...group("setup", "builder", "agent", {
    builder_setup: "Refused by the agent’s setup",
    price_too_low: ["Price too low", "plan"],
    plan_not_offered: ["Plan not offered", "plan"],
    scheme_changed: ["Payment scheme changed", "plan"],
    other_network: ["Wrong network", "plan"],
    unknown_agent: ["Agent not found", "doctor"],
    plan_not_linked: ["Plan not linked", "link"],
    endpoint_not_registered: ["Endpoint not registered", "endpoints"],
    internal: ["Gate misconfigured", "doctor"],
  }),
  ...group("agent", "builder", "agent", {
    exception: "The agent failed",
    work_failed: "The agent reported a failure",
    timeout: "The agent timed out",
    nothing_delivered: "The response was cut off",
    status_5xx: "The agent returned 5xx",
  }),
  ...group("unsettled", "builder", "reconcile", {
    "delivered-unsettled": "Payment not confirmed",
    unknown: "Outcome unknown",
  }),
  unavailable: { title: "Payment service unreachable", whoActs: "operator" },
  paused: { title: "Orders paused on chain", whoActs: "operator" },
  chain_failed: { title: "Burn failed on chain", whoActs: "operator" },
  written_off: { title: "Written off" },
  "not-charged": { title: "Not delivered" },
};

const OPEN: readonly RequestRecord["moneyStatus"][] = ["delivered-unsettled", "unknown"];

/** The row of a cause, and its name in the table: one for every status of a kind. */
export function findCause(cause: string): { name: string; row: Row | undefined } {
  const [, status, kind] = /^status_(([1-5])\d\d)$/.exec(cause) ?? [];
  const name = status ? (kind === "4" ? "status_4xx" : "status_5xx") : cause;
  const row = Object.hasOwn(ATTEMPT_CAUSES, name) ? ATTEMPT_CAUSES[name] : undefined;
  return { name, row: row && status ? { ...row, title: `The agent returned ${status}` } : row };
}

/** What a cause is called; a gate's own words as they are. */
export const titleOfCause = (cause: string): string => findCause(cause).row?.title ?? cause;

export type Attempt = Pick<RequestRecord, "cause" | "moneyStatus">;

/** What must end for an attempt to succeed. While delivered work is not paid, its payment: whatever the cause. */
export const pendingCause = (cause: string, { moneyStatus }: Attempt): string =>
  OPEN.includes(moneyStatus) ? moneyStatus : cause;

/** Who can end what is wrong with an attempt. */
export function whoActsOf(attempt: Attempt): WhoActs | undefined {
  if (attempt.cause === undefined) return undefined;
  return findCause(pendingCause(attempt.cause, attempt)).row?.whoActs;
}

/** What a side sees of an attempt in a list; `action` only where that side can end it. */
export type Summary = {
  /** The cause in a few words; empty when nothing is wrong. */
  title: string;
  action?: { label: string; href: string };
};

/**
 * What went wrong with an attempt, and the button of the side that can end it.
 *
 * @example const { title, action } = summarizeAttempt(record, "subscriber");
 */
export function summarizeAttempt(record: Attempt & Partial<RequestRecord>, side: Role): Summary {
  const { cause, whoActs } = record;
  if (cause === undefined) return { title: "" };
  const { row } = findCause(pendingCause(cause, record));
  const isMine = whoActs === (side === "builder" ? "builder" : "payer");
  const action = row?.action && isMine ? fill(ACTIONS[row.action], record) : undefined;
  return { title: titleOfCause(cause), ...(action && { action }) };
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

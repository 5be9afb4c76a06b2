import type { InvalidReason } from "@turnpike/payments/protocol";

/**
 * Why a request is refused, finer than the five reasons (§7.1), and what its payer can do about it. Causes with a text
 * concern the payer and their own token; all others are about the builder's setup, or say nothing before the token is
 * proven, and only the plan's owner sees them.
 */
export const CAUSES = {
  malformed: ["invalid_token"],
  no_expiry_or_id: ["invalid_token"],
  other_environment: ["invalid_token"],
  address_spelling: ["invalid_token"],
  offer_changed: ["invalid_token"],
  no_signature: ["invalid_token"],
  signature: ["invalid_token"],
  unknown_token: ["invalid_token"],
  other_session_key: ["invalid_token"],
  token_revoked: ["invalid_token", "This access token was revoked. Mint a new one."],
  delegation_revoked: [
    "invalid_token",
    "The delegation behind this access token was revoked. Create a new one and mint a token under it.",
  ],
  no_burn_permission: [
    "invalid_token",
    "This access token may order credits but not spend them. Mint a new one.",
  ],
  token_expired: ["expired_token", "This access token has expired. Mint a new one."],
  delegation_expired: [
    "expired_token",
    "The delegation behind this access token has expired. Create a new one and mint a token under it.",
  ],
  not_signed: [
    "invalid_token",
    "This access token is bound to a key, and the request is not signed with it. Sign the request, or use a bearer token.",
  ],
  key_mismatch: [
    "invalid_token",
    "This access token is bound to a key, and the request is signed with another one or was changed. Sign the request as it is sent.",
  ],
  holder_required: [
    "invalid_token",
    "This plan doesn’t accept bearer tokens. Pay with `payments.fetch`, or mint an access token with `cnf` and sign each request with its key.",
  ],
  amount_not_signed: [
    "invalid_token",
    "This request costs more credits than the offer that this access token answers. Check the offer, and mint a new one.",
  ],
  unknown_plan: ["invalid_plan"],
  not_your_plan: ["invalid_plan"],
  plan_not_offered: ["invalid_plan"],
  scheme_changed: ["invalid_plan"],
  other_network: ["invalid_plan"],
  other_agent: [
    "invalid_agent",
    "This access token is for another agent. Mint one for this agent.",
  ],
  other_verb: [
    "invalid_agent",
    "This access token is for another HTTP method. Mint one for this method, or without one.",
  ],
  other_resource: [
    "invalid_agent",
    "This access token is for another endpoint. Mint one for this endpoint, or without one.",
  ],
  unknown_agent: ["invalid_agent"],
  plan_not_linked: ["invalid_agent"],
  endpoint_not_registered: ["invalid_agent"],
  redemption_limit: [
    "insufficient_balance",
    "This access token has been used as often as it allows. Mint a new one; your credits are unchanged.",
  ],
  no_credits: ["insufficient_balance", "There are not enough credits. Order the plan."],
  trial_used_up: [
    "insufficient_balance",
    "The credits of the trial are used up, and a trial can be ordered once. Choose another plan.",
  ],
  balance_full: [
    "insufficient_balance",
    "The balance cannot hold the credits of another order. Use credits of this plan, then order again.",
  ],
  plan_archived: [
    "insufficient_balance",
    "The plan is no longer sold, and the remaining credits are too few. Choose another plan.",
  ],
  order_too_small: [
    "insufficient_balance",
    "One order of the plan does not grant enough credits. Order it more than once.",
  ],
  credits_owed: [
    "insufficient_balance",
    "A refund or a dispute took back credits that were already used, and one order would not repay this debt and pay for the request. Order the plan in the dashboard until the debt is repaid.",
  ],
  order_not_allowed: [
    "insufficient_balance",
    "This access token cannot order credits. Order the plan, or mint a token that can.",
  ],
  terms_not_signed: [
    "insufficient_balance",
    "This access token names no price for an order. Mint a new one to order more credits.",
  ],
  price_changed: [
    "insufficient_balance",
    "The plan costs more now than this access token allows. Check the price, then mint a new one.",
  ],
  fewer_credits: [
    "insufficient_balance",
    "The plan grants fewer credits now than this access token requires. Check the plan, then mint a new one.",
  ],
  currency_mismatch: [
    "insufficient_balance",
    "The plan and the delegation are in different currencies. Create a delegation in the plan’s currency.",
  ],
  order_limit: [
    "insufficient_balance",
    "Ordering more credits would exceed this access token’s order limit. Mint one that may order more, under a delegation with enough left.",
  ],
  spending_limit: [
    "insufficient_balance",
    "Ordering more credits would exceed the delegation’s spending limit. Create a new delegation.",
  ],
  max_transactions: [
    "insufficient_balance",
    "The delegation has reached its maximum number of charges. Create a new delegation.",
  ],
  budget_not_allowed: [
    "insufficient_balance",
    "Budgets of this account do not allow this builder. Add them to the budget’s list, or use a builder on it.",
  ],
  budget_per_call: [
    "insufficient_balance",
    "This exceeds the per-call budget. Raise the budget, or send a smaller request.",
  ],
  budget_per_day: [
    "insufficient_balance",
    "The daily budget has too little left for this. Raise the budget, or send this after 00:00 UTC if the whole budget covers it.",
  ],
  budget_per_week: [
    "insufficient_balance",
    "The weekly budget has too little left for this. Raise the budget, or send this after Monday, 00:00 UTC, if the whole budget covers it.",
  ],
  budget_per_month: [
    "insufficient_balance",
    "The monthly budget has too little left for this. Raise the budget, or send this after the first of the month, 00:00 UTC, if the whole budget covers it.",
  ],
  budget_per_builder: [
    "insufficient_balance",
    "The budget for this builder has too little left for this. Raise the budget, or wait until it resets.",
  ],
  budget_per_agent: [
    "insufficient_balance",
    "The budget for this agent has too little left for this. Raise the budget, or wait until it resets.",
  ],
  budget_currency: [
    "insufficient_balance",
    "The plan’s price is in a different currency from the budget. Choose a plan in the budget’s currency, or remove its money limits.",
  ],
  pending_approval: [
    "insufficient_balance",
    "This request waits for a person’s approval. Nothing was charged; send it again once it is approved.",
  ],
  approval_declined: [
    "insufficient_balance",
    "A person declined this request. Nothing was charged.",
  ],
  too_many_orders: [
    "insufficient_balance",
    "This request has ordered the plan several times, and other requests used up the credits. Send it again.",
  ],
  declined: [
    "insufficient_balance",
    "The payment for more credits was declined. Use another payment method.",
  ],
  insufficient_funds: [
    "insufficient_balance",
    "The account cannot pay for more credits. Add funds, or use another payment method.",
  ],
  limit_exceeded: [
    "insufficient_balance",
    "Ordering more credits would exceed the delegation’s limit on chain. Create one with a higher limit.",
  ],
  grant_revoked: [
    "insufficient_balance",
    "The delegation was revoked on chain and cannot order more credits. Create a new one.",
  ],
  grant_ended: [
    "insufficient_balance",
    "The delegation has expired on chain and cannot order more credits. Create a new one.",
  ],
  not_permitted: [
    "insufficient_balance",
    "The delegation on chain does not cover this plan. Create one that does.",
  ],
  paused: [
    "insufficient_balance",
    "Orders are paused on chain. Try again later with a new request.",
  ],
  gas_budget: [
    "insufficient_balance",
    "The gas that the service pays in a day is used up. Try again within 24 hours with a new request.",
  ],
  price_too_low: [
    "insufficient_balance",
    "The plan’s price is below the service’s minimum, so it cannot be ordered. Use another plan.",
  ],
  authentication_required: [
    "insufficient_balance",
    "The bank must confirm the payment for more credits. Confirm the order in the dashboard, or revoke its access token to cancel it.",
  ],
} as const satisfies Record<string, readonly [InvalidReason, string?]>;

/** Why a payment by `exact` is refused. */
const EXACT_CAUSES = {
  authorization_signature: [
    "invalid_token",
    "The authorization is not signed by its payer. Sign the transfer that the offer asks for.",
  ],
  authorization_early: ["invalid_token", "The authorization is not valid yet. Sign a new one."],
  authorization_expired: ["expired_token", "The authorization has expired. Sign a new one."],
  authorization_used: [
    "invalid_token",
    "The authorization was used before. Sign a new one, with a new nonce.",
  ],
  other_payment: [
    "invalid_token",
    "The authorization is for another amount, recipient, token or network than the offer. Sign the transfer that the offer asks for.",
  ],
  wallet_funds: [
    "insufficient_balance",
    "The wallet has too little for this request and those in progress. Add funds to it.",
  ],
  amount_too_small: [
    "invalid_token",
    "The amount is below the service’s minimum, because the service pays the transfer’s gas.",
  ],
  account_wallet: [
    "invalid_token",
    "This wallet belongs to an account. Pay with an access token of the account.",
  ],
  capture_failed: [
    "insufficient_balance",
    "The token did not accept the authorization. Sign a new one. A smart wallet whose payment failed can pay again after 24 hours.",
  ],
} as const satisfies Record<string, readonly [InvalidReason, string?]>;

/** The precise cause of a refusal. */
export type Cause = keyof typeof CAUSES | keyof typeof EXACT_CAUSES;

/** Why a budget of delegation or account does not let a request pass. */
export type BudgetCause = Extract<
  Cause,
  `budget_${string}` | "pending_approval" | "approval_declined"
>;

export const isBudgetCause = (name: string): name is BudgetCause =>
  name.startsWith("budget_") || name === "pending_approval" || name === "approval_declined";

const ALL: Record<Cause, readonly [InvalidReason, string?]> = { ...CAUSES, ...EXACT_CAUSES };

/** What a refusal tells a payer when its cause does not concern them. */
const REASON_TEXT: Record<InvalidReason, string> = {
  invalid_token: "The access token is not valid. Mint a new one.",
  expired_token: "The access token has expired. Mint a new one.",
  insufficient_balance: "There are not enough credits. Order more credits.",
  invalid_plan: "The access token is for another plan. Use one for a plan the agent offers.",
  invalid_agent: "The access token is for another agent or endpoint.",
};

/** The reason behind a cause (§7.1). */
export const reasonOf = (cause: Cause): InvalidReason => ALL[cause][0];

/** What to tell the payer about a cause that concerns them; undefined for all others. */
export const payerTextOf = (cause: Cause): string | undefined => ALL[cause][1];

/** What a refusal tells a person who may not know its cause. */
export const reasonText = (reason: InvalidReason): string => REASON_TEXT[reason];

/** The causes behind a reason; none for other codes. */
export const causesFor = (reason: string): Cause[] =>
  (Object.keys(ALL) as Cause[]).filter((cause) => ALL[cause][0] === reason);

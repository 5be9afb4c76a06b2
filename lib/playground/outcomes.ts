import type { MoneyStatus } from "@turnpike/payments/protocol";
import type { StepStatus } from "./run.ts";

/** What a person can do about an outcome; pages turn each into one button. */
export type ActionId =
  | "check-route"
  | "add-agent-auth"
  | "open-location"
  | "run-again"
  | "order-plan"
  | "buy-credits"
  | "new-delegation"
  | "add-card"
  | "mint-again"
  | "mint-or-check-auth"
  | "use-plan-token"
  | "mint-for-agent"
  | "check-settlement"
  | "check-status"
  | "mint-same"
  | "open-reconcile"
  | "open-receipt"
  | "run-from-server"
  | "copy-fix-prompt"
  | "sign-in";

/**
 * What a step can end in. Sentences hold `{names}` that the step's values fill. `money` is set where the
 * outcome decides what the money of the whole run did.
 */
export type Outcome = {
  status: StepStatus;
  word: string;
  verdict: string;
  /** Said of the whole run instead of the verdict, which is said of the step. */
  summary?: string;
  why: string;
  rule: string;
  spec: string;
  next: string;
  action?: ActionId;
  money?: MoneyStatus;
};

const outcomes = <const T extends Record<string, Outcome>>(table: T): T => table;

const GATE_RULE = {
  rule: "Without a token an agent answers 402 with the offer.",
  spec: "3, step 3",
};
const NO_CHARGE = { rule: "An answer that is not 2xx is never settled.", spec: "3, step 8" };
const OFFER_RULE = {
  rule: "The offer stands in the header payment-required, as base64 of JSON.",
  spec: "2.4",
};
const TOKEN_RULE = {
  rule: "The header payment-signature carries the access token.",
  spec: "4.3",
};
const RIGHTS_RULE = {
  rule: "On a 402 look at the balance: none left means order more, not subscribed means order first.",
  spec: "7.2",
};
const VERIFY_RULE = { rule: "Verify checks a token and takes no credits.", spec: "4.1" };
const SETTLE_RULE = {
  rule: "A 2xx answer is settled; the receipt goes into payment-response.",
  spec: "3, step 6",
};

/** Every outcome of every step. Text is data here, so that it can be tested and translated. */
export const OUTCOMES = outcomes({
  // 1 Ask without paying
  challenged: {
    status: "ok",
    word: "402",
    ...GATE_RULE,
    verdict: "The endpoint asks for payment and says how.",
    why: "Nothing was sent that could pay, so the agent did not work.",
    next: "Read the offer.",
  },
  "not-gated": {
    status: "warn",
    word: "Not gated",
    ...GATE_RULE,
    money: "free",
    verdict: "This endpoint answered for free. It is not gated.",
    why: "It answered {status} without a token, so no route of a gate matched the request.",
    next: "Compare the method and path with the gate's routes.",
    action: "check-route",
  },
  "speaks-json-rpc": {
    status: "warn",
    word: "JSON-RPC",
    rule: "MCP and A2A carry the offer and the token inside their messages.",
    spec: "8",
    money: "free",
    verdict: "This is a JSON-RPC endpoint, as MCP and A2A servers are. HTTP asks for no payment.",
    why: "It answered {status} with a JSON-RPC message. Its paid tools ask inside the message.",
    next: "Pay it with an MCP or A2A client, or run against an HTTP route of the agent.",
    action: "check-route",
  },
  "agent-auth": {
    status: "error",
    word: "Login needed",
    rule: "An endpoint may ask for a login of its own.",
    spec: "5",
    verdict: "The agent asks for its own login before payment.",
    why: "It answered {status}: NONE, BASIC or BEARER is registered per agent and is no payment.",
    next: "Give the agent's login under Auth.",
    action: "add-agent-auth",
    money: "free",
  },
  "ask-refused": {
    status: "error",
    word: "{status}",
    rule: "Unmatched requests pass the gate.",
    spec: "4.5",
    money: "free",
    verdict: "The agent answered {status}, not 402.",
    why: "The request did not reach a gated route, or the agent refuses it for a reason of its own.",
    next: "Check method, path and body.",
    action: "check-route",
  },
  "ask-failed": {
    status: "error",
    word: "{status}",
    ...NO_CHARGE,
    money: "not-charged",
    verdict: "The agent failed before payment. No settlement was made.",
    why: "It answered {status} to a request that carried no token.",
    next: "Run again; if it stays so, the agent is at fault.",
    action: "run-again",
  },
  redirected: {
    status: "error",
    word: "Redirect",
    rule: "A token is never carried to another address.",
    spec: "4.3",
    money: "free",
    verdict: "It leads to {location}. Redirects are shown, not followed.",
    why: "Whoever receives a token can use it, so the address must be the one you chose.",
    next: "If that is your agent, run against that address.",
    action: "open-location",
  },
  unreachable: {
    status: "error",
    word: "Not reachable",
    rule: "No answer is no offer.",
    spec: "3, step 1",
    money: "free",
    verdict: "The agent could not be reached: {message}",
    why: "There was no answer to read. Nothing was paid.",
    next: "Check the address and that the agent runs.",
    action: "run-again",
  },
  "not-sent": {
    status: "error",
    word: "Not sent",
    rule: "The server calls public addresses only.",
    spec: "guard",
    money: "free",
    verdict: "The request was not sent: {message}",
    why: "The server protects what is behind it; in the sandbox it also calls this machine.",
    next: "Use another address, or run from your browser.",
    action: "run-again",
  },
  "ask-hidden": {
    status: "error",
    word: "No answer shown",
    rule: "Browsers show a page only what the agent's CORS headers allow.",
    spec: "CORS",
    money: "free",
    verdict: "The browser showed this page no answer.",
    why: "The agent is not reachable from here, or sends no Access-Control-Allow-Origin for this site.",
    next: "Run from the server: it sees both, and says which it was.",
    action: "run-from-server",
  },
  "hidden-by-browser": {
    status: "error",
    word: "Hidden by CORS",
    rule: "Browsers show a page only what the agent's CORS headers allow.",
    spec: "CORS",
    money: "unknown",
    verdict: "The browser could not show the answer to this page.",
    why: "The agent sends no Access-Control-Allow-Origin for this site, or does not allow payment-signature.",
    next: "Run from the server, or add the lines shown under Headers to the agent.",
    action: "run-from-server",
  },
  "never-ending": {
    status: "warn",
    word: "Cut",
    rule: "The playground reads 5 MiB and waits 60 seconds.",
    spec: "guard",
    money: "free",
    verdict: "The answer was cut: {message}",
    why: "It was larger or slower than the playground reads. Nothing was paid.",
    next: "Check that the route is gated; a 402 is short.",
    action: "check-route",
  },

  // 2 Read the offer
  "offer-valid": {
    status: "ok",
    word: "Valid",
    ...OFFER_RULE,
    verdict: "{count}: {plans}. Nothing to flag.",
    why: "Version, scheme, network, verb, plan and agent all fit.",
    next: "Choose a permission.",
  },
  "offer-flagged": {
    status: "warn",
    word: "Flagged",
    ...OFFER_RULE,
    verdict: "{count}, with {flags} to mend: {first}",
    why: "A client may pay it, but something in it does not fit.",
    next: "See what was found below.",
    action: "copy-fix-prompt",
  },
  "offer-missing": {
    status: "error",
    word: "No offer",
    ...OFFER_RULE,
    money: "challenged",
    verdict: "402 without an offer. A client cannot pay this.",
    why: "There is no payment-required header, and no paymentRequired in the body.",
    next: "Put the offer into the header, or let the gate do it.",
    action: "copy-fix-prompt",
  },
  "offer-hidden": {
    status: "error",
    word: "Hidden by CORS",
    rule: "Access-Control-Expose-Headers names what a page may read.",
    spec: "CORS",
    money: "challenged",
    verdict: "402, but this page may not read its payment-required header.",
    why: "The agent does not name the header in Access-Control-Expose-Headers.",
    next: "Run from the server, or add the lines shown under Headers to the agent.",
    action: "run-from-server",
  },
  "offer-unreadable": {
    status: "error",
    word: "Unreadable",
    ...OFFER_RULE,
    money: "challenged",
    verdict: "The payment-required header is not {expected}.",
    why: "No client can decode it.",
    next: "Encode the offer as JSON, then as standard base64.",
    action: "copy-fix-prompt",
  },
  "offer-wrong-version": {
    status: "error",
    word: "Version {version}",
    rule: "The requirement carries x402Version 2.",
    spec: "9",
    money: "challenged",
    verdict: "The offer is of x402 version {version}; this is version 2.",
    why: "Fields and headers differ between versions.",
    next: "Update the agent's x402 package.",
    action: "copy-fix-prompt",
  },
  "offer-malformed": {
    status: "error",
    word: "Malformed",
    ...OFFER_RULE,
    money: "challenged",
    verdict: "The offer does not fit x402 version 2: {first}",
    why: "A field is missing or of another kind.",
    next: "See what was found below.",
    action: "copy-fix-prompt",
  },
  "offer-foreign": {
    status: "warn",
    word: "Another scheme",
    rule: "svc:erc4337 and svc:card-delegation are paid with plans.",
    spec: "1",
    money: "challenged",
    verdict: "A valid x402 offer, by {schemes}. This playground cannot pay it.",
    why: "It asks for a payment of another kind than a plan's credits.",
    next: "Pay it with a client of that scheme. Everything it asks is decoded below.",
  },

  // 3 Choose a permission
  ready: {
    status: "ok",
    word: "Ready",
    ...RIGHTS_RULE,
    verdict: "{balance} left. {token}",
    why: "The plan is ordered, and a token for it is at hand.",
    next: "Dry verify.",
  },
  "token-pasted": {
    status: "ok",
    word: "Pasted",
    ...TOKEN_RULE,
    verdict: "You pasted a token, so nothing was minted.",
    why: "What it allows stands in it; dry verify says whether it holds.",
    next: "Dry verify.",
  },
  "token-none": {
    status: "skipped",
    word: "No token",
    ...TOKEN_RULE,
    money: "challenged",
    verdict: "You chose to send no token. The exchange ends at the offer.",
    why: "Without a token the agent asks again.",
    next: "Choose ‘Mint for me’ to go on.",
  },
  "sign-in-needed": {
    status: "error",
    word: "Sign in",
    ...RIGHTS_RULE,
    money: "challenged",
    verdict: "Sign in to mint a token, or paste one.",
    why: "A token is minted for somebody's account.",
    next: "Sign in, and come back to this run.",
    action: "sign-in",
  },
  "not-subscribed": {
    status: "error",
    word: "Not ordered",
    ...RIGHTS_RULE,
    money: "challenged",
    verdict: "You have not ordered this plan yet.",
    why: "A token is minted for a plan's credits, and you have none of ‘{plan}’.",
    next: "Order the plan, then run again.",
    action: "order-plan",
  },
  "plan-unknown": {
    status: "error",
    word: "Unknown plan",
    ...RIGHTS_RULE,
    money: "challenged",
    verdict: "The offer names plan {plan}, which this service does not have.",
    why: "The agent sells through another service or environment, or its plan id is wrong.",
    next: "Compare the plan id in the agent's gate with the plans of this service.",
    action: "copy-fix-prompt",
  },
  "no-credits": {
    status: "error",
    word: "0 credits",
    ...RIGHTS_RULE,
    money: "challenged",
    verdict: "0 credits left on ‘{plan}’; this call needs {needed}.",
    why: "The balance does not cover the call, and no delegation may top it up.",
    next: "Buy credits, then run again.",
    action: "buy-credits",
  },
  "over-cap": {
    status: "error",
    word: "Above your cap",
    rule: "A client pays within its own cap.",
    spec: "4.1",
    money: "challenged",
    verdict: "The call asks for {needed}; your cap is {cap}.",
    why: "You set the most a run may use.",
    next: "Raise the cap under Options, or leave it.",
  },
  "delegation-ended": {
    status: "error",
    word: "No delegation",
    rule: "A token spends within a delegation.",
    spec: "2.3",
    money: "challenged",
    verdict: "The delegation cannot be used: {message}",
    why: "It ended, was revoked, or its limit is reached.",
    next: "Make a new one.",
    action: "new-delegation",
  },
  "no-card": {
    status: "error",
    word: "No card",
    rule: "Card plans need a saved card.",
    spec: "4.1, rule 3",
    money: "challenged",
    verdict: "‘{plan}’ is paid by card, and you have none saved.",
    why: "The token's delegation charges a saved card.",
    next: "Add a card, then run again.",
    action: "add-card",
  },
  "mint-refused": {
    status: "error",
    word: "Not minted",
    rule: "Token generation.",
    spec: "4.1",
    money: "challenged",
    verdict: "No token was minted: {message}",
    why: "The service refused it.",
    next: "{hint}",
    action: "mint-again",
  },

  "service-failed": {
    status: "error",
    word: "No answer",
    rule: "Reading, minting and verifying take no credits.",
    spec: "4.1",
    money: "not-charged",
    verdict: "The service could not answer: {message}",
    why: "No token was sent to the agent, so nothing can have been paid.",
    next: "Run again.",
    action: "run-again",
  },

  // 4 Dry verify
  "verify-valid": {
    status: "ok",
    word: "Valid",
    ...VERIFY_RULE,
    verdict: "Payer {payer}. No credits used.",
    why: "The same offer and token were checked as the agent's gate will.",
    next: "Ask again with the token.",
  },
  "verify-tops-up": {
    status: "ok",
    word: "Valid, tops up",
    ...VERIFY_RULE,
    verdict: "Valid, and settling will order ‘{plan}’ first.",
    why: "The balance is short and the token may order within its limits.",
    next: "Ask again with the token.",
  },
  invalid_token: {
    status: "error",
    word: "Refused",
    rule: "invalid_token: token malformed.",
    spec: "7.1",
    money: "refused",
    verdict: "This access token cannot be read.",
    why: "It is malformed, its signature does not fit, or it was revoked.",
    next: "Mint a new token.",
    action: "mint-again",
  },
  expired_token: {
    status: "error",
    word: "Refused",
    rule: "expired_token: token expired.",
    spec: "7.1",
    money: "refused",
    verdict: "This access token has ended. No credits were used.",
    why: "A token ends with its delegation, or after a day.",
    next: "Mint again with same options.",
    action: "mint-same",
  },
  insufficient_balance: {
    status: "error",
    word: "Refused",
    rule: "insufficient_balance: not enough credits.",
    spec: "7.1",
    money: "refused",
    verdict: "{balance} left on ‘{plan}’; this call needs {needed}.",
    why: "The balance, or a limit of the token or its delegation, does not cover it.",
    next: "Buy credits.",
    action: "buy-credits",
  },
  "limit-reached": {
    status: "error",
    word: "Refused",
    rule: "insufficient_balance: not enough credits, or a limit is used up.",
    spec: "7.1",
    money: "refused",
    verdict: "A limit of the token or its delegation is used up; {balance} left on ‘{plan}’.",
    why: "There are credits, but the token may use no more of them.",
    next: "Mint a new token.",
    action: "mint-again",
  },
  invalid_plan: {
    status: "error",
    word: "Refused",
    rule: "invalid_plan: plan id mismatch.",
    spec: "7.1",
    money: "refused",
    verdict: "This token is for ‘{tokenPlan}’; the endpoint asks for ‘{plan}’.",
    why: "A token pays with the one plan it was minted for.",
    next: "Use a ‘{plan}’ token.",
    action: "use-plan-token",
  },
  invalid_agent: {
    status: "error",
    word: "Refused",
    rule: "invalid_agent: agent id mismatch.",
    spec: "7.1",
    money: "refused",
    verdict: "This token is for another agent.",
    why: "The token or the plan does not belong to this agent and endpoint.",
    next: "Mint for this agent.",
    action: "mint-for-agent",
  },
  "verify-unavailable": {
    status: "warn",
    word: "Busy",
    ...VERIFY_RULE,
    money: "not-charged",
    verdict: "The service is busy. It is safe to retry.",
    why: "Verify takes nothing, so asking again costs nothing.",
    next: "Run again.",
    action: "run-again",
  },
  "verify-not-mine": {
    status: "skipped",
    word: "Not yours",
    ...VERIFY_RULE,
    verdict: "Dry verify is for the token's own subscriber; this one belongs to {payer}.",
    why: "What a token may still spend is its owner's to know.",
    next: "The agent will say whether it accepts the token.",
  },

  // 5 Ask again with the token
  answered: {
    status: "ok",
    word: "{status}",
    ...TOKEN_RULE,
    verdict: "The agent answered {status}, {size}.",
    why: "Its gate verified the token, then the agent worked.",
    next: "Look for the receipt.",
  },
  "answer-cut": {
    status: "warn",
    word: "{status}, cut",
    ...SETTLE_RULE,
    verdict: "The agent answered {status}; the answer was cut at {size}.",
    why: "{message} What was read was delivered, so it may be charged.",
    next: "Look for the receipt.",
  },
  "refused-again": {
    status: "error",
    word: "402",
    rule: "Verification invalid: 402 with the offer.",
    spec: "3, step 4",
    money: "refused",
    verdict: "402 again: {message}",
    why: "Dry verify said: {verify}",
    next: "Mint a new token, or ask the agent's builder when dry verify was valid.",
    action: "mint-again",
  },
  "token-not-accepted": {
    status: "error",
    word: "{status}",
    rule: "On 401 make a new token with the same options.",
    spec: "7.2",
    money: "refused",
    verdict: "The agent did not accept the token or its own login.",
    why: "It answered {status}.",
    next: "Mint again, or check the agent's login.",
    action: "mint-or-check-auth",
  },
  "agent-failed": {
    status: "error",
    word: "{status}",
    ...NO_CHARGE,
    money: "not-charged",
    verdict: "The agent failed. You were not charged.",
    summary: "The agent failed before payment. No settlement was made.",
    why: "It answered {status}, and the service gave the credits on hold back.",
    next: "Run again.",
    action: "run-again",
  },
  "agent-failed-unknown": {
    status: "error",
    word: "{status}",
    ...NO_CHARGE,
    money: "unknown",
    verdict: "The agent failed. The service has not yet said what became of the payment.",
    why: "It answered {status}; by the rule nothing is settled, but that was not confirmed.",
    next: "Check the settlement before paying again.",
    action: "check-settlement",
  },
  "agent-refused": {
    status: "error",
    word: "{status}",
    ...NO_CHARGE,
    money: "not-charged",
    verdict: "The agent refused the request. You were not charged.",
    why: "It answered {status}: {message}",
    next: "Mend the request and run again.",
    action: "run-again",
  },
  "lost-answer": {
    status: "error",
    word: "No answer",
    rule: "A lost answer is unknown, not failed.",
    spec: "7.2",
    money: "unknown",
    verdict: "We could not learn the outcome. Do not pay again yet.",
    why: "The request was sent, and no whole answer came: {message}",
    next: "Check status.",
    action: "check-status",
  },
  "gate-unavailable": {
    status: "error",
    word: "503",
    rule: "When verify cannot be reached the agent is not run.",
    spec: "gate",
    money: "not-charged",
    verdict: "The agent's gate could not verify. The agent was not run.",
    why: "It answered 503 with Retry-After.",
    next: "Run again.",
    action: "run-again",
  },
  stopped: {
    status: "skipped",
    word: "Stopped",
    rule: "A run stops where you stop it.",
    spec: "-",
    verdict: "You stopped the run here.",
    why: "Nothing after this step was sent.",
    next: "Run again at any time.",
    action: "run-again",
  },

  // 6 Settle and receipt
  settled: {
    status: "ok",
    word: "Settled",
    ...SETTLE_RULE,
    money: "settled",
    verdict: "{credits} used, {after} left. Receipt agrees with the balance.",
    why: "Settlement runs only after a 2xx answer. The credits had been on hold since verify.",
    next: "Nothing to do. Keep the receipt if you need proof.",
    action: "open-receipt",
  },
  "settled-odd": {
    status: "warn",
    word: "Settled",
    ...SETTLE_RULE,
    money: "settled",
    verdict: "{credits} used, but not everything agrees: {first}",
    why: "The receipt says success; a comparison below does not hold.",
    next: "See what was found below.",
    action: "open-receipt",
  },
  "settled-later": {
    status: "ok",
    word: "Settled",
    rule: "The receipt of a stream comes at its end.",
    spec: "8",
    money: "settled",
    verdict:
      "{credits} used, {after} left. The service has the settlement; the answer carried no receipt.",
    why: "A streamed answer sends its headers before it is settled.",
    next: "Nothing to do.",
    action: "open-receipt",
  },
  "delivered-unsettled": {
    status: "warn",
    word: "Not confirmed",
    rule: "If settlement fails after a 2xx, the answer is returned unchanged.",
    spec: "3, step 7",
    money: "delivered-unsettled",
    verdict:
      "You have the answer, but payment was not confirmed. Credits may still be taken later.",
    why: "It answered {status} without a settlement; it was looked for by request id for {waited} s. Its gate retries with the same request id, so credits can be taken once at most.",
    next: "Check the settlement. Do not send the request again yet.",
    action: "check-settlement",
  },
  "receipt-refused": {
    status: "error",
    word: "Refused",
    rule: "Settlement reports success false: the credits are not reported as burned.",
    spec: "7.2",
    money: "delivered-unsettled",
    verdict: "Payment was refused: {message}. The service reports no credits used.",
    why: "The agent delivered before its payment was refused.",
    next: "Open reconcile.",
    action: "open-reconcile",
  },
  "receipt-unreadable": {
    status: "warn",
    word: "Unreadable",
    ...SETTLE_RULE,
    money: "unknown",
    verdict: "The payment-response header cannot be read.",
    why: "It is not base64 of a settlement.",
    next: "Check the settlement.",
    action: "check-settlement",
  },
  "not-asked": {
    status: "skipped",
    word: "Not run",
    rule: "Runs only after a 2xx answer.",
    spec: "3, step 8",
    verdict: "Not run: an earlier step ended the exchange.",
    why: "There was nothing to settle.",
    next: "Mend the step that stopped.",
  },
});

export type OutcomeCode = keyof typeof OUTCOMES;

/** An outcome with a step's values in its sentences. A name without a value stays empty. */
export function describeOutcome(code: OutcomeCode, values: Record<string, string>): Outcome {
  const outcome: Outcome = OUTCOMES[code];
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_all, name) => values[name] ?? "");
  return {
    ...outcome,
    word: fill(outcome.word),
    verdict: fill(outcome.verdict),
    why: fill(outcome.why),
    next: fill(outcome.next),
  };
}

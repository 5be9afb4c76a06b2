import type { MoneyStatus } from "@turnpike/payments/protocol";

/** What a user can do about an outcome; pages turn each into one button. */
export type ActionId =
  | "check-route"
  | "add-agent-auth"
  | "open-location"
  | "run-again"
  | "order-plan"
  | "buy-credits"
  | "new-delegation"
  | "open-budgets"
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
  | "run-from-browser"
  | "copy-fix-prompt"
  | "wait-longer"
  | "sign-in";

export type OutcomeStatus = "ok" | "warn" | "error" | "skipped";

/**
 * How a step can end. Sentences hold `{names}` that the step's values fill. `money` is set where the outcome
 * decides the payment status of the whole run.
 */
export type Outcome = {
  status: OutcomeStatus;
  word: string;
  verdict: string;
  /** Shown for the whole run in place of the verdict, which is about the step. */
  summary?: string;
  why: string;
  rule: string;
  spec: string;
  next: string;
  action?: ActionId;
  money?: MoneyStatus;
};

const outcomes = <const T extends Record<string, Outcome>>(table: T): T => table;

/** Outcomes that share some members: each adds its word, and the rule that applies where others share it. */
const named =
  <const Shared extends Partial<Outcome>>(shared: Shared) =>
  <Applies extends object>(word: string, applies?: Applies) =>
    ({ ...shared, word, ...applies }) as Shared & { word: string } & Applies;
const ok = named({ status: "ok" });
const warn = named({ status: "warn" });
const error = named({ status: "error" });
const skipped = named({ status: "skipped" });
/** What applies, and where the specification says so. */
const rule = (text: string, spec: string) => ({ rule: text, spec });

const GATE_RULE = rule("Without a token, an agent returns 402 with its offer.", "3, step 3");
const NO_CHARGE = rule("A response other than 2xx is never settled.", "3, step 8");
const OFFER_RULE = rule(
  "The payment-required header carries the offer as base64-encoded JSON.",
  "2.4",
);
const TRANSFER_RULE = rule(
  "By exact, the payer signs one transfer (EIP-3009) and the seller collects it.",
  "x402",
);
const TOKEN_RULE = rule("The payment-signature header carries the access token.", "4.3");
const BALANCE_RULE = rule(
  "On a 402, check the balance: order the plan if you are not subscribed, buy more credits if none are left.",
  "7.2",
);
const VERIFY_RULE = rule("Verifying a token uses no credits.", "4.1");
const SETTLE_RULE = rule(
  "A 2xx response is settled, and its receipt is sent in payment-response.",
  "3, step 6",
);

/** The token or the payment was declined by verify. */
const DECLINED = { status: "error", word: "Declined", spec: "7.1", money: "refused" } as const;
/** No client can read the offer. */
const noOffer = named({
  status: "error",
  ...OFFER_RULE,
  money: "challenged",
  action: "copy-fix-prompt",
});
/** No token could be minted. */
const noToken = named({ status: "error", money: "challenged" });
/** There is no response to judge, so nothing says whether the endpoint requires payment. */
const noAnswer = named({
  status: "error",
  ...rule("Without a response there is no offer.", "3, step 1"),
  why: "There was no response to read. Nothing was paid.",
  action: "run-again",
});
const HIDDEN = {
  status: "error",
  word: "Hidden by CORS",
  rule: "A browser shows a page only what the agent’s CORS headers allow.",
  spec: "CORS",
  action: "run-from-server",
} as const;

/** Every outcome of every step. The text is data, so it can be tested and translated. */
export const OUTCOMES = outcomes({
  // 1 Request without payment
  challenged: {
    ...ok("402", GATE_RULE),
    verdict: "The endpoint requires payment and says how to pay.",
    why: "The request carried no payment, so the agent did no work.",
    next: "Read the offer.",
  },
  "not-gated": {
    ...warn("Not gated", GATE_RULE),
    money: "free",
    verdict: "This endpoint responded without payment. It is not gated.",
    why: "It returned {status} without a token, so no gate route matched the request.",
    next: "Compare the method and path with the gate’s routes.",
    action: "check-route",
  },
  "speaks-json-rpc": {
    ...warn("JSON-RPC"),
    ...rule("MCP and A2A carry the offer and the token inside their messages.", "8"),
    money: "free",
    verdict:
      "This is a JSON-RPC endpoint, as used by MCP and A2A servers. It requires no payment over HTTP.",
    why: "It returned {status} with a JSON-RPC message. Its paid tools request payment inside the message.",
    next: "Call it with an MCP or A2A client, or run against one of the agent’s HTTP routes.",
    action: "check-route",
  },
  "agent-auth": {
    ...error("Auth required", rule("An endpoint may require its own authentication.", "5")),
    verdict: "The agent requires its own authentication before payment.",
    why: "It returned {status}. An agent’s authentication (NONE, BASIC or BEARER) is separate from payment.",
    next: "Enter the agent’s credentials under Auth.",
    action: "add-agent-auth",
  },
  "ask-refused": {
    ...error("{status}", rule("Requests that match no route pass the gate.", "4.5")),
    verdict: "The agent returned {status}, not 402.",
    why: "The request did not match a gated route, or the agent itself rejected it.",
    next: "Check the method, path and body.",
    action: "check-route",
  },
  "ask-failed": {
    ...error("{status}", NO_CHARGE),
    money: "not-charged",
    verdict: "The agent failed before payment. No settlement was made.",
    why: "It returned {status} to a request without a token.",
    next: "Run again. If it keeps failing, the problem is in the agent.",
    action: "run-again",
  },
  redirected: {
    ...error("Redirect", rule("A token is never forwarded to another address.", "4.3")),
    verdict: "The agent redirects to {location}. Redirects are not followed.",
    why: "Anyone who receives a token can use it, so you choose the address it goes to.",
    next: "If the new address is your agent, run against it.",
    action: "open-location",
  },
  "agent-card": {
    ...warn("A2A agent card"),
    ...rule("An agent card describes an agent and names the URL to call. It is public.", "8"),
    verdict: "This is an A2A agent card, not an endpoint. The agent is called at {location}.",
    why: "It returned {status} with a card that lists the agent’s skills.",
    next: "Run against the agent’s own URL.",
    action: "open-location",
  },
  unreachable: {
    ...noAnswer("Unreachable"),
    verdict: "The agent could not be reached: {message}",
    next: "Check the host and port, and that the agent is running and accepts connections.",
  },
  "name-unknown": {
    ...noAnswer("Host not found"),
    verdict: "The agent’s host name could not be resolved: {message}",
    next: "Check the spelling of the host name and its DNS records.",
  },
  "tls-invalid": {
    ...noAnswer("TLS error"),
    ...rule("A token is sent only over a connection whose certificate is valid.", "4.3"),
    verdict: "{message}",
    next: "Install a certificate from a public authority, for this host name and with its full chain.",
  },
  "too-slow": {
    ...noAnswer("Timed out"),
    verdict: "The agent took longer than your time limit of {limit} s.",
    why: "{message} Nothing was paid.",
    next: "Raise the time limit under Options, up to 5 minutes, and run again.",
    action: "wait-longer",
  },
  "headers-too-large": {
    ...noAnswer("Headers too large"),
    ...rule(
      "The playground reads up to 64 KiB of response headers. Many proxies allow 8 to 16 KiB.",
      "guard",
    ),
    verdict: "The response headers are too large to read.",
    why: "{message} Nothing was paid.",
    next: "Shorten the headers. An offer fits in a few kilobytes.",
  },
  "not-http": {
    ...noAnswer("Not HTTP"),
    verdict: "The agent’s response is not valid HTTP.",
    why: "{message} Nothing was paid.",
    next: "Check that the port belongs to an HTTP server, and that the URL’s scheme is right.",
  },
  "connection-lost": {
    ...noAnswer("Connection lost"),
    verdict: "The agent closed the connection without a response.",
    why: "{message} Nothing was paid.",
    next: "Check the agent’s log for a crash or a proxy’s timeout.",
  },
  "not-sent": {
    ...error("Address blocked", rule("The server calls public addresses only.", "guard")),
    verdict: "The request was not sent: {message}",
    why: "The server protects its private network. In the sandbox it can also call this machine.",
    next: "Use a public address, or run from your browser under Options.",
    action: "run-from-browser",
  },
  "request-blocked": {
    ...error("Not sent"),
    ...rule(
      "The server sends only requests that are valid and carry no API key of this service.",
      "guard",
    ),
    verdict: "The request was not sent: {message}",
    why: "The server rejected the request before it reached the agent. Nothing was paid.",
    next: "Fix the request, then run again.",
    action: "run-again",
  },
  "send-limited": {
    ...error("Rate limit"),
    ...rule("The server sends a limited number of requests per minute.", "guard"),
    verdict: "The request was not sent: {message}",
    why: "The limit protects the agents that the server calls. Nothing was paid.",
    next: "Wait a minute, then run again. Signed in, you have your own limit.",
    action: "run-again",
  },
  "ask-hidden": {
    ...HIDDEN,
    verdict: "The agent answered, but the browser does not show this page the response.",
    why: "CORS: the agent’s response or its preflight response does not allow this site. The browser does not say which.",
    next: "Add these response headers to the agent, or run from the server:\n{lines}",
  },
  "browser-unreachable": {
    ...HIDDEN,
    word: "Unreachable from browser",
    ...rule("A browser reports every network failure as the same error.", "Fetch"),
    verdict: "This browser could not reach the agent.",
    why: "The host, its certificate or the network failed. The browser does not say which. {message}",
    next: "Run from the server to see which it is.",
  },
  "redirect-hidden": {
    ...HIDDEN,
    word: "Redirect",
    ...rule("A browser does not tell a page where a response redirects to.", "Fetch"),
    verdict: "The agent redirects. The browser does not show where to.",
    why: "Redirects are not followed, so that a token goes only to the address you chose.",
    next: "Run from the server to see the new address.",
  },
  "hidden-by-browser": {
    ...HIDDEN,
    money: "unknown",
    verdict: "The browser could not show the response to this page.",
    why: "The agent sends no Access-Control-Allow-Origin for this site, or does not allow payment-signature.",
    next: "Check your activity before you pay again. Add these response headers to the agent:\n{lines}",
  },
  "never-ending": {
    ...warn("Cut off"),
    ...rule(
      "The playground reads up to 5 MiB and waits as long as the time limit under Options.",
      "guard",
    ),
    money: "free",
    verdict: "The response was cut off: {message}",
    why: "It was larger or slower than the playground allows. Nothing was paid.",
    next: "Check that the route is gated. A 402 is short.",
    action: "check-route",
  },

  // 2 Read the offer
  "offer-valid": {
    ...ok("Valid", OFFER_RULE),
    verdict: "{count}: {plans}. No problems found.",
    why: "Version, scheme, network, method, plan and agent all match.",
    next: "Get an access token.",
  },
  "offer-flagged": {
    ...warn("Has problems", OFFER_RULE),
    verdict: "{count} with {flags}. First: {first}",
    why: "A client may still be able to pay it, but part of it is wrong.",
    next: "See the values below.",
    action: "copy-fix-prompt",
  },
  "offer-missing": {
    ...noOffer("No offer"),
    verdict: "402 without an offer. No client can pay it.",
    why: "There is no payment-required header, and no paymentRequired in the body.",
    next: "Send the offer in the header, or let the gate do it.",
  },
  "offer-hidden": {
    ...HIDDEN,
    rule: "Access-Control-Expose-Headers lists what a page may read.",
    money: "challenged",
    verdict: "402, but the browser shows this page no payment-required header.",
    why: "The agent sends no such header, or does not list it in Access-Control-Expose-Headers.",
    next: "Add this response header to the agent, or run from the server:\naccess-control-expose-headers: payment-required, payment-response, payment-request-id",
  },
  "offer-unreadable": {
    ...noOffer("Unreadable"),
    verdict: "The payment-required header is not {expected}.",
    why: "No client can decode it.",
    next: "Encode the offer as JSON, then as standard base64.",
  },
  "offer-wrong-version": {
    ...error("Version {version}", rule("The offer carries x402Version 2.", "9")),
    money: "challenged",
    verdict: "The offer uses x402 version {version}. Turnpike uses version 2.{cost}",
    why: "Fields and headers differ between versions.",
    next: "Update the agent’s x402 package.",
    action: "copy-fix-prompt",
  },
  "offer-version-1": {
    ...warn("Version 1"),
    ...rule(
      "In x402 version 1 the offer is in the body, and the payment in the x-payment header.",
      "9",
    ),
    money: "challenged",
    verdict: "An offer of x402 version 1, which is read and not paid.{cost}{problem}",
    why: "Version 2 renamed fields and headers, so a client of one does not pay the other.",
    next: "Pay it with a client of version 1, or ask the seller to update its x402 package.",
  },
  "offer-malformed": {
    ...noOffer("Malformed"),
    verdict: "The offer does not match x402 version 2: {first}",
    why: "A field is missing or has the wrong type.",
    next: "See the values below.",
  },
  "offer-foreign": {
    ...warn("Other scheme", rule("The playground pays plans, and exact on EVM networks.", "1")),
    money: "challenged",
    verdict: "An x402 offer for {schemes}, which the playground cannot pay.{cost}",
    why: "Its scheme or network is not one the playground pays, or a value below is wrong.",
    next: "Pay it with a client for that scheme. The decoded offer is below.",
  },

  // 3 Get an access token
  ready: {
    ...ok("Ready", BALANCE_RULE),
    verdict: "{balance} left. A token was minted for this agent.",
    why: "You are subscribed to the plan, and the token can pay for it.",
    next: "Verify the token (dry run).",
  },
  "token-pasted": {
    ...ok("Your token", TOKEN_RULE),
    verdict: "Using the token you gave.",
    why: "Its permissions are inside the token. The dry run checks them.",
    next: "Verify the token (dry run).",
  },
  "token-none": {
    ...skipped("No token", TOKEN_RULE),
    money: "challenged",
    verdict: "You chose to send no token, so the run ends at the offer.",
    why: "Without a token, the agent would return 402 again.",
    next: "To continue, choose “Your account” under Payer.",
  },
  "sign-in-needed": {
    ...warn("Sign in to pay", BALANCE_RULE),
    money: "challenged",
    verdict: "This call costs {cost}. Sign in to pay.",
    why: "A token is minted for an account. Nothing was paid.",
    next: "Sign in. This run is kept in your browser and continues here.",
    action: "sign-in",
  },
  "signed-only": {
    ...warn("Signed requests only"),
    money: "challenged",
    ...rule("A plan can require that the token’s holder signs each request.", "6"),
    verdict: "“{plan}” accepts only signed requests, which the playground does not send.",
    why: "A token for this plan is bound to a key, and the key’s holder signs every request with it.",
    next: "Call the agent with the SDK: payments.fetch makes the key and signs each request.",
  },
  "not-subscribed": {
    ...noToken("Not subscribed", BALANCE_RULE),
    verdict: "You have not ordered this plan yet.",
    why: "A token spends a plan’s credits, and you have none of “{plan}”.",
    next: "Order the plan, then run again.",
    action: "order-plan",
  },
  "plan-unknown": {
    ...noToken("Unknown plan", BALANCE_RULE),
    verdict: "The offer names plan {plan}, which this service does not have.",
    why: "The agent sells through another service or environment, or its plan ID is wrong.",
    next: "Compare the plan ID in the agent’s gate with your plans.",
    action: "copy-fix-prompt",
  },
  "no-credits": {
    ...noToken("0 credits", BALANCE_RULE),
    verdict: "0 credits left on “{plan}”. This call needs {needed}.",
    why: "The balance does not cover the call, and no delegation can top it up.",
    next: "Buy credits, then run again.",
    action: "buy-credits",
  },
  "over-cap": {
    ...noToken("Above your limit", rule("A client pays only up to its own limit.", "4.1")),
    verdict: "The call costs {needed}. Your limit is {cap}.",
    why: "You set the maximum credits a run may use.",
    next: "Raise the limit under Options, or remove it.",
  },
  "delegation-ended": {
    ...noToken("No delegation", rule("A token spends within a delegation.", "2.3")),
    verdict: "The delegation cannot be used: {message}",
    why: "It expired, was revoked, or has reached its limit.",
    next: "Create a new delegation.",
    action: "new-delegation",
  },
  "no-card": {
    ...noToken("No card", rule("Card plans need a saved card.", "4.1, rule 3")),
    verdict: "“{plan}” is paid by card, and you have no saved card.",
    why: "The token’s delegation charges a saved card.",
    next: "Add a card, then run again.",
    action: "add-card",
  },
  "mint-refused": {
    ...noToken("Not minted", rule("The service checks every request to mint a token.", "4.1")),
    verdict: "No token was minted: {message}",
    why: "The service rejected the request.",
    next: "{hint}",
    action: "mint-again",
  },

  "service-failed": {
    ...error("No response", rule("Reading, minting and verifying use no credits.", "4.1")),
    money: "not-charged",
    verdict: "The service did not respond: {message}",
    why: "No token was sent to the agent, so nothing was paid.",
    next: "Run again.",
    action: "run-again",
  },

  signed: {
    ...ok("Signed", TRANSFER_RULE),
    verdict: "{price} to {seller}, once, before {until}.",
    why: "The wallet signed one transfer. The seller can collect exactly this amount, and nothing else.",
    next: "Verify the authorization (dry run).",
  },
  "not-approved": {
    ...skipped("Not signed", TRANSFER_RULE),
    money: "challenged",
    verdict: "You did not sign. Nothing was sent, so nothing is paid.",
    why: "The run ends at the offer.",
    next: "Run again at any time.",
    action: "run-again",
  },
  "price-over-cap": {
    ...noToken("Above your limit", rule("A client pays only up to its own limit.", "4.1")),
    verdict: "The call costs {price}. Your limit for a run is {cap}.",
    why: "You set the most a run may pay.",
    next: "Raise the limit under Options.",
  },
  "token-not-taken": {
    ...noToken("No tokens accepted", TRANSFER_RULE),
    verdict: "This seller accepts direct payments, not tokens.",
    why: "The offer is by exact, which a wallet pays by signing one transfer.",
    next: "Choose another payer.",
  },
  "wallet-only": {
    ...noToken("Wallets only", TRANSFER_RULE),
    verdict: "This call accepts direct payments from wallets, not from accounts of this service.",
    why: "The seller is on this service, where accounts pay for plans with tokens, and the offer is by exact only.",
    next: "Choose your wallet as the payer.",
  },

  // 4 Verify (dry run)
  "transfer-valid": {
    ...ok("Valid", VERIFY_RULE),
    verdict: "Signature, balance, time and nonce hold. Nothing was moved.",
    why: "The service ran the checks of a facilitator on the authorization, against the chain.",
    next: "Retry with payment.",
  },
  "transfer-unchecked": {
    ...skipped("Not checked", VERIFY_RULE),
    verdict: "The authorization can’t be checked here.",
    why: "This service does not read the offer’s network, or tells only the seller. The seller’s facilitator checks it.",
    next: "Send it to see whether the seller accepts it.",
  },
  "transfer-invalid": {
    ...DECLINED,
    rule: "An authorization must be signed, funded, unused and in time.",
    verdict: "The authorization is not valid: {message} Nothing was sent.",
    why: "The chain would refuse the transfer.",
    next: "Fund the wallet, or run again.",
    action: "run-again",
  },
  "verify-valid": {
    ...ok("Valid", VERIFY_RULE),
    verdict: "Payer {payer}. No credits used.",
    why: "The service ran the same check on the offer and token as the agent’s gate.",
    next: "Retry with payment.",
  },
  "verify-tops-up": {
    ...ok("Valid, tops up", VERIFY_RULE),
    verdict: "Valid. Settling orders “{plan}” first.",
    why: "The balance does not cover the call, and the token may order more credits within its limits.",
    next: "Retry with payment.",
  },
  invalid_token: {
    ...DECLINED,
    rule: "invalid_token: the token is malformed.",
    verdict: "This access token cannot be read.",
    why: "It is malformed, its signature does not match, or it was revoked.",
    next: "Mint a new token.",
    action: "mint-again",
  },
  expired_token: {
    ...DECLINED,
    rule: "expired_token: the token has expired.",
    verdict: "This access token has expired. No credits were used.",
    why: "A token expires with its delegation, or after one day.",
    next: "Mint a new token with the same options.",
    action: "mint-same",
  },
  insufficient_balance: {
    ...DECLINED,
    rule: "insufficient_balance: not enough credits.",
    verdict: "{balance} left on “{plan}”. This call needs {needed}.",
    why: "The balance, or a limit of the token or its delegation, does not cover the call.",
    next: "Buy credits.",
    action: "buy-credits",
  },
  "budget-reached": {
    ...DECLINED,
    rule: "insufficient_balance: not enough credits, or a limit has been reached.",
    verdict: "A budget does not allow this call. {message}",
    why: "The budgets of the delegation and of the account count all tokens, keys and payment methods.",
    next: "Raise the budget.",
    action: "open-budgets",
  },
  "waits-for-approval": {
    ...DECLINED,
    status: "warn",
    rule: "pending_approval: a person has to approve the request.",
    verdict: "This call would need a person’s approval, and a playground run can’t wait for one.",
    why: "A budget requires approval for it. This step only checks the token, so no request appears in Approvals.",
    next: "Mint an access token, send the call with it and approve the request. Or change the budget.",
    action: "open-budgets",
  },
  "limit-reached": {
    ...DECLINED,
    rule: "insufficient_balance: not enough credits, or a limit has been reached.",
    verdict: "The token or its delegation has reached a limit. {balance} left on “{plan}”.",
    why: "The plan still has credits, but this token may not use them.",
    next: "Mint a new token.",
    action: "mint-again",
  },
  invalid_plan: {
    ...DECLINED,
    rule: "invalid_plan: the plan IDs do not match.",
    verdict: "This token is for “{tokenPlan}”. The endpoint requires “{plan}”.",
    why: "A token pays only with the plan it was minted for.",
    next: "Use a “{plan}” token.",
    action: "use-plan-token",
  },
  invalid_agent: {
    ...DECLINED,
    rule: "invalid_agent: the agent IDs do not match.",
    verdict: "This token is for another agent.",
    why: "The token or the plan does not belong to this agent and endpoint.",
    next: "Mint a token for this agent.",
    action: "mint-for-agent",
  },
  "verify-unavailable": {
    ...warn("Busy", VERIFY_RULE),
    money: "not-charged",
    verdict: "The service is busy. It is safe to retry.",
    why: "Verifying charges nothing, so you can run it again at no cost.",
    next: "Run again.",
    action: "run-again",
  },
  "verify-not-mine": {
    ...skipped("Not yours", VERIFY_RULE),
    verdict: "Only the subscriber can verify this token. It belongs to {payer}.",
    why: "Only the owner of a token can see what it may still spend.",
    next: "Send it to see whether the agent accepts it.",
  },

  // 5 Retry with payment
  answered: {
    ...ok("{status}", TOKEN_RULE),
    verdict: "The agent returned {status} ({size}).",
    why: "The gate verified the token, then the agent did the work.",
    next: "Check the receipt.",
  },
  "answer-cut": {
    ...warn("{status}, cut off", SETTLE_RULE),
    verdict: "The agent returned {status}. The response was cut off at {size}.",
    why: "{message} What was read counts as delivered, so you may be charged.",
    next: "Check the receipt.",
  },
  "refused-again": {
    ...error("402"),
    ...rule("If the token is not valid, the gate returns 402 with the offer.", "3, step 4"),
    money: "refused",
    verdict: "402 again: {message}",
    why: "Result of the dry run: {verify}",
    next: "Mint a new token. If the dry run was valid, ask the agent’s builder.",
    action: "mint-again",
  },
  "token-not-accepted": {
    ...error("{status}", rule("On a 401, mint a new token with the same options.", "7.2")),
    money: "refused",
    verdict: "The agent accepted neither the token nor its own credentials.",
    why: "It returned {status}.",
    next: "Mint a new token, or check the agent’s credentials.",
    action: "mint-or-check-auth",
  },
  "agent-failed": {
    ...error("{status}", NO_CHARGE),
    money: "not-charged",
    verdict: "The agent failed. The call was not charged.{order}",
    summary: "The agent failed before payment. No settlement was made.{order}",
    why: "It returned {status}, and the service released the reserved credits.",
    next: "Run again.",
    action: "run-again",
  },
  "agent-failed-unknown": {
    ...error("{status}", NO_CHARGE),
    money: "unknown",
    verdict: "The agent failed. The service has not confirmed whether you were charged.",
    why: "It returned {status}. By the rule nothing is settled, but that is not confirmed yet.",
    next: "Check the settlement before you pay again.",
    action: "check-settlement",
  },
  "agent-refused": {
    ...error("{status}", NO_CHARGE),
    money: "not-charged",
    verdict: "The agent rejected the request. The call was not charged.{order}",
    why: "It returned {status}: {message}",
    next: "Fix the request, then run again.",
    action: "run-again",
  },
  "lost-answer": {
    ...error("No response", rule("A lost response means unknown, not failed.", "7.2")),
    money: "unknown",
    verdict: "The outcome is unknown. Don’t pay again yet.",
    why: "The request was sent, but no complete response arrived: {message}",
    next: "Check the status.",
    action: "check-status",
  },
  "gate-unavailable": {
    ...error("503", rule("If the gate cannot verify the token, the agent does not run.", "gate")),
    money: "not-charged",
    verdict: "The agent’s gate could not verify the token. The agent did not run.",
    why: "It answered 503 with Retry-After.",
    next: "Run again.",
    action: "run-again",
  },
  stopped: {
    ...skipped("Stopped", rule("A run ends where you stop it.", "-")),
    verdict: "You stopped the run here.",
    why: "Nothing was sent after this point.",
    next: "Run again at any time.",
    action: "run-again",
  },

  // 6 Settlement and receipt
  settled: {
    ...ok("Settled", SETTLE_RULE),
    money: "settled",
    verdict: "{credits} used, {after} left. The receipt matches the balance.",
    why: "Only a 2xx response is settled. The credits had been reserved since verification.",
    next: "Nothing to do. Keep the receipt as proof of payment.",
    action: "open-receipt",
  },
  "settled-odd": {
    ...warn("Settled", SETTLE_RULE),
    money: "settled",
    verdict: "{credits} used, but one value does not match: {first}",
    why: "The receipt reports success, but a check below failed.",
    next: "See the values below.",
    action: "open-receipt",
  },
  "settled-later": {
    ...ok("Settled", rule("The receipt of a streamed response comes at its end.", "8")),
    money: "settled",
    verdict:
      "{credits} used, {after} left. The service has the settlement; the response carried no receipt.",
    why: "A streamed response sends its headers before it is settled.",
    next: "Nothing to do.",
    action: "open-receipt",
  },
  "delivered-unsettled": {
    ...warn("Unsettled"),
    ...rule("If settlement fails after a 2xx, the response is returned unchanged.", "3, step 7"),
    money: "delivered-unsettled",
    verdict:
      "You have the response, but payment was not confirmed. Credits may still be charged later.",
    why: "The agent returned {status} without a settlement, and none was found for its request ID in {waited} s. The gate retries with the same request ID, so you are charged at most once.",
    next: "Check the settlement. Do not send the request again yet.",
    action: "check-settlement",
  },
  "receipt-refused": {
    ...error("Declined"),
    ...rule("If settlement reports success: false, no credits count as used.", "7.2"),
    money: "delivered-unsettled",
    verdict: "Payment was declined: {message}. The service reports no credits used.",
    why: "The agent delivered before its payment was declined.",
    next: "Open reconciliation.",
    action: "open-reconcile",
  },
  "receipt-unreadable": {
    ...warn("Unreadable", SETTLE_RULE),
    money: "unknown",
    verdict: "The payment-response header cannot be read.",
    why: "It is not a base64-encoded settlement.",
    next: "Check the settlement.",
    action: "check-settlement",
  },
  "transfer-settled": {
    ...ok("Settled", TRANSFER_RULE),
    money: "settled",
    verdict: "{price} paid to {seller}. The chain confirms that the authorization was used.",
    why: "The seller collected the transfer, once. The same authorization cannot be used again.",
    next: "Nothing to do. The transaction is the proof of payment.",
  },
  "transfer-reported": {
    ...warn("Reported", TRANSFER_RULE),
    money: "unknown",
    verdict: "The seller answered, and {claim}. The chain has not confirmed it.",
    why: "The authorization is unused, or the chain cannot be read here.",
    next: "The seller can collect it until {until}. After that it is worth nothing.",
  },
  "transfer-failed-paid": {
    ...error("{status}, paid", TRANSFER_RULE),
    money: "settled",
    verdict: "The seller collected {price} and {answered}.",
    why: "The chain says that the authorization was used. Turnpike can prove it, and cannot refund it.",
    next: "Ask the seller for a refund, with the transaction or the nonce.",
  },
  "transfer-failed-open": {
    ...error("{status}", TRANSFER_RULE),
    money: "unknown",
    verdict: "The seller {answered}. It has not collected the {price}, and can until {until}.",
    why: "A signed authorization stays usable until it expires. It is used at most once.",
    next: "Wait until it has expired before you pay again.",
  },
  "transfer-failed-unknown": {
    ...error("{status}", TRANSFER_RULE),
    money: "unknown",
    verdict: "The seller {answered}. It may have collected the {price}, and can until {until}.",
    why: "A signed authorization stays usable until it expires, and the chain was not read.",
    next: "Check the payer’s transfers on the chain before you pay again.",
  },
  "not-asked": {
    ...skipped("Not run", rule("This step needs the one before it.", "3, step 8")),
    verdict: "Not run: an earlier step ended the exchange.",
    why: "The run had already ended.",
    next: "Fix the step that stopped the run.",
  },
});

export type OutcomeCode = keyof typeof OUTCOMES;

/** A step's outcome, with the values for its sentences. */
export type Judgement = { outcome: OutcomeCode; values: Record<string, string> };

/** An outcome with its sentences filled in. A placeholder without a value stays empty. */
export function describeOutcome(code: OutcomeCode, values: Record<string, string>): Outcome {
  const outcome: Outcome = OUTCOMES[code];
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_all, name) => values[name] ?? "");
  return {
    ...outcome,
    word: fill(outcome.word),
    verdict: fill(outcome.verdict),
    ...(outcome.summary && { summary: fill(outcome.summary) }),
    why: fill(outcome.why),
    next: fill(outcome.next),
  };
}

import {
  decodeHeader,
  PaymentsError,
  X402_HEADERS,
  type X402PaymentRequired,
} from "@turnpike/payments/protocol";
import { textOf } from "@/lib/text/text-of.ts";
import { type Exchange, headerOf, jsonOf } from "../exchange.ts";
import type { PlaygroundService } from "../ports.ts";
import { fact } from "../run.ts";
import { shortAddress } from "../short-address.ts";
import type { PaidAnswer } from "./find-settlement.ts";
import { judgePaid } from "./judge-answer.ts";
import type { SignedPayment } from "./sign-payment.ts";
import type { StepEnd } from "./step.ts";

const USED = "authorization_used";

/** Refusals of who asks or of the network: they say nothing about the payment. */
const NOT_CHECKED = ["other_payment", "not_your_plan", "plan_not_offered", "account_wallet"];

/** What a facilitator's checks say about the payment; `unknown` where this service does not say it to the one who asks. */
async function stateOf(
  service: PlaygroundService,
  requirement: Pick<X402PaymentRequired, "resource">,
  { offer, header, isOfAccount }: SignedPayment,
): Promise<{ state: "open" | "used" | "invalid" | "unknown"; message: string; cause?: string }> {
  if (!service.account) return { state: "unknown", message: "" };
  const asked = { x402Version: 2 as const, ...requirement, accepts: [offer] };
  try {
    const verification = await service.dryVerify(asked, header, undefined);
    if (verification.isValid) return { state: "open", message: "" };
    const { cause, invalidMessage = "" } = verification;
    // Of a wallet's payment the service says that it is used as soon as a server settles it (ADR 149).
    const isUnsaid = cause === USED && !isOfAccount;
    if (isUnsaid || NOT_CHECKED.includes(cause ?? "")) {
      return { state: "unknown", message: invalidMessage };
    }
    return { state: cause === USED ? "used" : "invalid", message: invalidMessage, cause };
  } catch (cause) {
    if (!PaymentsError.is(cause)) throw cause;
    return { state: "unknown", message: cause.message };
  }
}

/** Step 4 by `exact`: the checks of a facilitator, which move nothing. */
export async function verifyPayment(
  service: PlaygroundService,
  { resource }: X402PaymentRequired,
  payment: SignedPayment,
): Promise<StepEnd<{ verdict: string; topsUp: boolean }>> {
  const { state, message, cause = null } = await stateOf(service, { resource }, payment);
  if (state === "invalid" || state === "used") {
    return { outcome: "transfer-invalid", values: { message }, reason: cause, found: null };
  }
  const isOpen = state === "open";
  return {
    outcome: isOpen ? "transfer-valid" : "transfer-unchecked",
    values: {},
    found: { verdict: isOpen ? "valid" : "not checked", topsUp: false },
  };
}

/** Step 5 by `exact`: what the answer means, with what the chain says about the money. */
export async function judgePayment(
  service: PlaygroundService,
  exchange: Exchange,
  payment: SignedPayment,
): Promise<StepEnd<PaidAnswer>> {
  const { outcome, values } = judgePaid(exchange, "valid");
  if (outcome === "answered" || outcome === "answer-cut") {
    return { outcome, values, found: { exchange, agentRequestId: null } };
  }
  // Never sent: nothing can have been collected.
  if (exchange.failure?.kind === "refused") return { outcome, values, found: null };
  const { state } = await stateOf(service, {}, payment);
  const { price, until } = payment;
  const failed = state === "unknown" ? "transfer-failed-unknown" : "transfer-failed-open";
  return {
    outcome: state === "used" ? "transfer-failed-paid" : failed,
    values: { price, until, ...answerIn(exchange) },
    found: null,
  };
}

/** Step 6 by `exact`: the seller's receipt beside the chain. */
export async function checkPayment(
  service: PlaygroundService,
  exchange: Exchange,
  payment: SignedPayment,
): Promise<StepEnd> {
  const { state } = await stateOf(service, {}, payment);
  const receipt = receiptIn(exchange);
  const { offer, payload, price, until } = payment;
  const { from, to, nonce } = payload.authorization;
  const isUsed = state === "used";
  const same = (a: unknown, b: string) => textOf(a).toLowerCase() === b.toLowerCase();
  const given = (name: string, value: unknown, holds: boolean | null, note: string) =>
    fact(name, value === undefined ? "missing" : textOf(value), holds, note);
  const facts = [
    ...(receipt
      ? [
          given("success", receipt.success, receipt.success === true, "reported by the seller"),
          given("transaction", receipt.transaction || undefined, null, "reported by the seller"),
          given("network", receipt.network, receipt.network === offer.network, "matches the offer"),
          ...(receipt.payer === undefined
            ? []
            : [given("payer", receipt.payer, same(receipt.payer, from), "the wallet that signed")]),
        ]
      : [fact("payment-response", "missing", false, "the seller sent no receipt")]),
    fact("payTo", to, null, isUsed ? "who collected it" : "who can collect it"),
    fact("nonce", nonce, state === "unknown" ? null : isUsed, NONCE_NOTES[state]),
  ];
  const reported = receipt?.success === true ? "settled" : "not settled";
  const claim = receipt ? `reports the payment as ${reported}` : "sent no receipt";
  return {
    outcome: isUsed ? "transfer-settled" : "transfer-reported",
    values: { price, until, claim, seller: shortAddress(to) },
    facts,
    found: null,
  };
}

const NONCE_NOTES = {
  used: "used on chain",
  open: "expected: used on chain",
  invalid: "expected: used on chain",
  unknown: "the chain was not read",
};

function receiptIn({ answer }: Exchange): Record<string, unknown> | null {
  const header = headerOf(answer, X402_HEADERS.PAYMENT_RESPONSE);
  const decoded = header === null ? null : decodeHeader(header);
  return typeof decoded === "object" && decoded !== null
    ? (decoded as Record<string, unknown>)
    : null;
}

/** The answer as a pill and as a sentence have it. */
function answerIn(exchange: Exchange): { status: string; answered: string } {
  if (!exchange.answer) return { status: "No response", answered: "sent no complete response" };
  const status = String(exchange.answer.status);
  const reason = reasonIn(exchange);
  return { status, answered: `answered ${status}${reason === "" ? "" : `: ${reason}`}` };
}

function reasonIn(exchange: Exchange): string {
  const required = headerOf(exchange.answer, X402_HEADERS.PAYMENT_REQUIRED);
  const told = [receiptIn(exchange)?.errorReason, decodedError(required), errorIn(exchange)];
  const reason = told.find((text): text is string => typeof text === "string" && text !== "");
  return reason?.slice(0, 160) ?? "";
}

const decodedError = (header: string | null): unknown =>
  header === null ? undefined : (decodeHeader(header) as { error?: unknown } | null)?.error;
const errorIn = ({ answer }: Exchange): unknown =>
  (jsonOf(answer) as { error?: unknown } | null | undefined)?.error;

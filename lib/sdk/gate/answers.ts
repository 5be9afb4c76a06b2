import type { InvalidReason } from "../protocol/error-envelope.ts";
import { ERRORS } from "../protocol/errors.ts";
import { toJson } from "../protocol/json.ts";
import type { X402PaymentRequired } from "../protocol/payment-required.ts";
import type { MoneyStatus } from "../protocol/permission.ts";
import { encodeHeader, X402_HEADERS } from "../protocol/x402-headers.ts";
import { gatedHeaders } from "./headers.ts";

/** An answer the gate gives in the work's place, and how it counts. */
export type Refusal = { response: Response; moneyStatus: MoneyStatus; reason: string };

// A dearer header than most proxies pass on would lose the whole answer; the body has all offers.
const MAX_OFFERS_IN_HEADER = 5;

/** What the body of a gate's refusal says; programs read `code`, people `message`. */
type RefusalBody = {
  error: string;
  /** `token_missing`, one of the five reasons (§7.1), or what else went wrong. */
  code: string;
  reason: string;
  /** Whether the same request with a new token can succeed. */
  retryable: boolean;
  message: string;
  paymentRequired?: X402PaymentRequired;
};

/** 402 without a token: here is what to pay (§3 step 3). */
export function askForPayment(requirement: X402PaymentRequired): Refusal {
  return paymentRequired("challenged", requirement, {
    error: "Payment Required",
    code: "token_missing",
    reason: "no token",
    retryable: true,
    message: `Send an access token for one of the offered plans in the ${X402_HEADERS.PAYMENT_SIGNATURE} header.`,
  });
}

const CURED_BY_NEW_TOKEN: readonly InvalidReason[] = ["invalid_token", "expired_token"];

/** 402 for a token that was refused, with the reason (§3 step 4). */
export function refuseToken(requirement: X402PaymentRequired, code: InvalidReason): Refusal {
  return paymentRequired("refused", requirement, {
    error: "Payment Required",
    code,
    reason: "token refused",
    retryable: CURED_BY_NEW_TOKEN.includes(code),
    message: ERRORS[code].hint,
  });
}

function paymentRequired(
  moneyStatus: MoneyStatus,
  requirement: X402PaymentRequired,
  body: RefusalBody,
): Refusal {
  const named = { ...requirement, error: body.code };
  const short = { ...named, accepts: requirement.accepts.slice(0, MAX_OFFERS_IN_HEADER) };
  return refusal(
    402,
    moneyStatus,
    { ...body, paymentRequired: named },
    { [X402_HEADERS.PAYMENT_REQUIRED]: encodeHeader(short) },
  );
}

/** 402 for work whose payment failed, when the body is withheld (`settle: "strict"` or `"before"`). */
export function withhold(code: string, headers: Record<string, string>): Refusal {
  return refusal(
    402,
    "not-charged",
    {
      error: "Payment Required",
      code,
      reason: "settlement failed",
      retryable: false,
      message: "The payment could not be taken, so the answer is withheld.",
    },
    headers,
  );
}

/** 503 while the service cannot be asked: fail closed, nothing ran, nothing was charged. */
export function unavailable(retryAfterSecs: number): Refusal {
  return refusal(
    503,
    "not-charged",
    {
      error: "Service Unavailable",
      code: "unavailable",
      reason: "payment service unreachable",
      retryable: false,
      message: "The payment cannot be checked now; nothing was charged. Repeat the request later.",
    },
    { "retry-after": String(retryAfterSecs) },
  );
}

/** 500 for a gate that cannot price or check this route; the log says why, the caller need not know. */
export function misconfigured(): Refusal {
  return refusal(500, "not-charged", {
    error: "Internal Server Error",
    code: "internal",
    reason: "gate failure",
    retryable: false,
    message: "This route cannot take payments now; nothing was charged.",
  });
}

/** 400 for a path that cannot be read in exactly one way. */
export function badPath(): Refusal {
  return refusal(400, "refused", {
    error: "Bad Request",
    code: "invalid_input",
    reason: "undecodable path",
    retryable: false,
    message:
      "The path cannot be decoded, is too long, or holds dot segments or encoded separators.",
  });
}

/** 504 for work that did not answer in its time; nothing was charged. */
export function tooLate(timeoutMs: number, headers: Record<string, string>): Refusal {
  return refusal(
    504,
    "not-charged",
    {
      error: "Gateway Timeout",
      code: "timeout",
      reason: "work timed out",
      retryable: false,
      message: `The agent had no answer within ${timeoutMs / 1000} s; nothing was charged.`,
    },
    headers,
  );
}

function refusal(
  status: number,
  moneyStatus: MoneyStatus,
  body: RefusalBody,
  headers: Record<string, string> = {},
): Refusal {
  const response = new Response(toJson(body), {
    status,
    headers: gatedHeaders({ "content-type": "application/json" }, headers),
  });
  return { response, moneyStatus, reason: body.code };
}

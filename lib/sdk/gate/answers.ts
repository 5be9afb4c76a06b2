import { ERRORS, type InvalidReason } from "../protocol/errors.ts";
import { toJson } from "../protocol/json.ts";
import {
  encodeHeader,
  X402_HEADERS,
  type X402PaymentRequired,
} from "../protocol/payment-required.ts";
import { gatedHeaders } from "./headers.ts";

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
};

/** 402 without a token: here is what to pay (§3 step 3). */
export function askForPayment(requirement: X402PaymentRequired): Response {
  return paymentRequired(requirement, {
    error: "Payment Required",
    code: "token_missing",
    reason: "no token",
    retryable: true,
    message: `Send an access token for one of the offered plans in the ${X402_HEADERS.PAYMENT_SIGNATURE} header.`,
  });
}

const CURED_BY_NEW_TOKEN: readonly InvalidReason[] = ["invalid_token", "expired_token"];

/** 402 for a token that was refused, with the reason (§3 step 4). */
export function refuseToken(requirement: X402PaymentRequired, code: InvalidReason): Response {
  return paymentRequired(requirement, {
    error: "Payment Required",
    code,
    reason: "token refused",
    retryable: CURED_BY_NEW_TOKEN.includes(code),
    message: ERRORS[code].hint,
  });
}

function paymentRequired(requirement: X402PaymentRequired, body: RefusalBody): Response {
  const named = { ...requirement, error: body.code };
  const short = { ...named, accepts: requirement.accepts.slice(0, MAX_OFFERS_IN_HEADER) };
  return json(
    402,
    { ...body, paymentRequired: named },
    { [X402_HEADERS.PAYMENT_REQUIRED]: encodeHeader(short) },
  );
}

/** 402 for work whose payment failed, when the body is withheld (`settle: "strict"` or `"before"`). */
export function withhold(code: string, headers: Record<string, string>): Response {
  return json(
    402,
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
export function unavailable(retryAfterSecs: number): Response {
  return json(
    503,
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
export function misconfigured(): Response {
  return json(500, {
    error: "Internal Server Error",
    code: "internal",
    reason: "gate failure",
    retryable: false,
    message: "This route cannot take payments now; nothing was charged.",
  });
}

/** 400 for a path that cannot be read in exactly one way. */
export function badPath(): Response {
  return json(400, {
    error: "Bad Request",
    code: "invalid_input",
    reason: "undecodable path",
    retryable: false,
    message:
      "The path cannot be decoded, is too long, or holds dot segments or encoded separators.",
  });
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(toJson(body), {
    status,
    headers: gatedHeaders({ "content-type": "application/json" }, headers),
  });
}

import type { InvalidReason } from "../protocol/error-envelope.ts";
import { ERRORS } from "../protocol/errors.ts";
import type { X402PaymentRequired } from "../protocol/payment-required.ts";
import type { MoneyStatus, Settlement } from "../protocol/permission.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";
import type { RequestRecord } from "./request-record.ts";

/** The gate's own answer to a call: nothing of the work reaches the caller. */
export type Refusal = {
  kind: "payment-required" | "refused" | "unavailable" | "withheld";
  httpStatus: number;
  body: RefusalBody;
  retryAfterSecs?: number;
  /** Set once a request has been verified. */
  agentRequestId?: string;
  /** The settlement that failed, for an answer that is withheld. */
  settlement?: Settlement;
};

/** The body of a refusal; programs read `code`, people `message`. */
export type RefusalBody = {
  error: string;
  /** `token_missing`, one of the five reasons (§7.1), or what else went wrong. */
  code: string;
  /** Finer than the code, where it concerns the payer and their token: `token_revoked`, `price_changed`, … */
  cause?: string;
  /** With cause `pending_approval`: the decision it waits for, and where a person makes it. */
  approval?: { approvalId: string; url: string };
  reason: string;
  /** Whether the same request with a new token can succeed. */
  retryable: boolean;
  message: string;
  paymentRequired?: X402PaymentRequired;
};

/** How a refusal counts in events and reports. */
const MONEY_STATUS_OF_REFUSAL: Record<Refusal["kind"], MoneyStatus> = {
  "payment-required": "challenged",
  refused: "refused",
  unavailable: "not-charged",
  withheld: "not-charged",
};

/** Reports a request that is refused. */
export function endRefused(record: RequestRecord, refusal: Refusal): Refusal {
  const { kind, httpStatus, body } = refusal;
  record.end({ moneyStatus: MONEY_STATUS_OF_REFUSAL[kind], httpStatus, reason: body.code });
  return refusal;
}

/** 402 without a token: what to pay (§3 step 3). */
export const requirePayment = (requirement: X402PaymentRequired): Refusal => ({
  kind: "payment-required",
  httpStatus: 402,
  body: {
    error: "Payment Required",
    code: "token_missing",
    reason: "no token",
    retryable: true,
    message: `Send an access token for one of the offered plans in the ${X402_HEADERS.PAYMENT_SIGNATURE} header.`,
    paymentRequired: { ...requirement, error: "token_missing" },
  },
});

const FIXED_BY_NEW_TOKEN: readonly InvalidReason[] = ["invalid_token", "expired_token"];

/**
 * 402 for a token that was refused, with the reason (§3 step 4). The cause and its remedy concern the payer; the finer
 * `detail` is the builder's.
 */
export const refuseToken = (
  requirement: X402PaymentRequired,
  code: InvalidReason,
  {
    cause,
    approval,
    invalidMessage,
  }: Pick<RefusalBody, "cause" | "approval"> & { invalidMessage?: string } = {},
): Refusal => ({
  kind: "refused",
  httpStatus: 402,
  body: {
    error: "Payment Required",
    code,
    ...(cause && { cause }),
    ...(approval && { approval }),
    reason: "token refused",
    retryable: FIXED_BY_NEW_TOKEN.includes(code),
    message: (cause && invalidMessage) ?? ERRORS[code].hint,
    paymentRequired: { ...requirement, error: code },
  },
});

/** 402 for work whose payment failed, when its answer is withheld (`settle: "strict"` or `"before"`). */
export const withholdAnswer = (
  settlement: Settlement & { success: false },
  agentRequestId: string,
): Refusal => ({
  kind: "withheld",
  httpStatus: 402,
  // No requirement: while the outcome is unknown it would ask for a second payment of one request.
  body: {
    error: "Payment Required",
    code: settlement.errorReason,
    reason: "settlement failed",
    retryable: false,
    message: "The payment could not be settled, so the answer is withheld.",
  },
  agentRequestId,
  settlement,
});

/** 503 while the service cannot be reached: the work did not run, and nothing was charged. */
export const refuseForNow = (retryAfterSecs: number): Refusal => ({
  kind: "unavailable",
  httpStatus: 503,
  body: {
    error: "Service Unavailable",
    code: "unavailable",
    reason: "payment service unreachable",
    retryable: false,
    message: "The payment cannot be checked now; nothing was charged. Repeat the request later.",
  },
  retryAfterSecs,
});

/** 500 for a gate that cannot price or check this route; the log says why, the caller need not know. */
export const misconfigured = (): Refusal => ({
  kind: "unavailable",
  httpStatus: 500,
  body: {
    error: "Internal Server Error",
    code: "internal",
    reason: "gate failure",
    retryable: false,
    message: "This route cannot take payments now; nothing was charged.",
  },
});

/** 400 for a path that routers could read in more than one way. */
export const ambiguousPath = (): Refusal => ({
  kind: "refused",
  httpStatus: 400,
  body: {
    error: "Bad Request",
    code: "invalid_input",
    reason: "undecodable path",
    retryable: false,
    message:
      "The path cannot be decoded, is too long, or contains dot segments or encoded separators.",
  },
});

/** 400 for a request on a gated path that asks the app to run another method than its own. */
export const overriddenMethod = (): Refusal => ({
  kind: "refused",
  httpStatus: 400,
  body: {
    error: "Bad Request",
    code: "invalid_input",
    reason: "method override",
    retryable: false,
    message:
      "The method of a paid path cannot be overridden by a header, or by `_method` in the query or a form. Send the request with the method you mean.",
  },
});

/** 400 for an id that cannot name a request. */
export const invalidRepeatId = (message: string): Refusal => ({
  kind: "refused",
  httpStatus: 400,
  body: {
    error: "Bad Request",
    code: "invalid_input",
    reason: "invalid request id",
    retryable: false,
    message,
  },
});

const conflict = (code: "idempotency_conflict" | "conflict", message: string): Refusal => ({
  kind: "refused",
  httpStatus: 409,
  body: { error: "Conflict", code, reason: "request id", retryable: false, message },
});

/** 409 for an id under which another request was sent. */
export const repeatedOther = (): Refusal =>
  conflict(
    "idempotency_conflict",
    "This id names another request: its method, path or body differs. Use a new id.",
  );

/** 409 for an id that the service knows and whose answer is not here. */
export const repeatNotKept = (): Refusal =>
  conflict(
    "idempotency_conflict",
    "The request with this id is paid or under way, and its answer is not kept here. Nothing was charged again. Use a new id to ask anew.",
  );

/** 409 for a request that another replica is working on. */
export const repeatedElsewhere = (): Refusal => ({
  ...conflict("conflict", "The request with this id is being worked on. Repeat it in a second."),
  retryAfterSecs: 1,
});

/** 504 for work that did not answer in time; nothing was charged. */
export const timedOut = (
  timeoutMs: number,
  { agentRequestId, isCharged }: { agentRequestId: string; isCharged: boolean },
): Refusal => ({
  kind: "unavailable",
  httpStatus: 504,
  body: {
    error: "Gateway Timeout",
    code: "timeout",
    reason: "work timed out",
    retryable: false,
    message: `The agent did not answer within ${timeoutMs / 1000} s; ${isCharged ? "the request was charged before it ran" : "nothing was charged"}.`,
  },
  agentRequestId,
});

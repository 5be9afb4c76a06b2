import { randomId } from "../client/random-id.ts";
import type { InvalidReason } from "../protocol/error-envelope.ts";
import { ERRORS } from "../protocol/errors.ts";
import { isExactOffer } from "../protocol/exact/exact-payload.ts";
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
  /** Whose faults are logged once. */
  route?: object;
  /** Set once a request has been verified. */
  agentRequestId?: string;
  /** The settlement that failed, for an answer that is withheld; or what work that threw or timed out was paid before. */
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
  /** Whether the same request can succeed: with a new token where this is a 402, which pays anew, else after `retry-after`. */
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

const STATUS_TEXTS = {
  402: "Payment Required",
  409: "Conflict",
  500: "Internal Server Error",
  503: "Service Unavailable",
  504: "Gateway Timeout",
} as const;

type BodyParts = Omit<RefusalBody, "error" | "retryable"> & Partial<RefusalBody>;

const refuse = (
  kind: Refusal["kind"],
  httpStatus: keyof typeof STATUS_TEXTS,
  body: BodyParts,
): Refusal => ({
  kind,
  httpStatus,
  body: { error: STATUS_TEXTS[httpStatus], retryable: false, ...body },
});

/**
 * A requirement as a 402 has it. Stock clients send the offer back that they pay, so an id that no other 402 has tells a
 * wallet's client from those who read its payment by `exact` on chain.
 */
const challengeBy = (requirement: X402PaymentRequired, error: string): X402PaymentRequired => ({
  ...requirement,
  error,
  accepts: requirement.accepts.map((offer) =>
    isExactOffer(offer)
      ? { ...offer, extra: { ...offer.extra, challengeId: randomId("") } }
      : offer,
  ),
});

/** 402 without a token: what to pay (§3 step 3). */
export const requirePayment = (requirement: X402PaymentRequired): Refusal =>
  refuse("payment-required", 402, {
    code: "token_missing",
    reason: "no token",
    retryable: true,
    message: `Send a payment for one of the offers in the ${X402_HEADERS.PAYMENT_SIGNATURE} header.`,
    paymentRequired: challengeBy(requirement, "token_missing"),
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
): Refusal =>
  refuse("refused", 402, {
    code,
    ...(cause && { cause }),
    ...(approval && { approval }),
    reason: "token refused",
    retryable: FIXED_BY_NEW_TOKEN.includes(code),
    message: (cause && invalidMessage) ?? ERRORS[code].hint,
    paymentRequired: challengeBy(requirement, code),
  });

/** 402 for work whose payment failed, when its answer is withheld (`settle: "strict"` or `"before"`). */
export const withholdAnswer = (
  settlement: Settlement & { success: false },
  agentRequestId: string,
  isRepeatable: boolean,
): Refusal => {
  // Any other repeat is another request.
  const mayRepeat = isRepeatable && settlement.errorReason === "settlement_pending";
  const remedy = mayRepeat ? " Send the same request with the same payment again." : "";
  return {
    // No requirement, and not `retryable`: while the outcome is unknown a new token would pay a second time for one request.
    ...refuse("withheld", 402, {
      code: settlement.errorReason,
      reason: "settlement failed",
      message: `The payment was not confirmed, so the answer is withheld.${remedy}`,
    }),
    agentRequestId,
    settlement,
    ...(mayRepeat && { retryAfterSecs: 5 }),
  };
};

/** 503 while the service cannot be reached: the work did not run. Verify may have ordered a plan before its answer was lost. */
export const refuseForNow = (retryAfterSecs: number, mayHaveOrdered = false): Refusal => ({
  ...refuse("unavailable", 503, {
    code: "unavailable",
    reason: "payment service unreachable",
    retryable: true,
    message: `The payment cannot be checked now${
      mayHaveOrdered
        ? ". The call was not charged, but a plan may have been ordered"
        : "; nothing was charged"
    }. Repeat the request later.`,
  }),
  retryAfterSecs,
});

/** 500 for work that threw; the log says why. It is charged where its route settles first. */
export const workFailed = (): Refusal =>
  refuse("unavailable", 500, {
    code: "internal",
    reason: "work failed",
    message: "The agent failed to answer.",
  });

const conflict = (message: string): Refusal =>
  refuse("refused", 409, { code: "idempotency_conflict", reason: "request id", message });

/** 409 for an id under which another request was sent. */
export const repeatedOther = (): Refusal =>
  conflict("This id names another request: its method, path or body differs. Use a new id.");

/** 409 for an id that the service knows and whose answer is not here. */
export const repeatNotKept = (): Refusal =>
  conflict(
    "The request with this id is paid or in progress, and its response is not kept here. Nothing was charged again. For a new request, use a new id.",
  );

/** 409 for a request that another replica is working on. */
export const repeatedElsewhere = (): Refusal => ({
  ...refuse("refused", 409, {
    code: "conflict",
    reason: "request id",
    retryable: true,
    message: "The request with this id is being worked on. Repeat it in a second.",
  }),
  retryAfterSecs: 1,
});

/** 504 for work that did not answer in time; it was charged only where its route settles first. */
export const timedOut = (timeoutMs: number, isCharged: boolean): Refusal =>
  refuse("unavailable", 504, {
    code: "timeout",
    reason: "work timed out",
    message: `The agent did not answer within ${timeoutMs / 1000} s; ${isCharged ? "the request" : "nothing"} was charged.`,
  });

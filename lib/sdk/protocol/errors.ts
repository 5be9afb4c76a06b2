import type { ExactSent } from "./exact/exact-sent.ts";

/**
 * Every code an operation can fail with, its HTTP status, and what the caller should do. The first
 * five are the specification's (§7.1); as results of verify and settle they are values, not errors.
 */
export const ERRORS = {
  invalid_token: { status: 402, hint: "Mint a new access token." },
  expired_token: { status: 402, hint: "Mint a new access token." },
  insufficient_balance: { status: 402, hint: "Order more credits." },
  invalid_plan: { status: 402, hint: "Use a plan id the agent offers." },
  invalid_agent: { status: 402, hint: "Use the agent id and endpoint the token was made for." },
  invalid_input: { status: 422, hint: "Fix what the message or `details` names." },
  invalid_amount: { status: 422, hint: "Send a whole number within the plan's range." },
  unauthorized: { status: 401, hint: "Send a valid API key as `Authorization: Bearer <apiKey>`." },
  wrong_environment: { status: 401, hint: "Use an API key of this deployment's environment." },
  forbidden: { status: 403, hint: "Use a key with the scope that the message names." },
  step_up_required: { status: 403, hint: "Confirm with your passkey or wallet, then try again." },
  not_found: { status: 404, hint: "Check the id; ids of other accounts are not shown." },
  method_not_allowed: { status: 405, hint: "See GET /api/v1/openapi.json for the methods." },
  conflict: { status: 409, hint: "Read the resource again before retrying." },
  idempotency_conflict: {
    status: 409,
    hint: "Use the same body on a retry, or a new id for a new request.",
  },
  already_ordered: { status: 409, hint: "A trial plan can be ordered once per account." },
  payment_refused: { status: 402, hint: "Use another payment method or add funds." },
  signature_required: {
    status: 409,
    hint: "Create a delegation, sign its grant with the account's wallet, then name it.",
  },
  payload_too_large: { status: 413, hint: "Send less than the limit in the message." },
  rate_limited: { status: 429, hint: "Retry after the seconds in `Retry-After`." },
  rail_unavailable: { status: 503, hint: "Retry later, or use a plan of another scheme." },
  unavailable: { status: 503, hint: "Retry after the seconds in `Retry-After`." },
  outcome_unknown: {
    status: 503,
    hint: "Retry with the same id, body and token: nothing is paid twice.",
  },
  internal: { status: 500, hint: "Report the request id." },
  spending_not_allowed: {
    status: 0,
    hint: "Raise the limit that the message names, or order the plan with `payments.plans.orderPlan`.",
  },
  network_error: { status: 0, hint: "Check the service's address and that it runs." },
  timeout: { status: 0, hint: "Retry with the same id, body and token: nothing is paid twice." },
  invalid_answer: { status: 0, hint: "Check that the address is a Turnpike service." },
} as const satisfies Record<string, { status: number; hint: string }>;

/** The codes that errors have, such as `not_found`: the keys of `ERRORS`. */
export type ErrorCode = keyof typeof ERRORS;

// As the schema beside the envelope has it; without it, so that a page that only tells errors carries no parser.
type ErrorDetail = { path: string; message: string };

const MARK = Symbol.for("turnpike.payments.error");

type ErrorOptions = {
  hint?: string | undefined;
  details?: ErrorDetail[];
  requestId?: string;
  retryAfterSecs?: number;
  payment?: ExactSent;
  cause?: unknown;
};

/**
 * The one error class. `code` is stable and meant for programs, `message` says what was wrong with which value, `hint` what
 * to do, `requestId` finds the call in the service's log, and `payment` is the `exact` payment that a failed call has sent.
 *
 * @example
 * try { await payments.plans.getPlan(planId) } catch (error) {
 *   if (PaymentsError.is(error) && error.code === "not_found") …
 * }
 */
export class PaymentsError extends Error {
  override readonly name = "PaymentsError";
  readonly [MARK] = true;
  readonly hint: string;
  readonly httpStatus: number;
  readonly details: ErrorDetail[] | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSecs: number | undefined;
  readonly payment: ExactSent | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint ?? ERRORS[code].hint;
    this.httpStatus = ERRORS[code].status;
    this.details = options.details;
    this.requestId = options.requestId;
    this.retryAfterSecs = options.retryAfterSecs;
    this.payment = options.payment;
  }

  /** Whether the value is a PaymentsError, also one of another installed copy of this package. */
  static is(value: unknown): value is PaymentsError {
    return typeof value === "object" && value !== null && MARK in value;
  }
}

/** The code of an envelope, or `internal` when a newer service speaks one this version does not know. */
export const readErrorCode = (code: string): ErrorCode =>
  Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : "internal";

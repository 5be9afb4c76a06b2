import { type ErrorEnvelope, PaymentsError, toJson } from "@turnpike/payments/protocol";
import { type DatabaseFault, readDatabaseFault } from "@/lib/adapters/db/faults.ts";
import { ERROR_TITLES } from "@/lib/console/error-titles.ts";
import type { Log, Ports } from "@/lib/domain/ports.ts";
import { describeCause, explainCause } from "../watch/error-text.ts";

const RETRY_AFTER_SECS = 1;

/** The API's one error answer as a response. */
export function errorAnswer(
  cause: unknown,
  requestId: string,
  from: Pick<Ports, "log" | "origin">,
): Response {
  const { text, ...init } = describeError(cause, requestId, from);
  return new Response(text, init);
}

/**
 * Whatever was thrown as the API's one error answer, with a link to the page of its code; what is not ours to tell is
 * logged, not sent.
 */
export function describeError(
  cause: unknown,
  requestId: string,
  { log, origin }: Pick<Ports, "log" | "origin">,
): { status: number; headers: Record<string, string>; text: string } {
  const error = readError(cause, requestId, log);
  const retryAfter =
    error.retryAfterSecs ?? (error.httpStatus === 503 ? RETRY_AFTER_SECS : undefined);
  const status = error.httpStatus === 0 ? 500 : error.httpStatus;
  const envelope: ErrorEnvelope & { docs: string } = {
    code: error.code,
    message: error.message,
    httpStatus: status,
    hint: error.hint,
    ...(error.details && { details: error.details }),
    requestId,
    type: `urn:turnpike:error:${error.code}`,
    title: ERROR_TITLES[error.code],
    status,
    docs: `${origin}/docs/errors/${error.code}`,
  };
  return {
    status,
    text: toJson(envelope),
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
      // What is left of the body is not read.
      ...(status === 413 && { connection: "close" }),
      ...(status === 401 && { "www-authenticate": 'Bearer realm="turnpike"' }),
    },
  };
}

/** Faults of the database that pass: the call may be repeated. */
const UNAVAILABLE: Partial<Record<DatabaseFault, string>> = {
  down: "The database cannot be reached.",
  silent: "The database did not answer in time.",
  full: "The database cannot write.",
  again: "The database is busy with conflicting changes.",
};

/**
 * What was thrown as an error that may be told; what may not is logged and becomes `internal`. It carries no cause: who
 * renders a page prints what it threw, and the database's error holds the values of its statement.
 */
export function readError(cause: unknown, requestId: string, log: Log): PaymentsError {
  if (PaymentsError.is(cause)) return cause;
  const fault = readDatabaseFault(cause);
  if (fault && fault in UNAVAILABLE) {
    log.warn({ requestId, fault, cause: describeCause(cause) }, "database unavailable");
    const message = UNAVAILABLE[fault] ?? "";
    return new PaymentsError("unavailable", message);
  }
  if (fault === "duplicate") {
    return new PaymentsError("conflict", "Another request wrote the same thing first.");
  }
  if (fault === "value") {
    return new PaymentsError("invalid_input", "A value is outside what can be stored.");
  }
  log.error({ requestId, cause: explainCause(cause) }, "unexpected error");
  return new PaymentsError("internal", "The service failed unexpectedly.");
}

import type { ErrorCode, ErrorDetail, InputOf, OutputOf } from "@turnpike/payments/protocol";
import type { DashboardOperations } from "@/lib/console/operations.ts";
import type { SandboxOperations } from "@/lib/sandbox/operations.ts";

/** Why a server action changed nothing, as the page shows it. */
export type ActionError = {
  ok: false;
  /** One of the service's, or that the page is out of date: it was redeployed, or another account is signed in. */
  code: ErrorCode | "page_outdated";
  message: string;
  hint: string;
  /** Wrong fields, by their path in the operation's input. */
  details: ErrorDetail[];
  requestId: string;
};

/** What every server action answers: its data, or an error that says what to do. */
export type ActionAnswer<Data> = { ok: true; data: Data } | ActionError;

type Callable = DashboardOperations & SandboxOperations;

export type OperationAction<K extends keyof Callable> = (
  input: InputOf<K, Callable>,
) => Promise<ActionAnswer<OutputOf<K, Callable>>>;

export type OperationActions<K extends keyof Callable> = { [Name in K]: OperationAction<Name> };

/**
 * The message, and what to do. A hint about `details`, and the path before the message of a wrong field, are for callers
 * of the API.
 */
export function errorText({
  message,
  hint,
  details = [],
}: Pick<ActionError, "message" | "hint"> & Partial<Pick<ActionError, "details">>): string {
  if (!hint.includes("`details`")) return `${message} ${hint}`;
  return details.length === 0 ? message : details.map((detail) => detail.message).join(" ");
}

/** What a form or an operation says of its last failure. */
export type Failing = {
  failure: string | undefined;
  failureCode?: string | undefined;
  /** Whether the failure says that the operation did nothing, whatever its code. */
  isCertain?: boolean | undefined;
};

/** Codes that can follow a payment that was begun. A repeat under the same key is safe after each of them. */
const UNKNOWN_CODES: readonly string[] = ["outcome_unknown", "unavailable", "internal"];

/** Whether it is unknown what the operation did: its answer was lost, or the service cannot tell. */
export const isUnknown = ({ failure, failureCode, isCertain = false }: Failing): boolean =>
  failure !== undefined &&
  !isCertain &&
  (failureCode === undefined || UNKNOWN_CODES.includes(failureCode));

/** Whether an error says that nothing was done: stopped sales are `unavailable` before anything begins. */
const isCertain = ({ details }: Pick<ActionError, "details">): boolean =>
  details.some(({ message }) => message === "sales_stopped");

/** Whether the operation may have been done although it was answered with an error. */
export const isUnknownError = (error: ActionError): boolean =>
  isUnknown({ failure: error.message, failureCode: error.code, isCertain: isCertain(error) });

/** Refusals that say that the page is out of date. */
const STALE_CODES: readonly string[] = ["conflict", "not_found"];

/** Whether a page must be read again after an action: it changed something, may have, or found something else than the page shows. */
export const isPageStale = (answer: ActionAnswer<unknown>): boolean =>
  answer.ok || isUnknownError(answer) || STALE_CODES.includes(answer.code);

/** Shown where a server action was not answered at all. */
export const UNREACHABLE = "The service can’t be reached. Check your connection and try again.";

/** What a form or an operation says of an error; null is an answer that was lost. */
export const failingOf = (error: ActionError | null): Failing =>
  error
    ? { failure: errorText(error), failureCode: error.code, isCertain: isCertain(error) }
    : { failure: UNREACHABLE };

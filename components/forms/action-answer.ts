import type { ErrorCode, ErrorDetail, InputOf, OutputOf } from "@turnpike/payments/protocol";
import type { DashboardOperations } from "@/lib/console/operations.ts";
import type { SandboxOperations } from "@/lib/sandbox/operations.ts";

/** Why a server action changed nothing, as the page shows it. */
export type ActionError = {
  ok: false;
  code: ErrorCode;
  message: string;
  hint: string;
  /** Wrong fields, by their path in the operation's input. */
  details: ErrorDetail[];
  requestId: string;
};

/** What every server action answers: its data, or an error that says what to do. */
export type ActionAnswer<Data> = { ok: true; data: Data } | ActionError;

type Callable = DashboardOperations & SandboxOperations;

/** A server action that runs an operation. */
export type OperationAction<K extends keyof Callable> = (
  input: InputOf<K, Callable>,
) => Promise<ActionAnswer<OutputOf<K, Callable>>>;

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
export type Failing = { failure: string | undefined; failureCode?: string | undefined };

/** Whether it is unknown what the operation did: its answer was lost, or the service does not know yet. */
export const isUnknown = ({ failure, failureCode }: Failing): boolean =>
  failure !== undefined && (failureCode === undefined || failureCode === "outcome_unknown");

/** Shown where a server action was not answered at all. */
export const UNREACHABLE = "The service can’t be reached. Check your connection and try again.";

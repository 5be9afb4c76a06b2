import type { ErrorCode, ErrorDetail } from "@turnpike/payments/protocol";

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

export const errorText = ({ message, hint }: Pick<ActionError, "message" | "hint">): string =>
  `${message} ${hint}`;

/** Shown where a server action was not answered at all. */
export const UNREACHABLE = "The service can’t be reached. Check your connection and try again.";

import { PaymentsError } from "@turnpike/payments/protocol";
import { errorText } from "./action-answer.ts";
import { errorOfRejection } from "./answer-of.ts";

/** The text of what a read or an action threw. */
export function causeText(cause: unknown): string {
  const known = errorOfRejection(cause);
  if (known) return errorText(known);
  if (PaymentsError.is(cause)) return errorText(cause);
  return cause instanceof Error ? cause.message : String(cause);
}

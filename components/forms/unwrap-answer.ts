import { PaymentsError, readErrorCode } from "@turnpike/payments/protocol";
import type { ActionAnswer } from "./action-answer.ts";

/** The data of a successful action. Throws the error of a failed one. */
export function unwrap<Data>(answer: ActionAnswer<Data>): Data {
  if (answer.ok) return answer.data;
  const { code, message, hint, details, requestId } = answer;
  throw new PaymentsError(readErrorCode(code), message, { hint, details, requestId });
}

import { PaymentsError } from "../../protocol/errors.ts";

const PASSING = new Set(["network_error", "timeout", "rate_limited", "unavailable", "internal"]);

/** Whether the service may answer the same question later: it could not be reached, or was not able to answer. */
export const isPassing = (error: unknown): boolean =>
  PaymentsError.is(error) && PASSING.has(error.code);

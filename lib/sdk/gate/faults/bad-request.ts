import type { Refusal } from "../refusals.ts";

/** 400 for a request that its caller has to change. */
export const badRequest = (reason: string, message: string, retryable = false): Refusal => ({
  kind: "refused",
  httpStatus: 400,
  body: { error: "Bad Request", code: "invalid_input", reason, retryable, message },
});

import { ERRORS, type ErrorCode } from "@turnpike/payments/protocol";
import { ERROR_TITLES } from "@/lib/console/error-titles.ts";

const REQUEST_ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

/** Messages as the service and the client write them, where the hint alone would say too little. */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  invalid_token: "The access token is not valid. Mint a new one.",
  expired_token: "The access token has expired. Mint a new one.",
  insufficient_balance: "There are not enough credits. Order more credits.",
  invalid_plan: "The access token is for another plan. Use one for a plan the agent offers.",
  invalid_agent: "The access token is for another agent or endpoint.",
  invalid_input: "The input of registerCreditsPlan is not valid.",
  invalid_amount: "This plan's requests use 1 to 10 credits; 20 were asked for.",
  unauthorized: "The API key is missing.",
  forbidden: "This API key lacks the scope plans:write.",
  not_found: "Plan 42 was not found.",
  conflict: "Another request wrote the same thing first.",
  idempotency_conflict: "This request ID was used with another body.",
  payload_too_large: "The request is larger than 256 KB.",
  rate_limited: "Too many requests. Try again in 12 seconds.",
  unavailable: "The database cannot be reached.",
  spending_not_allowed: "This call would order the plan for 1.00 USD, and no limit allows it.",
  network_error: "POST /x402/verify could not be sent: the connection was refused.",
  timeout: "POST /x402/settle was not answered within 60 seconds.",
  invalid_answer:
    "GET /protocol/plans/42 was answered 200, but not in the form this version reads.",
};

/** What the code looks like: the answer of the API, or the members of the error that the client throws. */
export function errorExample(code: ErrorCode, origin: string): Record<string, unknown> {
  const { status, hint } = ERRORS[code];
  const message = MESSAGES[code] ?? hint;
  const details = code === "invalid_input" && {
    details: [{ path: "priceConfig.amounts.0", message: "Expected a whole number." }],
  };
  if (status === 0) return { name: "PaymentsError", code, message, hint };
  return {
    ...{ code, message, httpStatus: status, hint },
    ...details,
    requestId: REQUEST_ID,
    type: `urn:turnpike:error:${code}`,
    title: ERROR_TITLES[code],
    status,
    docs: `${origin}/docs/errors/${code}`,
  };
}

import { decodeHeader, X402_HEADERS } from "../protocol/x402-headers.ts";

/** Why no requirement is read from a 402, whose body was read before: it may have no end. */
export function whyUnreadable({ headers }: Response, body: Record<string, unknown> | null): string {
  const header = decodeHeader(headers.get(X402_HEADERS.PAYMENT_REQUIRED) ?? "");
  const required = header ?? body?.paymentRequired ?? body ?? {};
  const { x402Version, accepts } = required as { x402Version?: unknown; accepts?: unknown };
  if (x402Version === 1) {
    return "The agent asks for payment by x402 version 1. This client pays by version 2 only.";
  }
  return Array.isArray(accepts) && accepts.length === 0
    ? "The 402 carries no offer: its `accepts` is empty."
    : "The 402 carries no requirement this client can read.";
}

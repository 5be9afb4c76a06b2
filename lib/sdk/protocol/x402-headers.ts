import { decodeBase64, encodeBase64 } from "./encoding/base64.ts";
import { readJson, toJson, withoutNulls } from "./json.ts";

/** The x402 version this protocol speaks. */
export const X402_VERSION = 2;

/** The x402 v2 header names (§4.5, §5). */
export const X402_HEADERS = {
  PAYMENT_SIGNATURE: "payment-signature",
  PAYMENT_REQUIRED: "payment-required",
  PAYMENT_RESPONSE: "payment-response",
} as const;

/** The x402 extension by which a payment names its request, so that a repeat is not paid twice. */
export const PAYMENT_IDENTIFIER = "payment-identifier";

/** A value as an x402 header: standard base64 of its JSON. */
export const encodeHeader = (value: unknown): string => encodeBase64(toJson(value));

/** The JSON in an x402 header, or `null`. Never throws. */
export function decodeHeader(header: string): unknown {
  return withoutNulls(readJson(decodeBase64(header) ?? "")) ?? null;
}

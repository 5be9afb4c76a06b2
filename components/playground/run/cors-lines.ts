import { X402_HEADERS } from "@turnpike/payments/protocol";
import type { PlainRequest } from "@/lib/playground/exchange.ts";

const EXPOSED = [
  X402_HEADERS.PAYMENT_REQUIRED,
  X402_HEADERS.PAYMENT_RESPONSE,
  "payment-request-id",
];

/** The response headers with which an agent lets pages of `origin` send this request, and pay for it. */
export function corsLines({ method, headers }: PlainRequest, origin: string): string {
  const names = headers.map(([name]) => name.toLowerCase());
  const allowed = [...new Set(["content-type", X402_HEADERS.PAYMENT_SIGNATURE, ...names])];
  const isSimple = ["GET", "HEAD", "POST"].includes(method);
  return [
    `access-control-allow-origin: ${origin}`,
    ...(isSimple ? [] : [`access-control-allow-methods: ${method}`]),
    `access-control-allow-headers: ${allowed.join(", ")}`,
    `access-control-expose-headers: ${EXPOSED.join(", ")}`,
  ].join("\n");
}

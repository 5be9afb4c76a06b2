import { MAX_TOKEN_LENGTH } from "../protocol/access-token.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";

/** Names a paid request from its start, so that a stream's receipt can be looked up. */
export const REQUEST_ID_HEADER = "payment-request-id";

const EXPOSED = [X402_HEADERS.PAYMENT_REQUIRED, X402_HEADERS.PAYMENT_RESPONSE, REQUEST_ID_HEADER];

/** The token of a request: absent, or one readable header value, or something that is not one. */
export function readTokenHeader(headers: Headers): { token: string } | "missing" | "malformed" {
  const token = headers.get(X402_HEADERS.PAYMENT_SIGNATURE);
  if (token === null || token === "") return "missing";
  // Headers sent twice arrive joined by a comma, which base64 does not have.
  const isToken = token.length <= MAX_TOKEN_LENGTH && /^[A-Za-z0-9+/_-]+={0,2}$/.test(token);
  return isToken ? { token } : "malformed";
}

/** The request without its token, which is the gate's business and not the agent's. */
export function withoutToken(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete(X402_HEADERS.PAYMENT_SIGNATURE);
  // A body that middleware has read cannot be read again; the router keeps its own copy.
  const body = request.bodyUsed ? null : request.body;
  const { url, method, signal } = request;
  // From its parts: some servers hand over what only looks like a Request.
  const init = { method, headers, signal, ...(body && { body, duplex: "half" }) };
  return new Request(url, init as RequestInit);
}

/**
 * Headers of a gated answer: nobody else's `payment-*`, never cached, told apart by token, readable
 * from a browser, and the given ones.
 */
export function gatedHeaders(upstream: HeadersInit, own: Record<string, string>): Headers {
  const headers = new Headers(upstream);
  const foreign = Array.from(headers.keys()).filter((name) => name.startsWith("payment-"));
  for (const name of foreign) headers.delete(name);
  headers.set("cache-control", "no-store, private");
  addTo(headers, "vary", [X402_HEADERS.PAYMENT_SIGNATURE]);
  addTo(headers, "access-control-expose-headers", EXPOSED);
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}

function addTo(headers: Headers, name: string, items: readonly string[]): void {
  const present = (headers.get(name) ?? "").split(",").map((item) => item.trim());
  const known = new Set(present.map((item) => item.toLowerCase()));
  const missing = items.filter((item) => !known.has(item));
  headers.set(name, [...present.filter(Boolean), ...missing].join(", "));
}

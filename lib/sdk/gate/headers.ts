import { X402_HEADERS } from "../protocol/x402-headers.ts";

/** Names a paid request from its start, so that a stream's receipt can be looked up. */
export const REQUEST_ID_HEADER = "payment-request-id";

const EXPOSED = [X402_HEADERS.PAYMENT_REQUIRED, X402_HEADERS.PAYMENT_RESPONSE, REQUEST_ID_HEADER];

/**
 * What the work does not see: the token, and what asks for less than a whole answer. Frameworks answer a condition with 304 or 412
 * on their own, after the work: it would be free, and tell whether its caller guessed the answer. Nor may the caller have an
 * answer compressed before the gate reads whether it failed.
 */
export const HIDDEN_HEADERS: readonly string[] = [
  X402_HEADERS.PAYMENT_SIGNATURE,
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
  "if-range",
  "range",
  "accept-encoding",
];

/** The headers that the work sees. */
export function withoutHidden(all: Headers): Headers {
  const headers = new Headers(all);
  for (const name of HIDDEN_HEADERS) headers.delete(name);
  return headers;
}

/** The request as the work sees it; it also ends with `late`. */
export function requestForWork(request: Request, late?: AbortSignal): Request {
  const headers = withoutHidden(request.headers);
  // A body that middleware has read cannot be read again; the router keeps its copy.
  const body = request.bodyUsed ? null : request.body;
  const { url, method } = request;
  const signal = late ? AbortSignal.any([request.signal, late]) : request.signal;
  // From its parts: some servers pass an object that only looks like a Request.
  const init = { method, headers, signal, ...(body && { body, duplex: "half" }) };
  return new Request(url, init as RequestInit);
}

/** The gate's own, what caches read beside `cache-control` or before it, and cookies, of which a record has room for one. */
export const FOREIGN =
  /^payment-|-cache-control$|^(surrogate-control|edge-control|x-accel-expires|expires|set-cookie)$/;

/**
 * Headers of a gated answer: never cached, also by a CDN, varying by token, readable from a browser, with the given
 * headers and no `payment-*` header of anyone else. A record: `Headers` take five times as long.
 */
export function gatedHeaders(
  upstream: Iterable<[string, string]>,
  own: Record<string, string>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of upstream) if (!FOREIGN.test(name)) headers[name] = value;
  headers["cache-control"] = "no-store, private";
  addTo(headers, "vary", [X402_HEADERS.PAYMENT_SIGNATURE]);
  addTo(headers, "access-control-expose-headers", EXPOSED);
  return Object.assign(headers, own);
}

function addTo(headers: Record<string, string>, name: string, items: readonly string[]): void {
  const present = headers[name]?.toLowerCase().split(/\s*,\s*/);
  const missing = items.filter((item) => !present?.includes(item));
  headers[name] = [headers[name] ?? [], missing].flat().join(", ");
}

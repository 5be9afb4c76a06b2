import { canParseUrl, PaymentsError } from "@turnpike/payments/protocol";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Whether a browser sent this from our own page. Every POST of a browser names its page's origin,
 * and no page can forge it; the names of this machine are one origin, any other must be the
 * configured one, so that a foreign name pointed at this machine does not pass.
 */
export function isOwnOrigin(headers: Headers, configured: string): boolean {
  const origin = headers.get("origin");
  if (origin === null || !canParseUrl(origin)) return false;
  const own = new URL(configured);
  if (origin === own.origin) return true;
  const { host, hostname, protocol } = new URL(origin);
  const isLoopback = LOOPBACK.has(hostname) && protocol === own.protocol;
  return isLoopback && host === headers.get("host");
}

/** Throws `forbidden` for a request of another site's page. */
export function requireOwnOrigin(headers: Headers, configured: string): void {
  if (isOwnOrigin(headers, configured)) return;
  throw new PaymentsError("forbidden", "Only this site's own pages may send this request.");
}

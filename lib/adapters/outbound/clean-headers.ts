import { refuse } from "./outbound-fault.ts";

/** Hop-by-hop headers, headers of the transport or a browser, and headers that carry a session. */
const LEFT_OUT =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|host|content-length|expect|accept-encoding|user-agent|cookie2?|set-cookie2?|authorization|forwarded|via|x-forwarded-.*|x-real-ip|proxy-.*|sec-.*|x-turnpike-.*)$/;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a header must not contain these.
const VALUE = /^[^\u0000-\u0008\u000a-\u001f\u007f]*$/;
const OWN_KEY = /svc-(sandbox|live):[A-Za-z0-9_-]+\./;
const MAX_HEADERS = 100;
const MAX_BYTES = 32 * 1024;

/** The headers to send, in lower case, and the names of those that were dropped. Throws a fault. */
export function cleanHeaders(
  given: Record<string, string>,
  authorization: string | undefined,
): { headers: Record<string, string>; leftOut: string[] } {
  const headers: Record<string, string> = {};
  const leftOut: string[] = [];
  const named = Object.entries(given);
  // In any header, a key that can act as the account must not reach an agent.
  if ([...named.map(([, value]) => value), authorization ?? ""].some((v) => OWN_KEY.test(v))) {
    throw refuse(
      "own_credential",
      "A header contains an API key of this service. Remove it: agents never need it.",
    );
  }
  // Connection lists more hop-by-hop headers.
  const hops = named
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(",")
        .map((name) => name.trim()),
    );
  for (const [given, value] of named) {
    const name = given.toLowerCase();
    if (!NAME.test(given) || !VALUE.test(value)) {
      throw refuse("header_invalid", `The header ${JSON.stringify(given)} is not allowed.`);
    }
    if (LEFT_OUT.test(name) || hops.includes(name)) leftOut.push(name);
    else headers[name] = value;
  }
  if (authorization !== undefined) {
    if (!VALUE.test(authorization)) {
      throw refuse(
        "header_invalid",
        "The agent's credentials contain characters that are not allowed in a header.",
      );
    }
    headers.authorization = authorization;
  }
  const bytes = Object.entries(headers).reduce((sum, [n, v]) => sum + n.length + v.length + 4, 0);
  if (named.length > MAX_HEADERS || bytes > MAX_BYTES) {
    throw refuse("header_invalid", "Send at most 100 headers and 32 KiB of header data.");
  }
  return { headers, leftOut };
}

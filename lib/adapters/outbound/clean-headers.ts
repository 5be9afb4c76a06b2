import { refuse } from "./outbound-fault.ts";

/** Hop-by-hop, the transport's own, a browser's own, and those that carry somebody's session. */
const LEFT_OUT =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|host|content-length|expect|accept-encoding|user-agent|cookie2?|set-cookie2?|authorization|forwarded|via|x-forwarded-.*|x-real-ip|proxy-.*|sec-.*|x-turnpike-.*)$/;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what a header must not hold.
const VALUE = /^[^\u0000-\u0008\u000a-\u001f\u007f]*$/;
const OWN_KEY = /svc-(sandbox|live):[A-Za-z0-9_-]+\./;
const MAX_HEADERS = 100;
const MAX_BYTES = 32 * 1024;

/** The headers to send, lower-case, and the names of those that stay here. Throws the refusal. */
export function cleanHeaders(
  given: Record<string, string>,
  authorization: string | undefined,
): { headers: Record<string, string>; leftOut: string[] } {
  const headers: Record<string, string> = {};
  const leftOut: string[] = [];
  const named = Object.entries(given);
  // Whatever a header is named, a key that acts as the account here must not reach an agent.
  if ([...named.map(([, value]) => value), authorization ?? ""].some((v) => OWN_KEY.test(v))) {
    throw refuse(
      "own_credential",
      "A header holds an API key of this service. Agents never need it; it stays here.",
    );
  }
  // Connection names more headers that end at the next hop.
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
      throw refuse("header_invalid", `The header ${JSON.stringify(given)} cannot be sent.`);
    }
    if (LEFT_OUT.test(name) || hops.includes(name)) leftOut.push(name);
    else headers[name] = value;
  }
  if (authorization !== undefined) {
    if (!VALUE.test(authorization)) {
      throw refuse("header_invalid", "The agent's login holds characters a header cannot carry.");
    }
    headers.authorization = authorization;
  }
  const bytes = Object.entries(headers).reduce((sum, [n, v]) => sum + n.length + v.length + 4, 0);
  if (named.length > MAX_HEADERS || bytes > MAX_BYTES) {
    throw refuse("header_invalid", "At most 100 headers and 32 KiB of them are sent.");
  }
  return { headers, leftOut };
}

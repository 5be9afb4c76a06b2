import {
  canParseUrl,
  isWebUrl,
  matchesMethod,
  matchesSegments,
  normalizePath,
  pathOf,
} from "@turnpike/payments/protocol";
import type { AgentEndpoint } from "../records.ts";

/** The URL with the agent's ID in place of `:agentId` and `{agentId}` (§2.8). */
export const withAgentId = (url: string, agentId: string): string =>
  url.replace(/:agentId(?=[/?#]|$)|\{agentId\}/g, agentId);

/** Only paths are compared: a gate behind a proxy does not know its outside origin. An agent without endpoints has every one. */
export function matchesEndpoint(
  endpoints: readonly AgentEndpoint[],
  verb: string | undefined,
  url: string | undefined,
): boolean {
  const fitsVerb = (endpoint: AgentEndpoint) =>
    verb === undefined || matchesMethod(endpoint.verb, verb);
  if (endpoints.length === 0) return true;
  // A stock facilitator does not send the resource; the verb is in the offer.
  if (url === undefined) return endpoints.some(fitsVerb);
  const segments = normalizePath(pathOf(url));
  if (segments === null) return false;
  // A requirement may name the route's pattern or a path of it: a parameter fits both.
  return endpoints.some(
    (endpoint) =>
      fitsVerb(endpoint) && matchesPath(pathOf(endpoint.url).split("/").filter(Boolean), segments),
  );
}

/** A registered segment may be percent-encoded. Each is decoded alone, so that an encoded colon makes no parameter. */
const matchesPath = (registered: string[], asked: string[]): boolean =>
  registered.length === asked.length &&
  registered.every((part, at) => {
    const segment = asked[at] ?? "";
    return matchesSegments([part], [segment]) || normalizePath(part)?.[0] === segment;
  });

/** Whether a request to this URL reached one of the endpoints, which has to name the same origin. */
export function isSentToEndpoint(
  endpoints: readonly AgentEndpoint[],
  { method, url }: { method: string; url: string },
): boolean {
  const origin = originOf(url);
  const there = endpoints.filter((endpoint) => originOf(endpoint.url) === origin);
  return origin !== null && there.length > 0 && matchesEndpoint(there, method, url);
}

/** How the origin of a URL may be written in an endpoint, in lower case. */
export function spellingsOf(url: string): string[] {
  const { origin, protocol, port } = new URL(url);
  return port ? [origin] : [origin, `${origin}:${protocol === "https:" ? 443 : 80}`];
}

const originOf = (url: string): string | null =>
  isWebUrl(url) && canParseUrl(url) ? new URL(url).origin : null;

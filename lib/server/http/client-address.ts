import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";

/** The request header in which the pages find the client's address; whatever a client sends there is dropped. */
export const CLIENT_ADDRESS_HEADER = "x-turnpike-address";

/**
 * Who sent a request, as limits count it: the peer's address, or what the outermost of `trustedProxies`
 * wrote into `X-Forwarded-For`. An IPv6 network of one customer (/64) counts as one.
 */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, "headers" | "socket">,
  trustedProxies: number,
): string {
  const hops = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((hop) => hop.trim());
  const told = trustedProxies > 0 ? hops.at(-trustedProxies) : undefined;
  const address = told && ipaddr.isValid(told) ? told : (socket.remoteAddress ?? "");
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.toNormalizedString().split(":").slice(0, 4).join(":")}::/64`;
}

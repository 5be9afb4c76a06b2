import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

/** The request header in which the pages find the client's address; whatever a client sends there is dropped. */
export const CLIENT_ADDRESS_HEADER = "x-turnpike-address";

/** Of the range for documentation (RFC 5737): no client has it, so that one who seems to has written it. */
export const FORGED_ADDRESS = "192.0.2.1";

/**
 * Who sent a request, as limits count it: the peer's address, or what the outermost of `trustedProxies`
 * wrote into `X-Forwarded-For`. An IPv6 network of one customer (/64) counts as one.
 */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, "headers" | "socket">,
  trustedProxies: number,
): string {
  const told =
    trustedProxies > 0
      ? String(headers["x-forwarded-for"] ?? "")
          .split(",")
          .at(-trustedProxies)
          ?.trim()
      : undefined;
  return known.memo((told && ipaddr.isValid(told) ? told : socket.remoteAddress) ?? "");
}

/** Most requests come from an address that sent one before. */
const known = new LRUCache<string, string>({
  max: 10_000,
  memoMethod(address) {
    if (!ipaddr.isValid(address)) return "unknown";
    const parsed = ipaddr.process(address);
    if (parsed instanceof ipaddr.IPv4) return parsed.toString();
    return `${parsed.toNormalizedString().split(":").slice(0, 4).join(":")}::/64`;
  },
});

import { isIPv6 } from "node:net";

/** Addresses that a server listens on to take every connection; this machine calls them by its loopback. */
const ANY: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Where processes of this machine call the service: not its public origin, which may be a proxy's or a tunnel's. */
export function ownUrl({ host, port }: { host: string; port: number }): string {
  const reached = ANY[host] ?? host;
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}

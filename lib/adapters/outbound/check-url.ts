import { isIP } from "node:net";
import { canParseUrl } from "@turnpike/payments/protocol";
import { type AddressKind, kindOfAddress } from "./check-address.ts";
import { refuse } from "./outbound-fault.ts";

/** Which URLs may be called. */
export type OutboundPolicy = {
  /** Plain http, in the sandbox only. */
  allowsHttp: boolean;
  /** This machine, for agents under development, in the sandbox only. */
  loopback: LoopbackPolicy;
};

export type LoopbackPolicy =
  | { allows: "nothing" }
  | { allows: "ports"; ports: ReadonlySet<number> }
  /** Every port except those of the service's own parts. */
  | { allows: "all"; except: ReadonlySet<number> };

/** A URL that may be called if its addresses may be. */
export type Target = { url: URL; isSecure: boolean; port: number; host: string; literal: boolean };

const MAX_URL = 2048;
const PUBLIC_PORTS = [443, 80, 8443];

/** Parses a URL or throws a fault. A hostname's addresses are checked later. */
export function readTarget(text: string, policy: OutboundPolicy): Target {
  if (text.length > MAX_URL) {
    throw refuse("url_invalid", `The URL is longer than ${MAX_URL} characters.`);
  }
  if (!canParseUrl(text)) throw refuse("url_invalid", "Enter a valid URL.");
  const url = new URL(text);
  const isSecure = url.protocol === "https:";
  if (!isSecure && url.protocol !== "http:") {
    throw refuse("scheme_refused", `Use https. ${url.protocol} URLs are not supported.`);
  }
  if (!isSecure && !policy.allowsHttp) {
    throw refuse("scheme_refused", "Use https. Over http, the token could be intercepted.");
  }
  if (url.username || url.password) {
    throw refuse(
      "credentials_in_url",
      "The URL contains a username or password. Set them under Access.",
    );
  }
  url.hash = "";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || (isSecure ? 443 : 80));
  return { url, isSecure, port, host, literal: isIP(host) !== 0 };
}

/**
 * Checks every address of a target or throws a fault. All must be public. All may be loopback only if the URL itself
 * names this machine, so that no foreign name can resolve to it.
 */
export function checkAddresses(
  target: Target,
  addresses: readonly string[],
  policy: OutboundPolicy,
  own: ReadonlySet<string>,
): void {
  const kinds = addresses.map((address): [string, AddressKind] => [
    address,
    kindOfAddress(address, own),
  ]);
  if (kinds.length > 0 && kinds.every(([, kind]) => kind === "public")) {
    if (PUBLIC_PORTS.includes(target.port)) return;
    throw refuse(
      "port_refused",
      `Port ${target.port} is not allowed. Use one of ${PUBLIC_PORTS.join(", ")}.`,
    );
  }
  const isLoopback = kinds.length > 0 && kinds.every(([, kind]) => kind === "loopback");
  if (isLoopback && saysLoopback(target)) {
    checkLoopback(target.port, policy.loopback);
    return;
  }
  const [wrong] = kinds.find(([, kind]) => kind !== "public") ?? ["nothing"];
  // The address of a name is known to this network alone, and strangers ask.
  const where = target.literal ? wrong : target.host;
  throw refuse(
    "address_refused",
    `${where} is not on the public internet. Private, loopback, link-local and metadata addresses are blocked.`,
  );
}

/** Whether a name is one of this machine's own, which no name server is asked about. */
export const isLocalName = (host: string): boolean => /^([a-z0-9-]+\.)*localhost\.?$/.test(host);

const saysLoopback = ({ host, literal }: Target) => literal || isLocalName(host);

function checkLoopback(port: number, policy: LoopbackPolicy): void {
  if (policy.allows === "nothing") {
    throw refuse(
      "address_refused",
      "This deployment cannot call its own machine. Use a public address.",
    );
  }
  const isAllowed = policy.allows === "all" ? !policy.except.has(port) : policy.ports.has(port);
  if (isAllowed) return;
  throw refuse(
    "port_refused",
    policy.allows === "all"
      ? `Port ${port} on this machine belongs to the service's database, chain or card processor.`
      : `Port ${port} on this machine is not listed in OUTBOUND_LOOPBACK_PORTS.`,
  );
}

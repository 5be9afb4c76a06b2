import { isIP } from "node:net";
import { type AddressKind, kindOfAddress } from "./check-address.ts";
import { refuse } from "./outbound-fault.ts";

/** Where requests may go. */
export type OutboundPolicy = {
  /** Plain http; the sandbox alone. */
  allowsHttp: boolean;
  /** This machine, for agents under development; the sandbox alone. */
  loopback: LoopbackPolicy;
};

export type LoopbackPolicy =
  | { allows: "nothing" }
  | { allows: "ports"; ports: ReadonlySet<number> }
  /** Every port but those of the service's own parts. */
  | { allows: "all"; except: ReadonlySet<number> };

/** A URL that may be called if its addresses may. */
export type Target = { url: URL; isSecure: boolean; port: number; host: string; literal: boolean };

const MAX_URL = 2048;
const PUBLIC_PORTS = [443, 80, 8443];

/** Reads a URL, or throws the refusal. The address behind a name is still to be checked. */
export function readTarget(text: string, policy: OutboundPolicy): Target {
  if (text.length > MAX_URL) {
    throw refuse("url_invalid", `The URL is longer than ${MAX_URL} characters.`);
  }
  if (!URL.canParse(text)) throw refuse("url_invalid", "This is not a URL.");
  const url = new URL(text);
  const isSecure = url.protocol === "https:";
  if (!isSecure && url.protocol !== "http:") {
    throw refuse("scheme_refused", `Only https is called, not ${url.protocol}`);
  }
  if (!isSecure && !policy.allowsHttp) {
    throw refuse("scheme_refused", "Only https is called: over http anybody could read the token.");
  }
  if (url.username || url.password) {
    throw refuse(
      "credentials_in_url",
      "The URL carries a user name or a password. Set them under Access.",
    );
  }
  url.hash = "";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || (isSecure ? 443 : 80));
  return { url, isSecure, port, host, literal: isIP(host) !== 0 };
}

/**
 * Checks every address a target stands for, or throws the refusal. All of them must be public; all of
 * them may be loopback when the URL itself says so, so that no foreign name can lead to this machine.
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
      `Port ${target.port} is not called; agents answer on ${PUBLIC_PORTS.join(", ")}.`,
    );
  }
  const isLoopback = kinds.length > 0 && kinds.every(([, kind]) => kind === "loopback");
  if (isLoopback && saysLoopback(target)) {
    checkLoopback(target.port, policy.loopback);
    return;
  }
  const [wrong] = kinds.find(([, kind]) => kind !== "public") ?? ["nothing"];
  const where = target.literal ? wrong : `${target.host} (${wrong})`;
  throw refuse(
    "address_refused",
    `${where} is not on the public internet. Private, loopback, link-local and metadata addresses are never called.`,
  );
}

const saysLoopback = ({ host, literal }: Target) =>
  literal || /^([a-z0-9-]+\.)*localhost\.?$/.test(host);

function checkLoopback(port: number, policy: LoopbackPolicy): void {
  if (policy.allows === "nothing") {
    throw refuse(
      "address_refused",
      "This deployment does not call its own machine. Give the agent a public address.",
    );
  }
  const isAllowed = policy.allows === "all" ? !policy.except.has(port) : policy.ports.has(port);
  if (isAllowed) return;
  throw refuse(
    "port_refused",
    policy.allows === "all"
      ? `Port ${port} of this machine belongs to the service's own database, chain or card processor.`
      : `Port ${port} of this machine is not among OUTBOUND_LOOPBACK_PORTS.`,
  );
}

import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** The kind of an address. Only `public` and, where allowed, `loopback` addresses are called. */
export type AddressKind = "public" | "loopback" | "denied";

// The internet's unicast range; the rest of IPv6 is unallocated or special.
const GLOBAL_V6 = ipaddr.parseCIDR("2000::/3");

/** Special addresses that the registries list as ordinary. */
const EXTRA_DENIED = [
  // A cloud provider's host agent and name server.
  "168.63.129.16/32",
  // Discard-only and dummy prefixes.
  "100:0:0:1::/64",
  "100::/64",
  // Documentation, and segment routing inside one network.
  "3fff::/20",
  "5f00::/16",
].map((range) => ipaddr.parseCIDR(range));

/** The kind of an IP address, given without brackets. Invalid addresses are denied. */
export function kindOfAddress(text: string, own: ReadonlySet<string> = new Set()): AddressKind {
  // A zone refers to an interface of this machine.
  if (text.includes("%") || !ipaddr.isValid(text)) return "denied";
  const address = ipaddr.parse(text);
  if (address.range() === "loopback") return "loopback";
  const isGlobal = address.kind() === "ipv4" || address.match(GLOBAL_V6);
  const isSpecial = EXTRA_DENIED.some(
    ([range, bits]) => range.kind() === address.kind() && address.match([range, bits]),
  );
  const isOwn = own.has(address.toNormalizedString());
  return isGlobal && !isSpecial && !isOwn && address.range() === "unicast" ? "public" : "denied";
}

/** This machine's addresses, including public ones, which others must not reach through it. */
export function ownAddresses(): Set<string> {
  const all = Object.values(networkInterfaces()).flatMap((interfaces) => interfaces ?? []);
  const texts = all.map(({ address }) => address.split("%")[0] as string);
  return new Set(
    texts.filter(ipaddr.isValid).map((text) => ipaddr.parse(text).toNormalizedString()),
  );
}

/** Whether two strings are the same address. */
export const isSameAddress = (one: string, other: string): boolean =>
  ipaddr.isValid(one) &&
  ipaddr.isValid(other) &&
  ipaddr.process(one).toNormalizedString() === ipaddr.process(other).toNormalizedString();

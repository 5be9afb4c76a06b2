import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { clientAddress } from "./client-address.ts";

const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    socket: { remoteAddress },
  }) as unknown as IncomingMessage;

test.each([
  ["the peer", from("203.0.113.7"), 0, "203.0.113.7"],
  ["the peer, whatever it says of itself", from("203.0.113.7", "10.1.1.1"), 0, "203.0.113.7"],
  ["the peer, mapped into IPv6", from("::ffff:203.0.113.7"), 0, "203.0.113.7"],
  ["a customer’s whole IPv6 network", from("2001:db8:1:2:aa:bb:cc:dd"), 0, "2001:db8:1:2::/64"],
  ["what one proxy wrote", from("10.0.0.1", "198.51.100.4"), 1, "198.51.100.4"],
  [
    "what the proxy wrote, not what was sent to it",
    from("10.0.0.1", "1.1.1.1, 9.9.9.9"),
    1,
    "9.9.9.9",
  ],
  ["what the outer of two wrote", from("10.0.0.1", "1.1.1.1, 9.9.9.9, 10.0.0.2"), 2, "9.9.9.9"],
  ["the peer where the proxy wrote nonsense", from("10.0.0.1", "nonsense"), 1, "10.0.0.1"],
  ["the peer where fewer wrote than are trusted", from("10.0.0.1", "9.9.9.9"), 2, "10.0.0.1"],
  ["no peer", from(undefined), 0, "unknown"],
])("counts %s", (_, request, trustedProxies, address) => {
  expect(clientAddress(request, trustedProxies)).toBe(address);
});

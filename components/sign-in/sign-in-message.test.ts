import { parseSiweMessage } from "viem/siwe";
import { expect, test, vi } from "vitest";
import { signInMessage } from "./sign-in-message.ts";

test("the message was issued when the service says, whatever this computer's clock shows", () => {
  const issuedAt = "2026-11-27T10:00:00.000Z";
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(issuedAt) + 600_000 });
  const message = signInMessage(
    "0x000000000000000000000000000000000000dEaD",
    { nonce: "0123456789abcdef", chainId: 84532, issuedAt },
    { host: "turnpike.test", origin: "https://turnpike.test" },
  );
  expect(parseSiweMessage(message)).toMatchObject({
    ...{ domain: "turnpike.test", uri: "https://turnpike.test", nonce: "0123456789abcdef" },
    issuedAt: new Date(issuedAt),
  });
});

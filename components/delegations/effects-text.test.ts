import { expect, test } from "vitest";
import { revokedText } from "./effects-text.ts";

test("revoking all says how many the service revoked", () => {
  const revoked = { success: true, delegationsRevoked: 1, tokensRevoked: 12 };
  expect(revokedText(revoked)).toBe("Revoked 1 delegation and 12 tokens");
});

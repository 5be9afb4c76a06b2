import type { TokenDetails } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { mintAgainHref, mintAgainHrefOf } from "./mint-again.ts";

const issuedAt = "2026-11-21T14:00:03.000Z";
const token = (more: Partial<TokenDetails> = {}) =>
  ({
    planId: "42",
    agentId: "7",
    delegationId: "d1",
    redemptionLimit: 25,
    issuedAt,
    expiresAt: "2026-11-22T14:00:01.000Z",
    delegation: { expiresAt: "2026-12-21T14:00:00.000Z" },
    ...more,
  }) as TokenDetails;

test("another token has the plan, agent, delegation, maximum calls and duration of the first", () => {
  expect(mintAgainHref(token())).toBe(
    "/tokens/new?plan=42&agent=7&delegation=d1&calls=25&life=86400",
  );
});

test("a token for any agent is not narrowed to the plan's first one", () => {
  expect(mintAgainHref(token({ agentId: undefined }))).toContain("agent=any");
});

test("a token that expired with its delegation does so again", () => {
  const end = { expiresAt: "2026-12-21T14:00:00.000Z" };
  expect(mintAgainHref(token(end))).not.toContain("life=");
});

test("a decoded token leads to the same form", () => {
  const authorization = {
    ...{ from: `0x${"1".repeat(40)}`, planId: "42", agentId: "7", delegationId: "d1" },
    ...{ iat: 1_000, exp: 87_398 },
  };
  const limits = { redemptionLimit: 25, orderLimit: "0" };
  const sessionKey = { address: authorization.from, permissions: [], limits };
  expect(mintAgainHrefOf({ payload: { authorization, sessionKey } })).toBe(mintAgainHref(token()));
});

import { expect, test } from "vitest";
import type { FetchToken } from "../fetch-tokens.ts";
import { createCallTokens } from "./call-tokens.ts";

const ENDED = async () => ({});
const tokenOf = (planId: string): FetchToken => ({
  ...{ key: "kind", planId, accessToken: "", signer: null, tokenId: planId },
  ...{ mayOrder: false, purchase: null, users: 0, hasApproval: false },
});
const callOf = (name: string | null, ...offered: string[]) => ({
  ...{ key: "kind", name, offered, allowed: offered },
});

test("calls that were answered do not displace the token of an open one", () => {
  const tokens = createCallTokens(ENDED);
  const held = tokenOf("42");
  const token = Promise.resolve(held);
  tokens.note(callOf("lost"), token, held, "open");
  for (let n = 0; n < 1_100; n += 1) tokens.note(callOf(`call ${n}`), token, held, "answered");
  const known = ["lost", "call 0", "call 1099"].map((name) => tokens.find(callOf(name, "42")));
  expect(known).toEqual([token, undefined, token]);
});

test("sellers of the same name keep the tokens of their own plans", () => {
  const tokens = createCallTokens(ENDED);
  const [one, two] = ["1", "2"].map((planId) => {
    const held = tokenOf(planId);
    const token = Promise.resolve(held);
    tokens.note(callOf("call"), token, held, "open");
    return token;
  });
  const known = ["1", "2", "3"].map((planId) => tokens.find(callOf("call", planId)));
  expect(known).toEqual([one, two, undefined]);
});

test("a call without a key of its caller is not remembered", () => {
  const tokens = createCallTokens(ENDED);
  const held = tokenOf("42");
  tokens.note(callOf(null), Promise.resolve(held), held, "open");
  expect(tokens.find(callOf(null, "42"))).toBeUndefined();
  expect(tokens.find(callOf("null", "42"))).toBeUndefined();
});

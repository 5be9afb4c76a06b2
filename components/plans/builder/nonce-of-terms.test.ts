import { Uint256 } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { MARKET } from "../testing/arbitrary-plan.ts";
import { nonceOfTerms } from "./nonce-of-terms.ts";
import { payloadOfDraft } from "./payload-of-draft.ts";
import { newDraft, type PlanDraft } from "./plan-draft.ts";

const SEED = "271828182845904523536028747135266249775";

const nonceOf = (changes: Partial<PlanDraft>) => {
  const reading = payloadOfDraft({ ...newDraft(MARKET, SEED), name: "Search", ...changes }, MARKET);
  if (!reading.isPayload) throw new Error("unreadable");
  return reading.payload.nonce;
};

test("the same terms of a draft have one nonce, and other terms have another", () => {
  const nonce = nonceOf({});
  expect(nonceOf({})).toBe(nonce);
  const others: Partial<PlanDraft>[] = [
    { name: "Search 2" },
    { granted: "101" },
    { state: "draft" },
    { nonce: `${SEED}0` },
  ];
  const all = [nonce, ...others.map(nonceOf)];
  expect(new Set(all).size).toBe(all.length);
});

test("a nonce is a number that the service accepts, whatever the seed", () => {
  for (const seed of [SEED, "0", "not a number"]) {
    expect(Uint256.parse(nonceOfTerms(seed, { name: "名前" }))).toBeLessThan(2n ** 128n);
  }
});

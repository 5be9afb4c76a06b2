import { expect, test } from "vitest";
import { afterOf, ruleSentence } from "./rule-text.ts";

test("the unit after a threshold fits its number", () => {
  expect(afterOf("doctor-failing", 1)).toBe("problem");
  expect(afterOf("doctor-failing", 2)).toBe("problems");
  expect(afterOf("credits-days", 1)).toBe("day");
  expect(afterOf("declined-rate", 1)).toBe("% in 15 minutes");
  expect(afterOf("payout-failed", 1)).toBeUndefined();
});

test("a rule reads as one sentence, with no space before a percent sign", () => {
  expect(ruleSentence("credits-days", 2)).toBe("Credits will run out within 2 days");
  expect(ruleSentence("error-rate", 5)).toBe("Failed calls reach 5% in 15 minutes");
  expect(ruleSentence("payout-failed", 1)).toBe("A payout fails");
});

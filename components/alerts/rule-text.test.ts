import { expect, test } from "vitest";
import { afterOf } from "./rule-text.ts";

test("the unit after a threshold fits its number", () => {
  expect(afterOf("doctor-failing", 1)).toBe("problem");
  expect(afterOf("doctor-failing", 2)).toBe("problems");
  expect(afterOf("credits-days", 1)).toBe("day at the present rate");
  expect(afterOf("declined-rate", 1)).toBe("% in 15 minutes");
  expect(afterOf("payout-failed", 1)).toBeUndefined();
});

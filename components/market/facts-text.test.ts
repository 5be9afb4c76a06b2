import { expect, test } from "vitest";
import { hasEnough, initialsOf, msText, shareText, tooFewText } from "./facts-text.ts";

test("a share is 100% only when every call settled", () => {
  expect(shareText({ calls: 100_000, settled: 99_999 })).toBe("99.9%");
  expect(shareText({ calls: 30, settled: 30 })).toBe("100%");
  expect(shareText({ calls: 3, settled: 1 })).toBe("33.3%");
});

test("below twenty calls there is no share, and the text says how many there are", () => {
  expect([hasEnough({ calls: 19 }), hasEnough({ calls: 20 })]).toEqual([false, true]);
  expect(tooFewText({ calls: 3 })).toBe("Not enough calls yet: 3 of 20 in 30 days.");
});

test("times and initials are short", () => {
  expect([msText(undefined), msText(420), msText(1_900)]).toEqual(["–", "420 ms", "1.9 s"]);
  expect([initialsOf("Filings reader pro"), initialsOf("ärzte"), initialsOf(" ")]).toEqual([
    "FR",
    "Ä",
    "",
  ]);
});

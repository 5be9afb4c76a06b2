import { expect, test } from "vitest";
import { changeNote, changeText } from "./change-note.ts";

test.each([
  [125, 100, "+25%"],
  ["92", "100", "−8%"],
  [5, 5, "unchanged"],
  [1001, 1000, "up by less than 1%"],
  [5, 0, ""],
  [0n, 40n, "−100%"],
])("%s after %s is %s", (now, before, text) => {
  expect(changeText(now, before)).toBe(text);
});

test("the previous period is beside its change", () => {
  expect(changeNote({ amount: 1284, previous: 1208 }, "the previous day")).toBe(
    "1,208 the previous day, +6%",
  );
});

test("nothing is said of a period before that had nothing", () => {
  expect(changeNote({ amount: 5, previous: 0 }, "the previous day")).toBeUndefined();
  expect(changeNote({ amount: "0", previous: "0" }, "the previous day")).toBeUndefined();
});

import { expect, test } from "vitest";
import { durationText, readDuration, splitDuration } from "./duration-text.ts";

const HOUR = 3_600;
const DAY = 24 * HOUR;

test.each([
  [0, "0 s"],
  [40, "40 s"],
  [61, "1 m 1 s"],
  [23 * HOUR + 50 * 60 + 59, "23 h 50 m"],
  [6 * DAY + 4 * HOUR + 30, "6 d 4 h"],
  [DAY + 59, "1 d"],
  [-5, "0 s"],
])("%i seconds are %s", (secs, text) => {
  expect(durationText(secs)).toBe(text);
});

test("counts a month as 30 days and a year as 365", () => {
  expect(readDuration("1", "months")).toEqual({ isDuration: true, durationSecs: 30 * DAY });
  expect(readDuration("2", "years")).toEqual({ isDuration: true, durationSecs: 730 * DAY });
});

test.each([
  ["", "Enter a whole number of days."],
  ["1.5", "Enter a whole number of days."],
  ["-2", "Enter a whole number of days."],
  ["0", "Enter 1 or more."],
  ["99999999999999", "Enter a smaller number."],
])("a length of “%s” days is rejected with a reason", (count, words) => {
  expect(JSON.stringify(readDuration(count, "days"))).toContain(words);
});

test("splits a duration into the largest unit that divides it", () => {
  expect(splitDuration(7 * DAY)).toEqual({ count: "1", unit: "weeks" });
  expect(splitDuration(30 * DAY)).toEqual({ count: "1", unit: "months" });
  expect(splitDuration(8 * DAY)).toEqual({ count: "8", unit: "days" });
  expect(splitDuration(5 * HOUR)).toEqual({ count: "5", unit: "hours" });
});

test.each([90 * 60, 60, 3_601])("keeps a length of %i seconds exactly", (secs) => {
  const { count, unit } = splitDuration(secs);
  expect(readDuration(count, unit)).toEqual({ isDuration: true, durationSecs: secs });
});

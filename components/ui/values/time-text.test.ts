import { expect, test } from "vitest";
import { absoluteTime, dayClockText, relativeTime, ticksEachMs } from "./time-text.ts";

const NOW = new Date("2026-11-21T14:10:00Z");

test.each([
  ["2026-11-21T14:09:55Z", "just now"],
  ["2026-11-21T14:09:20Z", "40 s ago"],
  ["2026-11-21T14:02:11Z", "7 min ago"],
  ["2026-11-21T12:11:00Z", "1 h ago"],
  ["2026-11-19T14:10:00Z", "2 d ago"],
  ["2026-11-22T14:00:00Z", "in 23 h"],
  ["2026-11-10T14:00:00Z", "10 Nov"],
  ["2025-11-10T14:00:00Z", "10 Nov 2025"],
])("%s reads %s", (at, text) => {
  expect(relativeTime(new Date(at), NOW)).toBe(text);
});

test("writes absolute times in UTC, to the second", () => {
  expect(absoluteTime(new Date("2026-01-02T03:04:05.678Z"))).toBe("2 Jan 2026 03:04:05 UTC");
});

test.each([
  ["2026-11-21T00:00:00Z", "00:00:00"],
  ["2026-11-20T23:59:59Z", "20\u00a0Nov 23:59:59"],
  ["2025-12-30T14:02:11Z", "30\u00a0Dec\u00a02025 14:02:11"],
])("in a list of calls, %s reads %s", (at, text) => {
  expect(dayClockText(new Date(at), NOW)).toBe(text);
});

test("updates texts in seconds every second, texts in days rarely", () => {
  expect(ticksEachMs(new Date("2026-11-21T14:09:30Z"), NOW)).toBe(1_000);
  expect(ticksEachMs(new Date("2026-11-19T14:09:30Z"), NOW)).toBe(300_000);
});

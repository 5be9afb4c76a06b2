import { expect, test } from "vitest";
import { spansOf, worstDay } from "./reliability.ts";

const DAYS = Array.from({ length: 30 }, (_, day) => ({
  calls: 10,
  settled: day === 20 ? 4 : day === 29 ? 9 : 10,
}));

test("the calls of thirty days are compared over spans that leave no day out", () => {
  const spans = spansOf(DAYS);
  expect(spans.map(({ label, calls, settled }) => [label, calls, settled])).toEqual([
    ["Last 7 days", 70, 69],
    ["7 days before", 70, 64],
    ["16 days before", 160, 160],
  ]);
});

test("the day that lost the most calls is named by its date, and there may be none", () => {
  const since = "2026-11-01T00:00:00.000Z";
  expect(worstDay(DAYS, since)).toEqual({
    at: new Date("2026-11-21T00:00:00.000Z"),
    calls: 10,
    settled: 4,
  });
  expect(worstDay([{ calls: 3, settled: 3 }], since)).toBeUndefined();
});

import { expect, test } from "vitest";
import { daysUsedIn, forecastText, leftText } from "./subscription-text.ts";

test("a credit plan shows credits, a time plan shows access", () => {
  expect(leftText({ accessLimit: "credits", available: "1", isActive: true })).toBe("1 credit");
  expect(leftText({ accessLimit: "credits", available: "12000", isActive: true })).toBe(
    "12,000 credits",
  );
  expect(leftText({ accessLimit: "time", available: "1", isActive: false })).toBe("No access");
});

test.each([
  [1, "1", 1, "No forecast before 20 calls over 3 days: 1 call over 1 day so far"],
  [500, "500", 2, "No forecast before 20 calls over 3 days: 500 calls over 2 days so far"],
  [19, "19", 30, "No forecast before 20 calls over 3 days: 19 calls over 30 days so far"],
  [60, "60", 30, "About 50 days of credits, at the rate of 60 calls in the last 30 days"],
  [60, "60", 3, "About 5 days of credits, at the rate of 60 calls in the last 3 days"],
  [900, "900", 3, "Less than a day of credits, at the rate of 900 calls in the last 3 days"],
])("%i calls with %s credits over %i days: %s", (requests30d, creditsUsed30d, days, text) => {
  const use = { accessLimit: "credits", available: "100", creditsUsed30d, requests30d } as const;
  expect(forecastText(use, days)).toBe(text);
});

test("the days of a forecast begin with the first settled call, not with thirty days ago", () => {
  const counts = (settled: number) => ({
    free: 0,
    challenged: 9,
    refused: 0,
    settled,
    "delivered-unsettled": 0,
    "not-charged": 0,
    unknown: 0,
  });
  const series = (...settled: number[]) => ({
    range: "30d" as const,
    bucketSecs: 86_400,
    buckets: settled.map((n) => ({ at: "", counts: counts(n) })),
    totals: counts(0),
  });
  expect(daysUsedIn(series(0, 0, 5, 0, 1))).toBe(3);
  expect(daysUsedIn(series(0, 0))).toBe(0);
});

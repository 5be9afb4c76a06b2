import { expect, test } from "vitest";
import {
  actionOf,
  buyText,
  daysUsedIn,
  endedText,
  forecastText,
  leftText,
  stateOf,
  whenOver,
} from "./subscription-text.ts";

test("a credit plan shows credits, a time plan shows access", () => {
  expect(leftText({ accessLimit: "credits", available: "1", isActive: true })).toBe("1 credit");
  expect(leftText({ accessLimit: "credits", available: "12000", isActive: true })).toBe(
    "12,000 credits",
  );
  expect(leftText({ accessLimit: "time", available: "1", isActive: false })).toBe("No access");
});

test.each([
  [1, "1", 1, "Forecast available after 20 calls over 3 days"],
  [500, "500", 2, "Forecast available after 20 calls over 3 days"],
  [19, "19", 30, "Forecast available after 20 calls over 3 days"],
  [60, "60", 30, "About 50 days of credits, at the rate of 60 calls in the last 30 days"],
  [60, "60", 3, "About 5 days of credits, at the rate of 60 calls in the last 3 days"],
  [900, "900", 3, "Less than a day of credits, at the rate of 900 calls in the last 3 days"],
])("%i calls with %s credits over %i days: %s", (requests30d, creditsUsed30d, days, text) => {
  const use = { accessLimit: "credits", available: "100", creditsUsed30d, requests30d } as const;
  expect(forecastText(use, days)).toBe(text);
});

test.each([
  [true, undefined, "Active"],
  [true, "2026-11-22T00:00:00.000Z", "Active"],
  [false, undefined, "Exhausted"],
  [false, "2026-11-22T00:00:00.000Z", "Exhausted"],
  [false, "2026-11-21T12:00:00.000Z", "Expired"],
  [false, "2026-11-20T00:00:00.000Z", "Expired"],
])("a subscription with isActive %s that ends at %s is %s", (isActive, endsAt, state) => {
  const subscription = { isActive, ...(endsAt && { endsAt }) };
  expect(stateOf(subscription, "2026-11-21T12:00:00.000Z")).toBe(state);
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

test("a time plan is worded as access, not as credits", () => {
  const time = { accessLimit: "time", isActive: false } as const;
  const credits = { accessLimit: "credits", isActive: false } as const;
  expect([time, credits, { ...time, isActive: true }].map(actionOf)).toEqual([
    "Buy access",
    "Buy credits",
    "Mint access token",
  ]);
  expect([time, credits].map(buyText)).toEqual(["Buy access", "Buy credits"]);
  expect([endedText(time, "Pro"), endedText(credits, "Pro")]).toEqual([
    "Your access to “Pro” has expired.",
    "No credits left on “Pro”.",
  ]);
});

test("a time pass ends by its time, not by credits", () => {
  expect(whenOver("time")).toBe("when access expires");
  expect(whenOver("credits")).toBe("when credits run out");
});

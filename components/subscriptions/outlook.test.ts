import { expect, test } from "vitest";
import { endsSoon, firstToEnd, outlookOf, type UsedSubscription } from "./outlook.ts";

const NOW = "2026-11-21T12:00:00.000Z";
const used = (more: Partial<UsedSubscription> = {}) =>
  ({
    planId: "1",
    accessLimit: "credits",
    isActive: true,
    available: "100",
    creditsUsed30d: "60",
    requests30d: 60,
    daysUsed: 3,
    ...more,
  }) as UsedSubscription;
const of = (more: Partial<UsedSubscription>) => outlookOf(used(more), NOW);

test("credits last as long as the rate of the last calls says, with what that rests on", () => {
  expect(of({})).toEqual({
    title: "Lasts about 5 days",
    detail: "At the rate of 60 calls in the last 3 days.",
    days: 5,
  });
  expect(of({ available: "10" }).title).toBe("Lasts less than a day");
  expect(of({ available: "99999" }).title).toBe("Lasts more than a year");
});

test("a subscription that expires before its credits are used says when", () => {
  expect(of({ endsAt: "2026-11-23T12:00:00.000Z" })).toEqual({
    title: "Expires 23 Nov 2026",
    detail: "Unused credits expire with it.",
    days: 2,
  });
  expect(of({ endsAt: "2026-12-23T12:00:00.000Z" }).title).toBe("Lasts about 5 days");
});

test("there is no forecast of too few calls, of time, and of what is over", () => {
  expect(of({ requests30d: 19 }).title).toBe("No forecast yet");
  expect(of({ accessLimit: "time" })).toMatchObject({ title: "Never expires", days: undefined });
  expect(of({ isActive: false }).title).toBe("No credits left");
  expect(of({ isActive: false, endsAt: "2026-11-20T12:00:00.000Z" }).title).toBe(
    "Expired 20 Nov 2026",
  );
});

test("only a subscription that is used ends soon", () => {
  const isSoon = (more: Partial<UsedSubscription>) => endsSoon(used(more), of(more));
  expect(isSoon({ available: "59" })).toBe(true);
  expect(isSoon({})).toBe(false);
  expect(isSoon({ isActive: false })).toBe(true);
  expect(isSoon({ isActive: false, requests30d: 0 })).toBe(false);
  const pass = { accessLimit: "time" as const, endsAt: "2026-11-22T12:00:00.000Z" };
  expect(isSoon(pass)).toBe(false);
  expect(isSoon({ ...pass, isActive: false })).toBe(true);
});

test("the first to end is at the top, and what is over at the bottom", () => {
  const rows = [
    used({ planId: "over", isActive: false }),
    used({ planId: "gone", isActive: false }),
    used({ planId: "unknown", requests30d: 1 }),
    used({ planId: "later" }),
    used({ planId: "first", available: "20" }),
  ];
  expect(firstToEnd(rows, NOW).map(({ planId }) => planId)).toEqual([
    "first",
    "later",
    "unknown",
    "over",
    "gone",
  ]);
});

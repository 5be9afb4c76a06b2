import { expect, test } from "vitest";
import type { DelegationTotals } from "@/lib/console/delegation-totals.ts";
import { figuresOf } from "./delegation-figures.ts";

test.each([
  ["2026-11-21T14:05:00.000Z", "Today", "14:05 UTC"],
  ["2026-11-22T00:00:00.000Z", "Tomorrow", "00:00 UTC"],
  ["2027-01-05T09:30:00.000Z", "5 Jan 2027", "09:30 UTC"],
  [undefined, "–", undefined],
])("the first to expire at %s shows its day, which fits one line of a phone", (at, value, note) => {
  const totals = {
    ...{ limits: [], spent30d: [], active: 1, now: "2026-11-21T12:00:00.000Z" },
    ...(at && { firstExpiresAt: at }),
  } as unknown as DelegationTotals;
  expect(figuresOf(totals).at(-1)).toEqual({ label: "First to expire", value, note });
});

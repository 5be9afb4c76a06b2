import { expect, test } from "vitest";
import type { ActivitySeries } from "@/lib/console/figures.ts";
import { moveSpan, spanOf, timesOf } from "./time-span.ts";

const HOUR = 3_600;
const at = (hour: number) => new Date(Date.UTC(2026, 10, 21, hour)).toISOString();
const counts = {
  settled: 0,
  challenged: 0,
  refused: 0,
  free: 0,
  unknown: 0,
  "not-charged": 0,
  "delivered-unsettled": 0,
};
const series: ActivitySeries = {
  range: "24h",
  bucketSecs: HOUR,
  buckets: [0, 1, 2, 3].map((hour) => ({ at: at(hour), counts })),
  totals: counts,
};

test("finds the buckets between two times", () => {
  expect(spanOf(series, { since: at(1), until: at(3) })).toEqual({ from: 1, to: 2 });
  expect(spanOf(series, { since: at(2), until: undefined })).toEqual({ from: 2, to: 3 });
  expect(spanOf(series, { since: undefined, until: undefined })).toBeUndefined();
  expect(spanOf(series, { since: at(9), until: at(10) })).toBeUndefined();
});

test("covers whole buckets, whichever end was drawn first", () => {
  expect(timesOf(series, { from: 2, to: 1 })).toEqual({ since: at(1), until: at(3) });
  expect(timesOf(series, { from: 3, to: 3 })).toEqual({ since: at(3), until: at(4) });
});

test("moves with arrow keys, and widens with Shift", () => {
  const press = (key: string, shiftKey = false) =>
    moveSpan({ from: 1, to: 2 }, { key, shiftKey }, 4);
  expect(press("ArrowRight")).toEqual({ from: 3, to: 3 });
  expect(press("ArrowRight", true)).toEqual({ from: 1, to: 3 });
  expect(press("Home")).toEqual({ from: 0, to: 0 });
  expect(press("x")).toBeUndefined();
});

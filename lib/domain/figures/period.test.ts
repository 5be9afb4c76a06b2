import { expect, test } from "vitest";
import { FigureRange } from "@/lib/console/figures.ts";
import { periodAt } from "./period.ts";

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 10, 21);
/** Two days by steps of seven minutes: every hour at every distance from its start. */
const MOMENTS = Array.from({ length: 400 }, (_, n) => new Date(START + n * 7 * MINUTE_MS + 1));

test.each(FigureRange.options)(
  "the period before %s is as long as it has lasted, to the nearest hour, and both begin on the hour",
  (range) => {
    for (const now of MOMENTS) {
      const { since, before } = periodAt(range, now);
      const lasted = now.getTime() - since.getTime();
      const earlier = since.getTime() - before.getTime();
      expect(Math.abs(lasted - earlier)).toBeLessThanOrEqual(30 * MINUTE_MS);
      expect([since.getTime(), before.getTime()].map((at) => at % (60 * MINUTE_MS))).toEqual([
        0, 0,
      ]);
    }
  },
);

test("a period begins with its first bucket and ends in its last", () => {
  const now = new Date("2026-11-21T14:10:00.000Z");
  const { since, numbers, startOf, isNow } = periodAt("24h", now);
  expect(since.toISOString()).toBe("2026-11-20T15:00:00.000Z");
  expect(startOf(numbers.at(-1) ?? 0).toISOString()).toBe("2026-11-21T14:00:00.000Z");
  const [first = 0] = numbers;
  expect([isNow({ bucket: first }), isNow({ bucket: first - 1 })]).toEqual([true, false]);
});

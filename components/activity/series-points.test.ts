import { describe, expect, test } from "vitest";
import type { ActivitySeries } from "@/lib/console/figures.ts";
import {
  bucketNames,
  moneySeries,
  onlyStatuses,
  seriesPoints,
  seriesTitle,
  sinceText,
} from "./series-points.ts";

const NONE = {
  free: 0,
  challenged: 0,
  refused: 0,
  settled: 0,
  "delivered-unsettled": 0,
  "not-charged": 0,
  unknown: 0,
};
const series = (totals: Partial<typeof NONE>): ActivitySeries => ({
  range: "24h",
  bucketSecs: 3_600,
  buckets: [{ at: "2026-11-21T23:00:00.000Z", counts: { ...NONE, ...totals } }],
  totals: { ...NONE, ...totals },
});

describe("the chart of requests", () => {
  test("says how many delivered requests were settled", () => {
    expect(seriesTitle(series({ settled: 1284, "delivered-unsettled": 3, challenged: 412 }))).toBe(
      "1,284 of 1,287 delivered requests settled",
    );
    expect(seriesTitle(series({ "delivered-unsettled": 1 }))).toBe(
      "0 of 1 delivered requests settled",
    );
    expect(seriesTitle(series({ challenged: 4 }))).toBe(
      "No delivered requests in the last 24 hours",
    );
    expect(seriesTitle(series({}))).toBe("No requests in the last 24 hours");
  });

  test("says when its period begins", () => {
    expect(sinceText("2026-11-21T14:00:00.000Z")).toBe("since 21 Nov 2026 14:00 UTC");
  });

  test("counts only the chosen payment statuses", () => {
    const all = series({ settled: 3, refused: 2, free: 1 });
    expect(onlyStatuses(all, [])).toBe(all);
    const { buckets, totals } = onlyStatuses(all, ["refused"]);
    expect(totals).toEqual({ ...NONE, refused: 2 });
    expect(buckets[0]?.counts).toEqual({ ...NONE, refused: 2 });
  });

  test("an unknown outcome is not counted with what the title calls unsettled", () => {
    const all = series({ "delivered-unsettled": 77, unknown: 75 });
    expect(seriesTitle(all)).toBe("0 of 77 delivered requests settled");
    expect(seriesPoints(all)[0]?.values).toMatchObject({ unsettled: 77, unknown: 75 });
    const labels = (totals: typeof NONE) => moneySeries(totals).map(({ label }) => label);
    expect(labels(all.totals)).toContain("Unknown");
    expect(labels(NONE)).not.toContain("Unknown");
  });

  test("groups uncharged statuses", () => {
    const [point] = seriesPoints(
      series({ "delivered-unsettled": 2, unknown: 1, free: 4, "not-charged": 5 }),
    );
    expect(point?.values).toMatchObject({ unsettled: 2, unknown: 1, notCharged: 9 });
    expect(moneySeries({ ...NONE, free: 1 }).at(-1)?.label).toBe("Not charged or free");
    expect(moneySeries(NONE).at(-1)?.label).toBe("Not charged");
  });

  test("names hours, quarters of days and days in UTC", () => {
    const at = "2026-11-21T23:00:00.000Z";
    expect(bucketNames(at, 3_600)).toEqual({
      label: "23:00",
      title: "21 Nov 2026 23:00 to 00:00 UTC",
    });
    expect(bucketNames("2026-11-21T18:00:00.000Z", 21_600)).toMatchObject({
      label: "21 Nov 18:00",
      tick: "",
    });
    expect(bucketNames("2026-11-21T00:00:00.000Z", 21_600).tick).toBe("21 Nov");
    expect(bucketNames(at, 86_400)).toEqual({ label: "21 Nov", title: "21 Nov 2026 UTC" });
  });
});

import type { MoneyStatus } from "@turnpike/payments/protocol";
import type { ActivitySeries, FigureRange } from "@/lib/console/figures.ts";
import { DAY_SECS, HOUR_SECS } from "@/lib/text/durations.ts";
import type { ChartPoint } from "../ui/data/chart-data.ts";
import { type ChartSeries, MONEY_SERIES } from "../ui/data/chart-series.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { clockText, dateText, minuteText } from "../ui/values/time-text.ts";

type Counts = Record<MoneyStatus, number>;

/** The series of the chart from the seven statuses: uncharged ones form one. */
const seriesCounts = (counts: Counts): Record<string, number> => ({
  settled: counts.settled,
  challenged: counts.challenged,
  unsettled: counts["delivered-unsettled"],
  unknown: counts.unknown,
  refused: counts.refused,
  notCharged: counts["not-charged"] + counts.free,
});

/** The series: unknown outcomes are rare, and the last one is labelled after what it contains. */
export const moneySeries = ({ free, unknown }: Counts): ChartSeries[] =>
  MONEY_SERIES.filter(({ key }) => key !== "unknown" || unknown > 0).map((series) =>
    series.key === "notCharged" && free > 0 ? { ...series, label: "Not charged or free" } : series,
  );

export const RANGE_WORDS: Record<FigureRange, string> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
};

export const RANGES: { range: FigureRange; label: string }[] = [
  { range: "24h", label: "24 h" },
  { range: "7d", label: "7 d" },
  { range: "30d", label: "30 d" },
];

export const BUCKET_WORDS: Record<FigureRange, string> = {
  "24h": "Hour",
  "7d": "Six hours",
  "30d": "Day",
};

/** One point for each bucket, named in UTC. */
export const seriesPoints = ({ buckets, bucketSecs }: ActivitySeries): ChartPoint[] =>
  buckets.map(({ at, counts }) => ({
    ...bucketNames(at, bucketSecs),
    values: seriesCounts(counts),
  }));

/** `14:00` and `21 Nov 2026 14:00 to 15:00 UTC`; days without hours. The axis of parts of a day names the days alone. */
export function bucketNames(
  at: string,
  bucketSecs: number,
): Pick<ChartPoint, "label" | "tick"> & { title: string } {
  const start = new Date(at);
  const day = dateText(start).replace(/ \d+$/, "");
  if (bucketSecs >= DAY_SECS) return { label: day, title: `${dateText(start)} UTC` };
  const hour = minutes(start);
  const title = `${dateText(start)} ${hour} to ${minutes(new Date(start.getTime() + bucketSecs * 1000))} UTC`;
  if (bucketSecs === HOUR_SECS) return { label: hour, title };
  return { label: `${day} ${hour}`, tick: hour === "00:00" ? day : "", title };
}

/** The series with only some payment statuses; all of them where none is chosen. */
export function onlyStatuses(
  series: ActivitySeries,
  statuses: readonly MoneyStatus[],
): ActivitySeries {
  if (statuses.length === 0) return series;
  const narrow = (counts: Counts) =>
    Object.fromEntries(
      Object.entries(counts).map(([status, count]) => [
        status,
        statuses.includes(status as MoneyStatus) ? count : 0,
      ]),
    ) as Counts;
  return {
    ...series,
    buckets: series.buckets.map(({ at, counts }) => ({ at, counts: narrow(counts) })),
    totals: narrow(series.totals),
  };
}

export const minutes = (at: Date): string => clockText(at).slice(0, 5);

/** When the period of a page's figures begins: `since 21 Nov 2026 14:00 UTC`. */
export const sinceText = (at: string): string => `since ${minuteText(new Date(at))}`;

/** The headline of the chart: how many of the delivered requests were paid. */
export function seriesTitle({ totals, range }: ActivitySeries): string {
  const delivered = totals.settled + totals["delivered-unsettled"];
  const all = Object.values(totals).reduce((sum, count) => sum + count, 0);
  if (all === 0) return `No requests in the last ${RANGE_WORDS[range]}`;
  if (delivered === 0) return `No delivered requests in the last ${RANGE_WORDS[range]}`;
  return `${groupDigits(totals.settled)} of ${groupDigits(delivered)} delivered requests settled`;
}

import type { ActivitySeries } from "@/lib/console/figures.ts";
import { movePoint } from "../../ui/data/chart-data.ts";

/** Buckets of a chart by their places; `to` is the end that moves and may lie before `from`. */
export type TimeSpan = { from: number; to: number };

/** The buckets that lie between two times. */
export function spanOf(
  { buckets, bucketSecs }: ActivitySeries,
  { since, until }: { since: string | undefined; until: string | undefined },
): TimeSpan | undefined {
  if (since === undefined) return undefined;
  const start = Date.parse(since);
  const end = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  const inside = buckets.flatMap(({ at }, index) => {
    const from = Date.parse(at);
    return from + bucketSecs * 1_000 > start && from < end ? [index] : [];
  });
  const from = inside[0];
  const to = inside.at(-1);
  return from === undefined || to === undefined ? undefined : { from, to };
}

export function timesOf(
  { buckets, bucketSecs }: ActivitySeries,
  span: TimeSpan,
): { since: string; until: string } | undefined {
  const { low, high } = boundsOf(span);
  const first = buckets[low];
  const last = buckets[high];
  if (!first || !last) return undefined;
  const end = new Date(last.at).getTime() + bucketSecs * 1_000;
  return { since: first.at, until: new Date(end).toISOString() };
}

export const boundsOf = ({ from, to }: TimeSpan) => ({
  low: Math.min(from, to),
  high: Math.max(from, to),
});

/** The span after a key: arrows, Home and End move it, with Shift only its end. */
export function moveSpan(
  { from, to }: TimeSpan,
  { key, shiftKey }: { key: string; shiftKey: boolean },
  count: number,
): TimeSpan | undefined {
  const next = movePoint(key, to, count);
  return next === undefined ? undefined : { from: shiftKey ? from : next, to: next };
}

import type { FigureRange } from "@/lib/console/figures.ts";
import type { Context } from "../context.ts";

/** How wide and how many the buckets of a range are; buckets begin at whole multiples of their width. */
const RANGES: Record<FigureRange, { bucketSecs: number; buckets: number }> = {
  "24h": { bucketSecs: 3_600, buckets: 24 },
  "7d": { bucketSecs: 21_600, buckets: 28 },
  "30d": { bucketSecs: 86_400, buckets: 30 },
};
const HOUR_MS = 3_600_000;

/**
 * The period of a range that ends at an instant: since when, and its buckets by number, oldest first. The last bucket is
 * under way, so the period before begins as many hours earlier as this one has lasted, to the nearest hour. Both begin on
 * the hour, as sums of requests are kept.
 */
export function periodAt(range: FigureRange, now: Date) {
  const { bucketSecs, buckets } = RANGES[range];
  const last = Math.floor(now.getTime() / 1000 / bucketSecs);
  const first = last - buckets + 1;
  const startOf = (bucket: number) => new Date(bucket * bucketSecs * 1000);
  const since = startOf(first);
  const hours = Math.round((now.getTime() - since.getTime()) / HOUR_MS);
  return {
    bucketSecs,
    numbers: Array.from({ length: buckets }, (_, index) => first + index),
    startOf,
    since,
    before: new Date(since.getTime() - hours * HOUR_MS),
    /** Whether a bucket is of this period and not of the one before. */
    isNow: ({ bucket }: { bucket: number }) => bucket >= first,
  };
}

/** The period of a range that ends now: every figure of that range begins with it. */
export const periodOf = async ({ ports }: Context, range: FigureRange) =>
  periodAt(range, await ports.clock.now());

"use client";

import type { ActivitySeries } from "@/lib/console/figures.ts";
import {
  BUCKET_WORDS,
  moneySeries,
  RANGE_WORDS,
  RANGES,
  seriesPoints,
} from "../activity/series-points.ts";
import { Chart } from "../ui/data/chart.tsx";
import { SegmentedLinks } from "../ui/fields/segmented-control.tsx";
import { groupDigits } from "../ui/values/money-text.ts";

type UsageChartProps = { series: ActivitySeries; path: string };

/** What calls of a plan did over time. */
export function UsageChart({ series, path }: UsageChartProps) {
  const { range, totals } = series;
  return (
    <Chart
      title={`${groupDigits(totals.settled)} ${totals.settled === 1 ? "call" : "calls"} used credits`}
      series={moneySeries(totals)}
      pointName={BUCKET_WORDS[range]}
      points={seriesPoints(series)}
      empty={`No call was paid from this plan in ${RANGE_WORDS[range]}.`}
      controls={
        <SegmentedLinks
          label="Time"
          links={RANGES.map(({ range: one, label }) => ({
            href: `${path}?range=${one}`,
            isCurrent: one === range,
            label,
          }))}
        />
      }
    />
  );
}

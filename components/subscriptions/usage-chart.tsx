"use client";

import type { ActivitySeries } from "@/lib/console/figures.ts";
import { plural } from "@/lib/text/plural.ts";
import { RangeLinks } from "../activity/range-links.tsx";
import { BUCKET_WORDS, moneySeries, RANGE_WORDS, seriesPoints } from "../activity/series-points.ts";
import { Chart } from "../ui/data/chart.tsx";

type UsageChartProps = { series: ActivitySeries; path: string };

export function UsageChart({ series, path }: UsageChartProps) {
  const { range, totals } = series;
  return (
    <Chart
      title={totals.settled === 0 ? "Paid calls" : plural(totals.settled, "paid call")}
      series={moneySeries(totals)}
      pointName={BUCKET_WORDS[range]}
      points={seriesPoints(series)}
      empty={`No paid calls in the last ${RANGE_WORDS[range]}.`}
      controls={<RangeLinks range={range} hrefOf={(one) => `${path}?range=${one}`} />}
    />
  );
}

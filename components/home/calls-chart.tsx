"use client";

import { useQuery } from "@tanstack/react-query";
import type { Role } from "@turnpike/payments/protocol";
import { useMemo } from "react";
import type { ActivitySeries } from "@/lib/console/figures.ts";
import {
  BUCKET_WORDS,
  moneySeries,
  RANGE_WORDS,
  RANGES,
  seriesPoints,
  seriesTitle,
} from "../activity/series-points.ts";
import { readQuery } from "../data/read-operation.ts";
import { Chart } from "../ui/data/chart.tsx";
import { SegmentedLinks } from "../ui/fields/segmented-control.tsx";

type CallsChartProps = {
  role: Role;
  series: ActivitySeries;
  /** Links to the page with each range. */
  hrefs: Record<ActivitySeries["range"], string>;
};

const POLL_MS = 15_000;

/** Calls by payment status, over time. */
export function CallsChart({ role, series, hrefs }: CallsChartProps) {
  const { range } = series;
  const { data } = useQuery({
    ...readQuery("getActivitySeries", { range, role }),
    initialData: series,
    refetchInterval: POLL_MS,
  });
  const points = useMemo(() => seriesPoints(data), [data]);
  return (
    <Chart
      title={seriesTitle(data)}
      series={moneySeries(data.totals)}
      points={points}
      pointName={BUCKET_WORDS[range]}
      empty={`No calls in ${RANGE_WORDS[range]}.`}
      controls={
        <SegmentedLinks
          label="Time"
          links={RANGES.map(({ range: one, label }) => ({
            label,
            href: hrefs[one],
            isCurrent: one === range,
          }))}
        />
      }
    />
  );
}

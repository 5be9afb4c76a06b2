"use client";

import { useQuery } from "@tanstack/react-query";
import type { Role } from "@turnpike/payments/protocol";
import { useMemo } from "react";
import type { ActivitySeries } from "@/lib/console/figures.ts";
import { RangeLinks } from "../activity/range-links.tsx";
import { BUCKET_WORDS, moneySeries, seriesPoints, seriesTitle } from "../activity/series-points.ts";
import { readQuery } from "../data/read-operation.ts";
import { useEventRefresh } from "../data/use-event-refresh.ts";
import { Chart } from "../ui/data/chart.tsx";

type CallsChartProps = {
  role: Role;
  includeTest: boolean;
  series: ActivitySeries;
  /** One plan, or one agent. */
  scope?: { planId?: string; agentId?: string };
  /** Links to the page with each range. */
  hrefs: Record<ActivitySeries["range"], string>;
};

export function CallsChart({ role, includeTest, series, scope, hrefs }: CallsChartProps) {
  const { range } = series;
  const { data } = useQuery({
    ...readQuery("getActivitySeries", { range, role, includeTest, ...scope }),
    initialData: series,
    refetchInterval: useEventRefresh(),
  });
  const points = useMemo(() => seriesPoints(data), [data]);
  return (
    <Chart
      title={seriesTitle(data)}
      series={moneySeries(data.totals)}
      points={points}
      pointName={BUCKET_WORDS[range]}
      controls={<RangeLinks range={range} hrefOf={(one) => hrefs[one]} />}
    />
  );
}

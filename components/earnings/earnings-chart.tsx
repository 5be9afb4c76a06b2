"use client";

import { Chart } from "../ui/data/chart.tsx";
import type { ChartPoint } from "../ui/data/chart-data.ts";
import type { ChartSeries } from "../ui/data/chart-series.tsx";
import { type SegmentedLink, SegmentedLinks } from "../ui/fields/segmented-control.tsx";

type EarningsChartProps = {
  title: string;
  series: ChartSeries[];
  points: ChartPoint[];
  pointName: string;
  empty: string;
  /** Exact totals for the legend, where values are money. */
  totals?: Record<string, string>;
  /** Currencies, or plans and agents. */
  choices: { label: string; links: SegmentedLink[] };
};

/** Earnings over time, as a chart and a table. */
export function EarningsChart({ choices, ...props }: EarningsChartProps) {
  return (
    <Chart {...props} controls={choices.links.length > 1 && <SegmentedLinks {...choices} />} />
  );
}

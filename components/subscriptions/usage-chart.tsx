"use client";

import type { ActivitySeries, MoneyStatus } from "@turnpike/payments/protocol";
import { Chart } from "../ui/chart.tsx";
import { MONEY_SERIES } from "../ui/chart-series.tsx";
import { groupDigits } from "../ui/money-text.ts";
import { SegmentedLinks } from "../ui/segmented-control.tsx";
import { clockText, dateText } from "../ui/time-text.ts";

type UsageChartProps = { series: ActivitySeries; path: string };

const RANGES = ["24h", "7d", "30d"] as const;

/** What calls of a plan did over time. */
export function UsageChart({ series, path }: UsageChartProps) {
  const settled = series.totals.settled ?? 0;
  const isHours = series.range === "24h";
  return (
    <Chart
      title={`${groupDigits(settled)} ${settled === 1 ? "call" : "calls"} used credits`}
      series={MONEY_SERIES}
      pointName={isHours ? "Hour" : series.range === "7d" ? "Six hours" : "Day"}
      points={series.buckets.map(({ at, counts }) => {
        const moment = new Date(at);
        const day = dateText(moment).replace(/ \d{4}$/, "");
        const hour = clockText(moment).slice(0, 5);
        return {
          label: isHours ? hour : day,
          title: series.range === "30d" ? day : `${day} ${hour} UTC`,
          values: counts as Record<MoneyStatus, number>,
        };
      })}
      empty="No call was paid from this plan in this time."
      controls={
        <SegmentedLinks
          label="Range"
          links={RANGES.map((range) => ({
            href: `${path}?range=${range}`,
            isCurrent: series.range === range,
            label: range,
          }))}
        />
      }
    />
  );
}

"use client";

import { useState } from "react";
import { Chart } from "@/components/ui/data/chart.tsx";
import { MONEY_SERIES } from "@/components/ui/data/chart-series.tsx";
import { SegmentedControl } from "@/components/ui/fields/segmented-control.tsx";
import { CALLS_BY_HOUR, RANGES } from "./example-data.ts";
import { ExampleSection } from "./example-section.tsx";

export function ChartExamples() {
  const [range, setRange] = useState("24h");
  return (
    <ExampleSection
      id="chart"
      title="Chart"
      about="Color and pattern, totals in the legend, arrow keys between points, and the same data as a table."
    >
      <Chart
        title="1,284 of 1,287 delivered requests settled"
        series={MONEY_SERIES}
        points={CALLS_BY_HOUR}
        pointName="Hour"
        markedKey="unsettled"
        controls={
          <SegmentedControl
            label="Chart range"
            value={range}
            onValueChange={setRange}
            options={RANGES}
          />
        }
      />
    </ExampleSection>
  );
}

import { useId } from "react";
import {
  Bar,
  BarChart,
  CartesianGrid,
  ReferenceArea,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from "recharts";
import { type ChartPoint, hasFractions, tickText } from "./chart-data.ts";
import { type ChartSeries, SeriesPattern, seriesInk } from "./chart-series.tsx";
import { scaleFor } from "./scale.ts";

export type ChartBarsProps = {
  series: ChartSeries[];
  points: ChartPoint[];
  /** The point described below the chart; it is tinted. */
  active: number | undefined;
  onActiveChange: (index: number | undefined) => void;
};

const MOST_BAR_PX = 40;

const sumOf = (series: ChartSeries[], values: ChartPoint["values"]): number =>
  series.reduce((sum, { key }) => sum + (values[key] ?? 0), 0);

/** Stacked bars from zero. `Chart` fetches them when it is rendered, so that pages of lists stay light. */
export default function ChartBars(props: ChartBarsProps) {
  const { series, points, active, onActiveChange } = props;
  const id = useId();
  const activeLabel = active === undefined ? undefined : points[active]?.label;
  const highest = Math.max(...points.map(({ values }) => sumOf(series, values)));
  const { end, marks } = scaleFor(highest, !hasFractions(points));
  const patternOf = (key: string) => `${id}-${key}`;
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart
        data={points}
        accessibilityLayer={false}
        barCategoryGap="22%"
        maxBarSize={MOST_BAR_PX}
        margin={{ top: 20, right: 0, bottom: 0, left: 0 }}
        onMouseMove={({ activeTooltipIndex }) =>
          onActiveChange(activeTooltipIndex == null ? undefined : Number(activeTooltipIndex))
        }
        onMouseLeave={() => onActiveChange(undefined)}
      >
        <defs>
          {series.map(({ key, look }) => (
            <SeriesPattern key={key} id={patternOf(key)} look={look} />
          ))}
        </defs>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        {activeLabel !== undefined && (
          <ReferenceArea
            x1={activeLabel}
            x2={activeLabel}
            fill="var(--tint-accent)"
            fillOpacity={1}
            ifOverflow="visible"
          />
        )}
        <XAxis
          dataKey="label"
          ticks={points.filter(({ tick }) => tick !== "").map(({ label }) => label)}
          tickFormatter={(text) => points.find(({ label }) => label === text)?.tick ?? text}
          tickLine={false}
          axisLine={{ stroke: "var(--line-control)" }}
          interval="equidistantPreserveStart"
          minTickGap={24}
          tick={{ fontSize: 11, fontFamily: "var(--font-geist-mono)", fill: "var(--text-2)" }}
        />
        <YAxis
          width="auto"
          tickLine={false}
          axisLine={false}
          domain={[0, end]}
          ticks={marks}
          tickFormatter={tickText}
          tick={{ fontSize: 11, fontFamily: "var(--font-geist-mono)", fill: "var(--text-2)" }}
        />
        {series.map(({ key, look }) => (
          <Bar
            key={key}
            dataKey={(point: ChartPoint) => point.values[key] ?? 0}
            name={key}
            stackId="calls"
            isAnimationActive={false}
            fill={`url(#${patternOf(key)})`}
            stroke="currentColor"
            strokeWidth={look === "not-charged" ? 1 : 0}
            className={seriesInk(look)}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}

"use client";

import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { SegmentedControl } from "../fields/segmented-control.tsx";
import { createLater } from "../later.ts";
import { groupDigits } from "../values/money-text.ts";
import { type ChartPoint, movePoint, pointText, totalOf, valueText } from "./chart-data.ts";
import { type ChartSeries, SeriesSwatch } from "./chart-series.tsx";
import { Cell, HeadCell, Table, TableBody, TableFrame, TableHead, TableRow } from "./table.tsx";

const ChartBars = createLater(() => import("./chart-bars.tsx"), "default").Part;

export type ChartProps = {
  /** The finding, if there is one: "1,284 of 1,287 delivered requests settled". */
  title: string;
  /** At most six; `MONEY_SERIES` for requests by payment status. */
  series: ChartSeries[];
  points: ChartPoint[];
  /** What a point of the axis is: "Hour". */
  pointName: string;
  /** More controls beside [Chart|Table]: the range. */
  controls?: ReactNode;
  /** Shown when every value is zero, unless the title says so. */
  empty?: ReactNode;
  /** Totals for the legend that are not counts: exact amounts. */
  totals?: Readonly<Record<string, string>>;
};

/** Stacked bars with a legend of totals, and the same data as a table. */
export function Chart(props: ChartProps) {
  const { title, series, points, pointName, controls } = props;
  const [form, setForm] = useState("chart");
  const id = useId();
  const isEmpty = series.every(({ key }) => totalOf(points, key) === 0);
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b pb-2">
        <h2 id={id} className="me-auto text-h2">
          {title}
        </h2>
        {!isEmpty && (
          <SegmentedControl
            label={`${title}: form`}
            options={[
              { value: "chart", label: "Chart" },
              { value: "table", label: "Table" },
            ]}
            value={form}
            onValueChange={setForm}
          />
        )}
        {controls}
      </div>
      {isEmpty && <p className="text-ink-2 empty:hidden">{props.empty}</p>}
      {!isEmpty && form === "chart" && <Bars {...props} />}
      {!isEmpty && form === "table" && (
        <Twin title={title} pointName={pointName} series={series} points={points} />
      )}
    </section>
  );
}

function Bars({ title, series, points, totals }: ChartProps) {
  const [active, setActive] = useState<number>();
  const id = useId();
  const last = points.length - 1;
  const at = Math.min(active ?? last, last);
  const point = points[at];
  const move = (event: KeyboardEvent) => {
    const next = movePoint(event.key, at, points.length);
    if (next === undefined) return;
    event.preventDefault();
    setActive(next);
  };
  const text = point ? pointText(point, series) : "";
  return (
    <>
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${title}: point`}
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={at + 1}
        aria-valuetext={text}
        onKeyDown={move}
        onFocus={() => setActive(at)}
        onBlur={() => setActive(undefined)}
        data-chart
        className="relative h-60 w-full overflow-hidden rounded-tag outline-offset-4"
      >
        {/* Out of the flow: bars drawn for a wider page must not keep a narrow one from shrinking. */}
        <div className="absolute inset-0">
          <ChartBars series={series} points={points} active={active} onActiveChange={setActive} />
        </div>
      </div>
      <p
        aria-hidden="true"
        className="min-h-5 truncate text-ink-2 text-small tabular-nums max-sm:whitespace-normal"
      >
        {active === undefined ? "" : text}
      </p>
      <dl className="mt-2 flex flex-wrap gap-x-6 gap-y-1.5 text-note xl:justify-between">
        {series.map(({ key, label, look }) => (
          <div key={key} className="flex items-center gap-2">
            <dt className="flex items-center gap-2">
              <SeriesSwatch id={`${id}-${key}`} look={look} />
              {label}
            </dt>
            <dd className="font-semibold tabular-nums">
              {totals?.[key] ?? groupDigits(totalOf(points, key))}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Twin({
  title,
  pointName,
  series,
  points,
}: Pick<ChartProps, "title" | "pointName" | "series" | "points">) {
  return (
    <TableFrame>
      <section
        aria-label={`${title}, as a table`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must reach what scrolls.
        tabIndex={0}
        className="max-h-80 overflow-y-auto -outline-offset-2"
      >
        <Table caption={title}>
          <TableHead>
            <HeadCell className="sticky top-0">{pointName}</HeadCell>
            {series.map(({ key, label }) => (
              <HeadCell key={key} align="end" className="sticky top-0">
                {label}
              </HeadCell>
            ))}
          </TableHead>
          <TableBody>
            {points.map((point) => (
              <TableRow key={point.label}>
                <Cell phone="title" className="tabular-nums">
                  {point.title ?? point.label}
                </Cell>
                {series.map(({ key, label }) => (
                  <Cell key={key} align="end" label={label}>
                    {valueText(point, key)}
                  </Cell>
                ))}
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </section>
    </TableFrame>
  );
}

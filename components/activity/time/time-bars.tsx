import type { ChartPoint } from "../../ui/data/chart-data.ts";
import { type ChartSeries, SeriesPattern, seriesInk } from "../../ui/data/chart-series.tsx";
import { boundsOf, type TimeSpan } from "./time-span.ts";

const HEIGHT = 56;
const WIDTH = 1_000;

type TimeBarsProps = {
  /** Unique on the page: the patterns of the series are named after it. */
  id: string;
  points: ChartPoint[];
  series: ChartSeries[];
  most: number;
  picked: TimeSpan | undefined;
};

/** Stacked bars in one low line, with the picked part marked. */
export function TimeBars({ id, points, series, most, picked }: TimeBarsProps) {
  const step = WIDTH / points.length;
  return (
    <svg
      aria-hidden="true"
      data-rule
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="block h-14 w-full"
    >
      <defs>
        {series.map(({ key, look }) => (
          <SeriesPattern key={key} id={`${id}-${key}`} look={look} />
        ))}
      </defs>
      {picked && (
        <rect
          x={boundsOf(picked).low * step}
          width={(boundsOf(picked).high - boundsOf(picked).low + 1) * step}
          height={HEIGHT}
          className="fill-accent/12 stroke-accent"
          vectorEffect="non-scaling-stroke"
        />
      )}
      {points.map(({ label, values }, index) => {
        let top = HEIGHT - 1;
        return (
          <g key={label}>
            {series.map(({ key, look }) => {
              const height = ((values[key] ?? 0) / most) * (HEIGHT - 4);
              if (height === 0) return null;
              top -= height;
              return (
                <rect
                  key={key}
                  x={index * step + step * 0.16}
                  y={top}
                  width={step * 0.68}
                  height={height}
                  fill={`url(#${id}-${key})`}
                  className={look === "not-charged" ? `stroke-current ${seriesInk(look)}` : ""}
                  vectorEffect="non-scaling-stroke"
                />
              );
            })}
          </g>
        );
      })}
      <line
        x1="0"
        x2={WIDTH}
        y1={HEIGHT - 0.5}
        y2={HEIGHT - 0.5}
        className="stroke-line-control"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

const MARKS = 5;

export function TimeMarks({ points }: { points: ChartPoint[] }) {
  const named = points.flatMap(({ label, tick = label }, index) =>
    tick === "" ? [] : [{ label: tick, x: (100 * index) / points.length }],
  );
  const each = Math.ceil(named.length / MARKS);
  const marks = named.filter((_, index) => index % each === 0);
  return (
    <svg aria-hidden="true" className="mt-1 block h-4 w-full overflow-visible">
      {marks.map(({ label, x }, index) => (
        <text
          key={label}
          x={`${x}%`}
          y="12"
          className={`fill-ink-2 font-mono text-tick ${index % 2 === 1 ? "max-sm:hidden" : ""}`}
        >
          {label}
        </text>
      ))}
    </svg>
  );
}

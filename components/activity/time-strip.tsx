"use client";

import { type KeyboardEvent, type PointerEvent, useId, useRef, useState } from "react";
import type { ActivitySeries } from "@/lib/console/figures.ts";
import { movePoint, pointText } from "../ui/data/chart-data.ts";
import { SeriesPattern, seriesInk } from "../ui/data/chart-series.tsx";
import { moneySeries, seriesPoints } from "./series-points.ts";

export type TimeStripProps = {
  series: ActivitySeries;
  /** What is picked now. */
  since: string | undefined;
  until: string | undefined;
  onPick: (since: string, until: string) => void;
};

type Span = { from: number; to: number };

const HEIGHT = 56;
const WIDTH = 1_000;

/**
 * Calls over time in one low line, to pick a part of it: drag, or arrow keys, Shift to widen, Enter to pick.
 */
export function TimeStrip({ series, since, until, onPick }: TimeStripProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<Span>();
  const [at, setAt] = useState<Span>();
  const points = seriesPoints(series);
  const looks = moneySeries(series.totals);
  const count = points.length;
  const totals = points.map(({ values }) => Object.values(values).reduce((a, b) => a + b, 0));
  const most = Math.max(1, ...totals);
  const step = WIDTH / count;
  const picked = drawn ?? at ?? spanOf(series, since, until);

  const bucketAt = (event: PointerEvent) => {
    const { left, width } = box.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return Math.min(count - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * count)));
  };
  const pick = ({ from, to }: Span) => {
    const first = series.buckets[Math.min(from, to)];
    const last = series.buckets[Math.max(from, to)];
    if (!first || !last) return;
    const end = new Date(new Date(last.at).getTime() + series.bucketSecs * 1_000).toISOString();
    setAt(undefined);
    onPick(first.at, end);
  };
  const press = (event: KeyboardEvent) => {
    const current = at ?? spanOf(series, since, until) ?? { from: count - 1, to: count - 1 };
    if (event.key === "Enter") {
      event.preventDefault();
      pick(current);
      return;
    }
    if (event.key === "Escape" && at) {
      event.preventDefault();
      setAt(undefined);
      return;
    }
    const to = movePoint(event.key, current.to, count);
    if (to === undefined) return;
    event.preventDefault();
    setAt(event.shiftKey ? { from: current.from, to } : { from: to, to });
  };
  const valueText = () => {
    const place = picked ?? { from: count - 1, to: count - 1 };
    const [low, high] = [Math.min(place.from, place.to), Math.max(place.from, place.to)];
    const first = points[low];
    const last = points[high];
    if (!first || !last) return "";
    if (low === high) return pointText(first, looks);
    const calls = totals.slice(low, high + 1).reduce((a, b) => a + b, 0);
    return `${first.title} until ${last.title}: ${calls} calls`;
  };
  const marks = points.flatMap(({ label }, index) =>
    index % Math.ceil(count / 5) === 0 ? [{ label, x: (100 * index) / count }] : [],
  );
  return (
    <div className="min-w-0">
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label="Pick a time"
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={(picked?.to ?? count - 1) + 1}
        aria-valuetext={valueText()}
        title="Drag to pick a time. With keys: arrows, Shift to widen, Enter to pick."
        onKeyDown={press}
        onBlur={() => setAt(undefined)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          const place = bucketAt(event);
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrawn({ from: place, to: place });
        }}
        onPointerMove={(event) => drawn && setDrawn({ ...drawn, to: bucketAt(event) })}
        onPointerUp={() => {
          if (drawn) pick(drawn);
          setDrawn(undefined);
        }}
        onPointerCancel={() => setDrawn(undefined)}
        className="cursor-crosshair touch-pan-y rounded-tag outline-offset-4"
      >
        <svg
          aria-hidden="true"
          data-rule
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="block h-14 w-full"
        >
          <defs>
            {looks.map(({ key, look }) => (
              <SeriesPattern key={key} id={`${id}-${key}`} look={look} />
            ))}
          </defs>
          {picked && (
            <rect
              x={Math.min(picked.from, picked.to) * step}
              width={(Math.abs(picked.to - picked.from) + 1) * step}
              height={HEIGHT}
              className="fill-accent/12 stroke-accent"
              vectorEffect="non-scaling-stroke"
            />
          )}
          {points.map(({ label, values }, index) => {
            let top = HEIGHT - 1;
            return (
              <g key={label}>
                {looks.map(({ key, look }) => {
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
      </div>
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
    </div>
  );
}

/** The buckets a picked time covers. */
function spanOf(
  { buckets, bucketSecs }: ActivitySeries,
  since: string | undefined,
  until: string | undefined,
): Span | undefined {
  if (since === undefined) return undefined;
  const start = Date.parse(since);
  const end = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  const inside = buckets.flatMap(({ at }, index) => {
    const from = Date.parse(at);
    return from + bucketSecs * 1_000 > start && from < end ? [index] : [];
  });
  const from = inside[0];
  const to = inside.at(-1);
  return from === undefined || to === undefined ? undefined : { from, to };
}

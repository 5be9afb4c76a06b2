import { type KeyboardEvent, type PointerEvent, useId, useState } from "react";
import type { ActivitySeries } from "@/lib/console/figures.ts";
import { plural } from "@/lib/text/plural.ts";
import { pointText } from "../../ui/data/chart-data.ts";
import { moneySeries, seriesPoints } from "../series-points.ts";
import { TimeBars, TimeMarks } from "./time-bars.tsx";
import { boundsOf, moveSpan, spanOf, type TimeSpan, timesOf } from "./time-span.ts";

export type TimeStripProps = {
  series: ActivitySeries;
  since: string | undefined;
  until: string | undefined;
  onPick: (since: string, until: string) => void;
};

/** Requests over time in one low line. Pick a part of it by dragging, or with arrow keys, Shift and Enter. */
export function TimeStrip({ series, since, until, onPick }: TimeStripProps) {
  const id = useId();
  /** Drawn with the pointer, moved with keys: neither is picked yet. */
  const [drawn, setDrawn] = useState<TimeSpan>();
  const [moved, setMoved] = useState<TimeSpan>();
  const points = seriesPoints(series);
  const looks = moneySeries(series.totals);
  const totals = points.map(({ values }) => Object.values(values).reduce((a, b) => a + b, 0));
  const end = { from: points.length - 1, to: points.length - 1 };
  const given = spanOf(series, { since, until });
  const shown = drawn ?? moved ?? given;

  const pick = (span: TimeSpan) => {
    const times = timesOf(series, span);
    setMoved(undefined);
    if (times) onPick(times.since, times.until);
  };
  const press = (event: KeyboardEvent) => {
    const current = moved ?? given ?? end;
    const next = moveSpan(current, event, points.length);
    if (event.key === "Enter") pick(current);
    else if (event.key === "Escape" && moved) setMoved(undefined);
    else if (next) setMoved(next);
    else return;
    event.preventDefault();
  };
  const valueText = () => {
    const { low, high } = boundsOf(shown ?? end);
    const first = points[low];
    const last = points[high];
    if (!first || !last) return "";
    if (low === high) return pointText(first, looks);
    const calls = totals.slice(low, high + 1).reduce((a, b) => a + b, 0);
    return `${first.title} until ${last.title}: ${plural(calls, "request")}`;
  };
  const bucketAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const at = Math.floor(((clientX - left) / width) * points.length);
    return Math.min(points.length - 1, Math.max(0, at));
  };
  return (
    <div className="min-w-0">
      <div
        role="slider"
        tabIndex={0}
        aria-label="Pick a time"
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={(shown ?? end).to + 1}
        aria-valuetext={valueText()}
        title="Drag to pick a time. With keys: arrows to move, Shift to widen, Enter to pick."
        onKeyDown={press}
        onBlur={() => setMoved(undefined)}
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
        <TimeBars
          id={id}
          points={points}
          series={looks}
          most={Math.max(1, ...totals)}
          picked={shown}
        />
      </div>
      <TimeMarks points={points} />
    </div>
  );
}

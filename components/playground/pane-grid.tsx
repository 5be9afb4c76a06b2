import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";
import { type Pane, PaneTitle } from "./panes.tsx";

type Part = { content: ReactNode; aside?: ReactNode };

export type PaneGridProps = {
  /** The pane in view where only one fits. */
  pane: Pane;
  request: Part;
  timeline: Part;
  inspector: Part;
  /** Tables about several runs, below the timeline and inspector; on a phone below the timeline. */
  below?: ReactNode;
};

/**
 * Three panes side by side from 1280 px, two from 768 px, one below that. The side panes shrink before the
 * timeline does, so that nothing overflows the window.
 */
export function PaneGrid({ pane, request, timeline, inspector, below }: PaneGridProps) {
  const hide = (name: Pane) => (pane === name ? "" : "max-md:hidden");
  const rows = below
    ? "md:max-xl:grid-rows-[auto_auto_1fr] xl:grid-rows-[auto_1fr]"
    : "md:max-xl:grid-rows-[auto_1fr]";
  return (
    <div
      className={`grid grow content-start md:grid-cols-[minmax(260px,340px)_minmax(0,1fr)] md:content-stretch xl:grid-cols-[minmax(0,var(--request,360px))_minmax(420px,1fr)_minmax(0,var(--inspector,420px))] ${rows}`}
    >
      <div
        id="pg-pane-request"
        className={`relative min-w-0 border-line md:row-span-full md:border-e ${hide("request")}`}
      >
        <PaneSeparator pane="request" />
        <PaneTitle aside={request.aside}>Request</PaneTitle>
        {request.content}
      </div>
      <div className={`min-w-0 ${hide("timeline")}`}>
        <PaneTitle aside={timeline.aside}>Timeline</PaneTitle>
        {timeline.content}
      </div>
      <div
        id="pg-pane-inspector"
        className={`relative min-w-0 border-line md:max-xl:col-start-2 md:max-xl:border-t xl:border-s ${hide("inspector")}`}
      >
        <PaneSeparator pane="inspector" />
        <PaneTitle aside={inspector.aside}>Inspector</PaneTitle>
        {inspector.content}
      </div>
      {below && (
        <div className={`-mt-px min-w-0 md:col-start-2 md:-col-end-1 ${hide("timeline")}`}>
          {below}
        </div>
      )}
    </div>
  );
}

/** Widths in px: default and minimum. */
const DEFAULTS = { request: 360, inspector: 420 } as const;
const MIN = 280;
const MIN_TIMELINE = 420;
const STEP = 16;

type PaneSeparatorProps = { pane: keyof typeof DEFAULTS };

/**
 * Resizes a side pane by pointer or arrow keys where three panes are side by side. It sets `--request` or
 * `--inspector` on the grid, its parent's parent; the timeline keeps its minimum width.
 */
function PaneSeparator({ pane }: PaneSeparatorProps) {
  const [width, setWidth] = useState<number>(DEFAULTS[pane]);
  const [max, setMax] = useState<number>(DEFAULTS[pane]);
  const isStart = pane === "request";

  /** The pane's width, its maximum, and on which side of the edge it is. */
  const measure = (edge: HTMLElement) => {
    const side = edge.parentElement as HTMLElement;
    const grid = side.parentElement as HTMLElement;
    const timeline = grid.children[1] as HTMLElement;
    const isRightToLeft = getComputedStyle(grid).direction === "rtl";
    const now = side.offsetWidth;
    const room = Math.max(now + timeline.offsetWidth - MIN_TIMELINE, MIN);
    setMax(room);
    setWidth(now);
    return { side, grid, now, room, isLeft: isStart !== isRightToLeft };
  };
  const resize = (edge: HTMLElement, wanted: number) => {
    const { grid, room } = measure(edge);
    const next = Math.round(Math.min(Math.max(wanted, MIN), room));
    grid.style.setProperty(`--${pane}`, `${next}px`);
    setWidth(next);
  };
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const edge = event.currentTarget;
    const { now, room, isLeft } = measure(edge);
    const step = isLeft ? STEP : -STEP;
    const targets: Record<string, number> = {
      ArrowRight: now + step,
      ArrowLeft: now - step,
      Home: MIN,
      End: room,
    };
    const wanted = targets[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    resize(edge, wanted);
  };
  const drag = (event: PointerEvent<HTMLElement>) => {
    const edge = event.currentTarget;
    if (!edge.hasPointerCapture(event.pointerId)) return;
    const { side, isLeft } = measure(edge);
    const { left, right } = side.getBoundingClientRect();
    resize(edge, isLeft ? event.clientX - left : right - event.clientX);
  };
  return (
    <hr
      tabIndex={0}
      aria-label={`Width of the ${pane} pane`}
      aria-orientation="vertical"
      aria-controls={`pg-pane-${pane}`}
      aria-valuemin={MIN}
      aria-valuemax={max}
      aria-valuenow={width}
      aria-valuetext={`${width} pixels`}
      onFocus={(event) => measure(event.currentTarget)}
      onKeyDown={press}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDoubleClick={(event) => resize(event.currentTarget, DEFAULTS[pane])}
      className={`absolute inset-y-0 z-1 hidden h-auto w-3 border-0 cursor-col-resize touch-pan-y before:absolute before:inset-y-0 before:start-1.25 before:w-0.5 hover:before:bg-accent focus-visible:before:bg-accent active:before:bg-accent xl:block ${isStart ? "-end-1.5" : "-start-1.5"}`}
    />
  );
}

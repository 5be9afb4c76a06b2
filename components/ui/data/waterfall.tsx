import { Fragment } from "react";
import { formatCount } from "@/lib/text/plural.ts";
import { cn } from "../cn.ts";
import { scaleFor } from "./scale.ts";

export type WaterfallSpan = {
  key: string;
  name: string;
  startMs: number;
  durationMs: number;
  tone?: "settled" | "refused" | "unsettled" | "work";
  /** Why it has its colour: its title, and read by screen readers. */
  note?: string;
};

export type WaterfallLane = { name: string; spans: WaterfallSpan[] };

const FILLS = {
  settled: "fill-settled",
  refused: "fill-refused",
  unsettled: "fill-unsettled",
  work: "fill-ink/75",
} as const;

// A span below half a percent of the scale would be invisible.
const LEAST_SHARE = 0.005;
const LEAST_WIDTH_PX = 3;

/** The scale that every span is drawn to. */
type WaterfallScale = { end: number; marks: number[]; percent: (ms: number) => string };

/** Spans of a trace on one scale, in lanes: the request's, and the agent's own. */
export function Waterfall({ label, lanes }: { label: string; lanes: WaterfallLane[] }) {
  const ends = lanes.flatMap(({ spans }) =>
    spans.map(({ startMs, durationMs }) => startMs + durationMs),
  );
  const { end, marks } = scaleFor(Math.max(0, ...ends));
  const scale = { end, marks, percent: (ms: number) => `${((100 * ms) / end).toFixed(3)}%` };
  return (
    <table className="w-full table-fixed border-collapse text-small">
      <caption className="sr-only">{label}</caption>
      <thead className="font-mono text-ink-2 text-tick">
        <tr>
          <th scope="col" className="w-19">
            <span className="sr-only">Span</span>
          </th>
          <td aria-hidden="true" className="p-0">
            <TimeAxis scale={scale} />
          </td>
          <th scope="col" className="w-18 text-end font-normal">
            <span className="sr-only">Duration, </span>ms
          </th>
        </tr>
      </thead>
      {lanes.map(({ name, spans }) => (
        <tbody key={name}>
          <tr>
            <th
              scope="rowgroup"
              colSpan={3}
              className="border-line border-b pt-2.5 pb-1 text-start font-medium text-ink-2"
            >
              {name}
            </th>
          </tr>
          {spans.map(({ key, ...span }) => (
            <SpanRow key={key} {...span} scale={scale} />
          ))}
        </tbody>
      ))}
    </table>
  );
}

function TimeAxis({ scale: { marks, percent } }: { scale: WaterfallScale }) {
  return (
    <svg aria-hidden="true" className="block h-6 w-full overflow-visible tabular-nums">
      {marks.map((mark, index) => (
        <Fragment key={mark}>
          <line
            x1={percent(mark)}
            x2={percent(mark)}
            y1="0"
            y2="6"
            className="stroke-line-control"
          />
          <text
            x={percent(mark)}
            y="18"
            textAnchor={anchorOf(index, marks.length)}
            className={cn("fill-ink-2", index % 2 === 1 && "max-sm:hidden")}
          >
            {formatCount(mark)}
          </text>
        </Fragment>
      ))}
    </svg>
  );
}

const anchorOf = (index: number, count: number) =>
  index === 0 ? "start" : index === count - 1 ? "end" : "middle";

type SpanRowProps = Omit<WaterfallSpan, "key"> & { scale: WaterfallScale };

function SpanRow({ name, startMs, durationMs, tone = "settled", note, scale }: SpanRowProps) {
  const { end, marks, percent } = scale;
  return (
    <tr title={note}>
      <th scope="row" className="truncate py-1.5 text-start font-normal">
        {name}
        {note && <span className="sr-only">, {note}</span>}
        <span className="sr-only">, starts at {formatCount(startMs)} ms</span>
      </th>
      <td className="p-0">
        <svg aria-hidden="true" data-rule className="block h-7 w-full">
          {marks.map((mark) => (
            <line
              key={mark}
              x1={percent(mark)}
              x2={percent(mark)}
              y1="0"
              y2="28"
              className="stroke-line"
            />
          ))}
          <rect
            x={percent(startMs)}
            y="8"
            width={durationMs < end * LEAST_SHARE ? LEAST_WIDTH_PX : percent(durationMs)}
            height="12"
            rx="1"
            className={FILLS[tone]}
          />
        </svg>
      </td>
      <td className="whitespace-nowrap py-1.5 text-end font-mono tabular-nums">
        {formatCount(durationMs)} ms
      </td>
    </tr>
  );
}

/** How a series is drawn: the colour of its status, and a pattern. */
const LOOKS = {
  settled: { ink: "text-settled", pattern: "solid" },
  challenged: { ink: "text-challenged", pattern: "diagonal" },
  unsettled: { ink: "text-unsettled", pattern: "dots" },
  unknown: { ink: "text-unsettled", pattern: "rows" },
  refused: { ink: "text-refused", pattern: "cross" },
  "not-charged": { ink: "text-ink-2", pattern: "outline" },
  ink: { ink: "text-ink", pattern: "solid" },
} as const;

export type SeriesLook = keyof typeof LOOKS;

export type ChartSeries = { key: string; label: string; look: SeriesLook };

/** Requests by payment status, in the order they are stacked. */
export const MONEY_SERIES: ChartSeries[] = [
  { key: "settled", label: "Settled", look: "settled" },
  { key: "challenged", label: "Payment required", look: "challenged" },
  { key: "unsettled", label: "Unsettled", look: "unsettled" },
  { key: "unknown", label: "Unknown", look: "unknown" },
  { key: "refused", label: "Declined", look: "refused" },
  { key: "notCharged", label: "Not charged", look: "not-charged" },
];

const SIZE = { solid: 4, diagonal: 5, dots: 4, rows: 4, cross: 5, outline: 4 } as const;

export function SeriesPattern({ id, look }: { id: string; look: SeriesLook }) {
  const { ink, pattern } = LOOKS[look];
  const size = SIZE[pattern];
  const isTurned = pattern === "diagonal" || pattern === "cross";
  return (
    <pattern
      id={id}
      width={size}
      height={size}
      patternUnits="userSpaceOnUse"
      patternTransform={isTurned ? "rotate(45)" : undefined}
      className={`fill-current ${ink}`}
    >
      {pattern === "solid" && <rect width={size} height={size} />}
      {isTurned && <rect width={size} height={size} fillOpacity="0.16" />}
      {isTurned && <rect width={pattern === "cross" ? 1.25 : 2.5} height={size} />}
      {pattern === "cross" && <rect width={size} height="1.25" />}
      {pattern === "dots" && <rect width={size} height={size} fillOpacity="0.16" />}
      {pattern === "dots" && <rect x="1" y="1" width="2" height="2" />}
      {pattern === "rows" && <rect width={size} height={size} fillOpacity="0.16" />}
      {pattern === "rows" && <rect y="1" width={size} height="1.25" />}
      {pattern === "outline" && <rect width={size} height={size} className="fill-surface" />}
    </pattern>
  );
}

/** The line around a bar of the series. */
export const seriesInk = (look: SeriesLook): string => LOOKS[look].ink;

export function SeriesSwatch({ id, look }: { id: string; look: SeriesLook }) {
  return (
    <svg aria-hidden="true" data-rule viewBox="0 0 14 14" className={`size-3.5 ${seriesInk(look)}`}>
      <defs>
        <SeriesPattern id={id} look={look} />
      </defs>
      <rect
        x="0.5"
        y="0.5"
        width="13"
        height="13"
        fill={`url(#${id})`}
        className="stroke-current"
      />
    </svg>
  );
}

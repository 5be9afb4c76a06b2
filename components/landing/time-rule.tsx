export type RuleSegment = { key: string; ms: number; look: keyof typeof LOOKS };

const LOOKS = {
  plain: "fill-ink-2/45",
  work: "fill-ink/78",
  challenged: "fill-challenged",
  settled: "fill-settled",
  unsettled: "fill-unsettled",
  refused: "fill-refused",
  running: "fill-accent",
} as const;

const SCALES_MS = [200, 400, 1_000, 2_000, 4_000, 10_000, 20_000, 40_000, 100_000];
const MAJOR_MARKS = [0, 25, 50, 75, 100];
const MINOR_MARKS = Array.from({ length: 21 }, (_, index) => index * 5);
const GAP_PX = 1;

/**
 * Time to scale: one bar per step under a ruler that fits the whole run. Drawn with attributes, not
 * style attributes, which the page's security policy forbids.
 */
export function TimeRule({ segments, label }: { segments: RuleSegment[]; label: string }) {
  const totalMs = segments.reduce((sum, { ms }) => sum + ms, 0);
  const scaleMs = SCALES_MS.find((scale) => scale >= totalMs) ?? totalMs;
  const percent = (ms: number) => `${((100 * ms) / scaleMs).toFixed(3)}%`;
  const startsAt = (index: number) =>
    segments.slice(0, index).reduce((sum, segment) => sum + segment.ms, 0);
  return (
    <svg
      data-rule
      role="img"
      aria-label={label}
      className="block h-9.5 w-full overflow-visible font-mono text-[11px] tabular-nums"
    >
      {segments.map(({ key, ms, look }, index) => (
        <rect
          key={key}
          x={percent(startsAt(index))}
          width={percent(ms)}
          height="14"
          strokeWidth={GAP_PX}
          className={`stroke-surface ${LOOKS[look]}`}
        />
      ))}
      <line x1="0" x2="100%" y1="18.5" y2="18.5" className="stroke-line-control" />
      {MINOR_MARKS.map((mark) => (
        <line
          key={mark}
          x1={`${mark}%`}
          x2={`${mark}%`}
          y1="18"
          y2={MAJOR_MARKS.includes(mark) ? 25 : 22}
          className="stroke-line-control"
        />
      ))}
      {MAJOR_MARKS.map((mark) => (
        <text
          key={mark}
          x={`${mark}%`}
          y="36"
          textAnchor={mark === 0 ? "start" : mark === 100 ? "end" : "middle"}
          className="fill-ink-2"
        >
          {((scaleMs * mark) / 100).toLocaleString("en-US")}
          {mark === 100 && " ms"}
        </text>
      ))}
    </svg>
  );
}

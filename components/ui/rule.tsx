import { formatCount } from "@/lib/text/plural.ts";
import { cn } from "./cn.ts";
import { scaleFor } from "./data/scale.ts";

const LOOKS = {
  plain: "fill-ink-2/45",
  band: "fill-ink-2/20",
  work: "fill-ink/78",
  challenged: "fill-challenged",
  settled: "fill-settled",
  unsettled: "fill-unsettled",
  refused: "fill-refused",
  running: "fill-accent",
} as const;

export type RuleLook = keyof typeof LOOKS;

/** A bar on the scale; `isThin` draws it over others, such as a wait over the usual range. */
export type RuleBar = { key: string; from: number; to: number; look: RuleLook; isThin?: boolean };

export type RuleProps = {
  /** What is measured and how much, for screen readers. */
  label: string;
  bars: RuleBar[];
  /** Shown after the last number: "ms". */
  unit: string;
  /** The least the scale covers; by default it fits the bars. */
  atLeast?: number;
  markText?: (value: number) => string;
};

const MINOR_PER_MARK = 5;
const BAR_PX = 14;
const THIN_PX = 6;
/** Characters of the marks that fit side by side in the narrowest pane. */
const NARROW_CHARS = 60;

/** A run, a wait or a range of prices, drawn to scale. Uses attributes: the security policy forbids style attributes. */
export function Rule({ label, bars, unit, atLeast = 0, markText = formatCount }: RuleProps) {
  const { end, marks } = scaleFor(Math.max(atLeast, ...bars.map(({ to }) => to)));
  const percent = (value: number) => `${((100 * value) / end).toFixed(3)}%`;
  const minors = (marks.length - 1) * MINOR_PER_MARK;
  const texts = marks.map((mark, index) =>
    index === marks.length - 1 ? `${markText(mark)} ${unit}` : markText(mark),
  );
  // The last text ends at its mark and the one before is centred on its own: they may overlap.
  const [before = "", last = ""] = texts.slice(-2);
  const isTight = last.length + before.length / 2 > NARROW_CHARS / (marks.length - 1);
  return (
    <svg
      data-rule
      role="img"
      aria-label={label}
      className="block h-9.5 w-full overflow-visible font-mono text-tick tabular-nums"
    >
      {bars.map(({ key, from, to, look, isThin }) => (
        <rect
          key={key}
          x={percent(from)}
          y={isThin ? (BAR_PX - THIN_PX) / 2 : 0}
          width={percent(to - from)}
          height={isThin ? THIN_PX : BAR_PX}
          strokeWidth={isThin ? 0 : 1}
          className={cn("stroke-surface", LOOKS[look])}
        />
      ))}
      <line x1="0" x2="100%" y1="18.5" y2="18.5" className="stroke-line-control" />
      {Array.from({ length: minors + 1 }, (_, index) => {
        const at = `${((100 * index) / minors).toFixed(3)}%`;
        const isMark = index % MINOR_PER_MARK === 0;
        return (
          <line
            key={at}
            x1={at}
            x2={at}
            y1="18"
            y2={isMark ? 25 : 22}
            className="stroke-line-control"
          />
        );
      })}
      {marks.map((mark, index) => {
        const isLast = index === marks.length - 1;
        return (
          <text
            key={mark}
            x={percent(mark)}
            y="36"
            textAnchor={index === 0 ? "start" : isLast ? "end" : "middle"}
            className={cn(
              "fill-ink-2",
              index === marks.length - 2 && index > 0 && (isTight ? "hidden" : "max-sm:hidden"),
            )}
          >
            {texts[index]}
          </text>
        );
      })}
    </svg>
  );
}

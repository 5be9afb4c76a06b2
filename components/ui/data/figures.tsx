import type { ReactNode } from "react";
import { Icon, type IconName } from "../icon.tsx";

export type Figure = {
  label: string;
  /** Several sums are a line each. */
  value: ReactNode | readonly string[];
  /** One line under the number, such as a comparison. */
  note?: ReactNode;
  icon?: IconName;
  /** The colour of the icon, for states only. */
  tone?: "settled" | "unsettled" | "refused" | "neutral";
};

const INKS = {
  settled: "text-settled",
  unsettled: "text-unsettled",
  refused: "text-refused",
  neutral: "text-ink-2",
} as const;

/** Figures in one strip, separated by hairlines: four in a row, two on small screens. */
export function Figures({ figures }: { figures: Figure[] }) {
  return (
    <dl className="grid grid-cols-4 rounded-card border border-line bg-surface max-lg:grid-cols-2">
      {figures.map(({ label, value, note, icon, tone = "neutral" }) => (
        <div
          key={label}
          className="grid min-w-0 content-start gap-1.5 border-line px-5 pt-4 pb-3.5 max-lg:nth-[n+3]:border-t max-lg:even:border-s max-sm:px-4 lg:not-first:border-s"
        >
          <dt className="flex items-center gap-1.5 text-ink-2 text-label">
            {icon && <Icon name={icon} className={`size-3.5 ${INKS[tone]}`} />}
            {label}
          </dt>
          <dd className="wrap-anywhere text-figure tabular-nums max-sm:text-h1">
            {Array.isArray(value) ? <Lines of={value} /> : value}
          </dd>
          {note && <dd className="text-ink-2 text-small tabular-nums">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** A line breaks only where it would leave its figure. */
const Lines = ({ of }: { of: readonly string[] }) =>
  of.map((line, index) => (
    <span key={line} className={`block ${LINE_LOOKS[lineSize(line, index)]}`}>
      {line}
    </span>
  ));

const LINE_LOOKS = { large: "", small: "text-h2" } as const;
const MOST_LARGE = 14;

/** The first amount has the size of other figures if it fits; long ones and those after it are smaller. */
export const lineSize = (line: string, index: number): keyof typeof LINE_LOOKS =>
  index === 0 && line.length <= MOST_LARGE ? "large" : "small";

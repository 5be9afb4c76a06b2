import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

const TONES = {
  settled: { edge: "border-l-settled", ink: "text-settled", icon: "check" },
  unsettled: { edge: "border-l-unsettled", ink: "text-unsettled", icon: "half" },
  refused: { edge: "border-l-refused", ink: "text-refused", icon: "cross" },
  neutral: { edge: "border-l-line-control", ink: "text-ink-2", icon: "minus" },
} as const satisfies Record<string, { edge: string; ink: string; icon: IconName }>;

export type Tone = keyof typeof TONES;

/** What happened, what it means for money, what to do: a hairline box with an edge of the state's colour. */
export function Notice({
  tone,
  title,
  children,
}: {
  tone: Tone;
  title: string;
  children?: ReactNode;
}) {
  const { edge, ink, icon } = TONES[tone];
  return (
    <div
      className={`grid grid-cols-[16px_1fr] gap-x-2.5 gap-y-1 rounded-r-card border border-line border-l-2 bg-surface p-3 ${edge}`}
    >
      <Icon name={icon} className={`mt-0.5 size-4 ${ink}`} />
      <p className="font-medium">{title}</p>
      {children && <div className="col-start-2 text-ink-2 text-note">{children}</div>}
    </div>
  );
}

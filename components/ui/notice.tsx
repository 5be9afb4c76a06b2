import type { ReactNode } from "react";
import { cn } from "./cn.ts";
import { Icon, type IconName } from "./icon.tsx";

const TONES = {
  settled: { edge: "border-s-settled", ink: "text-settled", icon: "check" },
  unsettled: { edge: "border-s-unsettled", ink: "text-unsettled", icon: "half" },
  refused: { edge: "border-s-refused", ink: "text-refused", icon: "cross" },
  unknown: { edge: "border-s-unsettled", ink: "text-unsettled", icon: "dashed" },
  neutral: { edge: "border-s-line-control", ink: "text-ink-2", icon: "minus" },
  info: { edge: "border-s-line", ink: "text-ink-2", icon: "info" },
} as const satisfies Record<string, { edge: string; ink: string; icon: IconName }>;

export type Tone = keyof typeof TONES;

type NoticeProps = {
  tone: Tone;
  title: ReactNode;
  children?: ReactNode;
  /** The error code, shown small and in mono. */
  code?: string;
  /** What to do: one button, at most two. */
  action?: ReactNode;
  /** `alert` when it answers an action and nothing else does. */
  role?: "alert" | "status";
  className?: string;
};

/** What happened, what was charged, what to do: a hairline box with an edge in the colour of its state. */
export function Notice({ tone, title, children, code, action, role, className }: NoticeProps) {
  const { edge, ink, icon } = TONES[tone];
  return (
    <div
      role={role}
      className={cn(
        "grid grid-cols-[16px_1fr] gap-x-2.5 gap-y-1 rounded-e-card border border-line border-s-2 bg-surface p-3",
        action !== undefined && "sm:grid-cols-[16px_1fr_auto]",
        edge,
        className,
      )}
    >
      <Icon name={icon} className={`mt-0.5 size-4 ${ink}`} />
      <p className="wrap-anywhere min-w-0 font-medium">{title}</p>
      {(children || code) && (
        <div className="wrap-anywhere col-start-2 min-w-0 text-ink-2 text-note">
          {children} {code && <code className="text-small">{code}</code>}
        </div>
      )}
      {action && (
        <div className="col-start-2 flex flex-wrap gap-2 justify-self-start max-sm:mt-1.5 sm:col-start-3 sm:row-span-2 sm:row-start-1 sm:self-center">
          {action}
        </div>
      )}
    </div>
  );
}

import type { ReactNode } from "react";
import { cn } from "../cn.ts";
import { Icon } from "../icon.tsx";
import { Spinner } from "../spinner.tsx";

export type TimelineStatus = "idle" | "running" | "ok" | "warn" | "error" | "skipped";

export type TimelineStep = {
  key: string;
  title: ReactNode;
  status: TimelineStatus;
  /** One line: its outcome. */
  verdict?: ReactNode;
  time?: string;
  badge?: ReactNode;
  /** Marks the step whose details are shown elsewhere on the page. */
  isOpen?: boolean;
  /** It succeeded by requiring payment: a lock in place of the tick. */
  isChallenge?: boolean;
  /** Small quiet buttons. */
  actions?: ReactNode;
  details?: ReactNode;
  testId?: string;
  /** A machine-readable outcome, for tests and scripts. */
  outcome?: string;
  reason?: string;
};

const OPEN_GROUND = "bg-tint-accent shadow-[inset_2px_0_0_var(--accent)]";

const GROUNDS: Partial<Record<TimelineStatus, string>> = {
  running: OPEN_GROUND,
  warn: "bg-tint-unsettled shadow-[inset_2px_0_0_var(--unsettled)]",
};

const WORDS: Record<TimelineStatus, string> = {
  idle: "Not started: ",
  running: "Running: ",
  ok: "Done: ",
  warn: "Not confirmed: ",
  error: "Failed: ",
  skipped: "Skipped: ",
};

export type StepTimelineProps = {
  label: string;
  steps: TimelineStep[];
  isNumbered?: boolean;
  /** Less space around each step. */
  isCompact?: boolean;
  className?: string;
};

/** The steps of a run or a wait, from top to bottom, each with its state and outcome. */
export function StepTimeline(props: StepTimelineProps) {
  const { label, steps, isNumbered, isCompact, className } = props;
  return (
    <ol
      aria-label={label}
      className={cn(
        "min-w-0 overflow-hidden rounded-card border border-line bg-surface",
        className,
      )}
    >
      {steps.map(({ key, ...step }, index) => (
        <Step
          key={key}
          number={isNumbered ? index + 1 : undefined}
          isCompact={isCompact}
          {...step}
        />
      ))}
    </ol>
  );
}

type StepProps = Omit<TimelineStep, "key"> & { number?: number; isCompact?: boolean };

function Step({ number, isCompact, title, status, ...step }: StepProps) {
  const { verdict, time, badge, isOpen, isChallenge, actions, details, testId, outcome, reason } =
    step;
  const isQuiet = status === "idle" || status === "skipped";
  return (
    <li
      data-testid={testId}
      data-status={status}
      data-outcome={outcome}
      data-reason={reason}
      aria-current={status === "running" ? "step" : isOpen || undefined}
      className={cn(
        "relative grid grid-cols-[20px_minmax(0,1fr)_auto] gap-x-3 border-line px-4 not-first:border-t",
        isCompact ? "py-2" : "py-3",
        "before:absolute before:inset-y-0 before:start-[25.5px] before:w-px before:bg-line-control first:before:top-5 last:before:bottom-[calc(100%-1.25rem)]",
        // On a phone the buttons get their own row.
        actions && "max-sm:grid-cols-[20px_minmax(0,1fr)]",
        GROUNDS[status] ?? (isOpen && OPEN_GROUND),
      )}
    >
      <span className="relative mt-px grid size-5 place-items-center rounded-full bg-surface">
        <span className="sr-only">{WORDS[status]}</span>
        <StepMark status={status} isChallenge={isChallenge} />
      </span>
      <div className="min-w-0">
        <h3
          className={cn(
            "flex flex-wrap items-center gap-x-2 text-body leading-5.5",
            status === "idle" ? "text-ink-2" : "font-medium",
          )}
        >
          <span className="flex min-w-0 items-baseline gap-x-2">
            {number !== undefined && (
              <span className="font-mono font-normal text-ink-2 text-mono tabular-nums">
                {number}
              </span>
            )}
            <span className="min-w-0">{title}</span>
          </span>
          {badge}
        </h3>
        {verdict && (
          <p className={cn("text-note", status === "warn" ? "text-ink" : "text-ink-2")}>
            {verdict}
          </p>
        )}
      </div>
      <div
        className={cn(
          "grid content-between justify-items-end gap-0.5",
          actions && "max-sm:col-start-2 max-sm:flex max-sm:items-center max-sm:justify-between",
        )}
      >
        <span className="whitespace-nowrap font-mono text-mono tabular-nums">
          {time ?? (isQuiet ? "–" : "")}
        </span>
        {actions && <span className="-me-2 flex gap-0.5">{actions}</span>}
      </div>
      {details && <div className="col-span-2 col-start-2 mt-2 min-w-0">{details}</div>}
    </li>
  );
}

type StepMarkProps = {
  status: TimelineStatus;
  isChallenge?: boolean;
};

export function StepMark({ status, isChallenge }: StepMarkProps) {
  const size = "size-4.5";
  if (status === "running") return <Spinner className="size-4 border-2 text-accent" />;
  if (status === "warn") return <Icon name="half" className={`${size} text-unsettled`} />;
  if (status === "error") return <Icon name="cross" className={`${size} text-refused`} />;
  if (status === "skipped") return <Icon name="minus" className={`${size} text-ink-2`} />;
  if (status === "idle") {
    return <span className="size-2.5 rounded-full border-[1.5px] border-line-control" />;
  }
  return isChallenge ? (
    <Icon name="lock" className={`${size} text-challenged`} />
  ) : (
    <Icon name="check" className={`${size} text-settled`} />
  );
}

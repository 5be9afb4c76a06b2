import { type ReactNode, useId, useState } from "react";
import { StepMark, type TimelineStatus } from "../ui/data/step-timeline.tsx";
import { HttpStatus } from "../ui/values/http-status.tsx";
import type { PaidCallOutline, PaidCallStep } from "./paid-call-step.ts";

type StepsProps = {
  outline: PaidCallOutline[];
  steps: PaidCallStep[];
  isRunning: boolean;
  waitedMs: number;
};

/** The steps of a paid call, each with its state, duration and details. */
export function PaidCallSteps({ outline, steps, isRunning, waitedMs }: StepsProps) {
  return (
    <ol aria-label={`${outline.length} steps of a paid call`}>
      {outline.map(({ id, title, about }, index) => {
        const step = steps[index];
        const number = index + 1;
        if (step?.ran) return <DoneStep key={id} number={number} step={step} />;
        if (isRunning && index === steps.length) {
          const time = waitedMs > 0 ? `${waitedMs.toLocaleString("en-US")} ms` : "";
          return (
            <Row key={id} number={number} title={title} status="running" time={time}>
              {about}
            </Row>
          );
        }
        return (
          <Row key={id} number={number} title={title} status={step ? "skipped" : "idle"} time="–">
            {step ? step.meaning : about}
          </Row>
        );
      })}
    </ol>
  );
}

function DoneStep({ number, step }: { number: number; step: PaidCallStep }) {
  const { title, meaning, error, ok, money, status, durationMs, facts } = step;
  const state = ok ? "ok" : money === "delivered-unsettled" ? "warn" : "error";
  return (
    <Row
      number={number}
      title={title}
      status={state}
      isChallenge={ok && money === "challenged"}
      badge={status !== undefined && <HttpStatus status={status} />}
      time={`${durationMs.toLocaleString("en-US")} ms`}
      details={Object.keys(facts).length > 0 ? Object.entries(facts) : undefined}
    >
      {meaning}
      {error && <span className="block text-ink">{error}</span>}
    </Row>
  );
}

type RowProps = {
  number: number;
  title: string;
  status: TimelineStatus;
  time: string;
  isChallenge?: boolean;
  badge?: ReactNode;
  details?: [string, string][];
  children: ReactNode;
};

const GROUNDS: Partial<Record<TimelineStatus, string>> = {
  running: "bg-tint-accent shadow-[inset_2px_0_0_var(--accent)]",
  warn: "bg-tint-unsettled shadow-[inset_2px_0_0_var(--unsettled)]",
  error: "bg-tint-refused shadow-[inset_2px_0_0_var(--refused)]",
};

function Row({ number, title, status, time, isChallenge, badge, details, children }: RowProps) {
  const isQuiet = status === "idle" || status === "skipped";
  const [isOpen, setIsOpen] = useState(false);
  const factsId = useId();
  return (
    <li
      data-testid={`pg-step-${number}`}
      data-status={status}
      aria-current={status === "running" ? "step" : undefined}
      className={`relative grid grid-cols-[20px_minmax(0,1fr)_auto] gap-x-3 px-4 py-2 not-first:border-line not-first:border-t before:absolute before:inset-y-0 before:left-[25.5px] before:w-px before:bg-line-control first:before:top-4 last:before:bottom-[calc(100%-1rem)] ${GROUNDS[status] ?? ""}`}
    >
      <span className="relative mt-px grid size-5 place-items-center rounded-full bg-surface">
        <span className="sr-only">{WORDS[status]}</span>
        <StepMark status={status} isChallenge={isChallenge} />
      </span>
      <div className="min-w-0">
        <h3
          className={`flex flex-wrap items-center gap-x-2 text-body ${isQuiet ? "text-ink-2" : "font-medium"}`}
        >
          <span className="min-w-[2ch] font-mono text-ink-2 text-mono tabular-nums">{number}</span>
          {title}
          {badge}
        </h3>
        <p className="text-ink-2 text-note">{children}</p>
      </div>
      <div className="grid content-start justify-items-end">
        <span className="whitespace-nowrap font-mono text-mono tabular-nums">{time}</span>
        {details && (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={factsId}
            onClick={() => setIsOpen(!isOpen)}
            className="-mr-2 -mb-1 rounded-tag px-2 py-0.5 text-ink-2 text-small hover:bg-sunken hover:text-ink max-sm:py-2"
          >
            Details<span className="sr-only"> of “{title}”</span>
          </button>
        )}
      </div>
      {details && isOpen && <Facts id={factsId} facts={details} />}
    </li>
  );
}

function Facts({ id, facts }: { id: string; facts: [string, string][] }) {
  return (
    <dl
      id={id}
      className="col-span-2 col-start-2 mt-2 mb-1 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 border-line border-t pt-2 text-small"
    >
      {facts.map(([name, value]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className="text-ink-2">{name}</dt>
          <dd className="wrap-anywhere font-mono">{value || "–"}</dd>
        </div>
      ))}
    </dl>
  );
}

const WORDS: Record<TimelineStatus, string> = {
  idle: "Not run yet: ",
  running: "Running: ",
  ok: "Done: ",
  warn: "Needs attention: ",
  error: "Failed: ",
  skipped: "Not run: ",
};

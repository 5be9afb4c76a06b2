"use client";

import { type Run, STEPS, type StepId } from "@/lib/playground/run.ts";
import { StepMark, type TimelineStatus } from "../../ui/data/step-timeline.tsx";
import { LiveButton } from "../../ui/live-button.tsx";

const WORDS: Record<TimelineStatus, string> = {
  idle: "not run yet",
  running: "running",
  ok: "done",
  warn: "needs attention",
  error: "failed",
  skipped: "skipped",
};

type StepStripProps = { run: Run | null; onOpen: (id: StepId) => void };

/** The progress of a run, visible in every pane where only one fits. */
export function StepStrip({ run, onOpen }: StepStripProps) {
  return (
    <ol
      aria-label="Steps"
      className="sticky top-12 z-5 grid grid-cols-6 divide-x divide-line border-line border-b bg-bg md:hidden"
    >
      {STEPS.map(({ id, title }, index) => {
        const step = run?.steps.find((one) => one.id === id);
        const status = step?.status ?? "idle";
        return (
          <li key={id} className="grid">
            <LiveButton
              aria-label={`${index + 1}, ${title}: ${WORDS[status]}`}
              onClick={() => onOpen(id)}
              className="grid min-h-12 place-content-center justify-items-center gap-1 text-small -outline-offset-2 hover:bg-sunken"
            >
              <span className="grid size-4.5 place-items-center">
                <StepMark status={status} isChallenge={step?.outcome === "challenged"} />
              </span>
              <span aria-hidden="true" className="font-medium tabular-nums">
                {index + 1}
              </span>
            </LiveButton>
          </li>
        );
      })}
    </ol>
  );
}

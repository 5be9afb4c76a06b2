import type { ReactNode } from "react";
import { cn } from "./cn.ts";
import { Icon } from "./icon.tsx";

export type StepperStep = {
  value: string;
  title: string;
  state: "done" | "current" | "todo";
  /** What was chosen, or what the step asks; shown beside the title. */
  summary?: ReactNode;
  /** A link or button that reopens a step. */
  edit?: ReactNode;
  /** The content of the current step, and of any other that stays open. */
  content?: ReactNode;
};

const WORDS = { done: "Done: ", current: "Current: ", todo: "Next: " } as const;

/** The steps of a form, one under the other; completed steps stay visible. */
export function Stepper({ steps, footer }: { steps: StepperStep[]; footer?: ReactNode }) {
  return (
    <div className="min-w-0 rounded-card border border-line bg-surface">
      <ol>
        {steps.map(({ value, title, state, summary, edit, content }, index) => (
          <li
            key={value}
            aria-current={state === "current" ? "step" : undefined}
            className="border-line px-4 not-first:border-t"
          >
            <div className="flex min-h-12 items-center gap-3">
              <Mark state={state} number={index + 1} />
              <h2
                tabIndex={-1}
                data-step-heading={value}
                className={cn("text-h3 outline-none", state === "todo" && "font-normal text-ink-2")}
              >
                <span className="sr-only">{WORDS[state]}</span>
                {title}
              </h2>
              {summary && <span className="min-w-0 truncate text-ink-2 text-note">{summary}</span>}
              {edit && <span className="ms-auto shrink-0">{edit}</span>}
            </div>
            {content && <div className="grid gap-4 pb-5 sm:ps-8">{content}</div>}
          </li>
        ))}
      </ol>
      {footer && (
        <div className="flex items-center justify-between gap-2 border-line border-t px-4 py-3.5">
          {footer}
        </div>
      )}
    </div>
  );
}

function Mark({ state, number }: { state: StepperStep["state"]; number: number }) {
  if (state === "done") return <Icon name="check" className="size-5" />;
  return (
    <span
      aria-hidden="true"
      className={cn(
        "grid size-5 shrink-0 place-items-center rounded-full text-small font-medium tabular-nums forced-colors:border",
        state === "current" ? "bg-accent text-on-accent" : "border border-line-control text-ink-2",
      )}
    >
      {number}
    </span>
  );
}

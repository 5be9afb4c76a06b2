"use client";

import { useQuery } from "@tanstack/react-query";
import type { Role } from "@turnpike/payments/protocol";
import type { Home } from "@/lib/console/figures.ts";
import { readQuery } from "../data/read-operation.ts";
import { useEventRefresh } from "../data/use-event-refresh.ts";
import { ButtonLink } from "../ui/button-link.tsx";
import { Icon } from "../ui/icon.tsx";
import { type ChecklistStep, stepsOf } from "./checklist-steps.ts";

type ChecklistProps = {
  role: Role;
  home: Home;
  /** The button of the first open step is the page's primary one. */
  isPrimary: boolean;
};

const TITLES: Record<Role, string> = {
  builder: "Sell your first call",
  subscriber: "Make your first call",
};

/** Three steps to the first paid call. Each is ticked off once the service has seen it happen. */
export function Checklist({ role, home, isPrimary }: ChecklistProps) {
  const { data } = useQuery({
    ...readQuery("getHome", {}),
    initialData: home,
    refetchInterval: useEventRefresh(),
  });
  const steps = stepsOf(role, data);
  const next = steps.find(({ isDone }) => !isDone);
  const done = steps.filter(({ isDone }) => isDone).length;
  const id = `checklist-${role}`;
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-card border border-line bg-surface">
      <div className="flex items-center gap-3 border-line border-b px-5 py-3 max-sm:px-4">
        <h2 id={id} className="text-h3">
          {TITLES[role]}
        </h2>
        <p role="status" className="ms-auto text-ink-2 text-note tabular-nums">
          {done} of {steps.length} done
        </p>
      </div>
      <ol>
        {steps.map((step, index) => (
          <Step
            key={step.title}
            number={index + 1}
            step={step}
            isNext={step === next}
            isPrimary={isPrimary && step === next}
          />
        ))}
      </ol>
    </section>
  );
}

type StepProps = { number: number; step: ChecklistStep; isNext: boolean; isPrimary: boolean };

function Step({ number, step, isNext, isPrimary }: StepProps) {
  const { title, text, isDone, action } = step;
  return (
    <li
      data-done={isDone || undefined}
      aria-current={isNext ? "step" : undefined}
      className="grid grid-cols-[20px_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-2 border-line px-5 py-3.5 not-first:border-t max-sm:px-4"
    >
      {isDone ? (
        <Icon name="check" className="size-5 text-settled" />
      ) : (
        <span
          aria-hidden="true"
          className="grid size-5 place-items-center rounded-full border border-line-control text-ink-2 text-small tabular-nums"
        >
          {number}
        </span>
      )}
      <div className="min-w-0">
        <h3 className="text-body font-medium">
          <span className="sr-only">{isDone ? "Done: " : "To do: "}</span>
          {title}
        </h3>
        <p className="text-ink-2 text-note">{text}</p>
      </div>
      {!isDone && (
        <ButtonLink
          href={action.href}
          look={isPrimary ? "primary" : "plain"}
          className="max-sm:col-start-2 max-sm:justify-self-start"
        >
          {action.label}
        </ButtonLink>
      )}
    </li>
  );
}

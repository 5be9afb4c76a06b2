import { useState } from "react";
import { STORY_STEPS, type StoryStep } from "@/lib/playground/story-steps.ts";
import { formatCount } from "@/lib/text/plural.ts";
import { Button } from "../ui/button.tsx";
import { StepTimeline, type TimelineStep } from "../ui/data/step-timeline.tsx";
import { HttpStatus } from "../ui/values/http-status.tsx";

type StepsProps = {
  steps: StoryStep[];
  isRunning: boolean;
  waitedMs: number;
};

const msText = (ms: number) => `${formatCount(ms)} ms`;

export function PaidCallSteps({ steps, isRunning, waitedMs }: StepsProps) {
  const [openIds, setOpenIds] = useState<readonly string[]>([]);
  const toggle = (id: string) =>
    setOpenIds((ids) => (ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]));
  return (
    <StepTimeline
      label={`${STORY_STEPS.length} steps of a paid call`}
      isNumbered
      isCompact
      className="rounded-none border-0"
      steps={STORY_STEPS.map(({ id, title, about }, index): TimelineStep => {
        const step = steps[index];
        const common = { key: id, title, testId: `pg-step-${index + 1}` };
        if (step?.ran) {
          return { ...common, ...doneStep(step, openIds.includes(id), () => toggle(id)) };
        }
        if (isRunning && index === steps.length) {
          const time = waitedMs > 0 ? msText(waitedMs) : "";
          return { ...common, status: "running", verdict: about, time };
        }
        const status = step ? "skipped" : "idle";
        return { ...common, status, verdict: step ? step.meaning : about };
      })}
    />
  );
}

function doneStep(step: StoryStep, isOpen: boolean, onToggle: () => void) {
  const { id, title, meaning, error, ok, money, status, durationMs } = step;
  const facts = Object.entries(step.facts);
  const factsId = `facts-${id}`;
  return {
    status: ok ? "ok" : money === "delivered-unsettled" ? "warn" : "error",
    isChallenge: ok && money === "challenged",
    badge: status !== undefined && <HttpStatus status={status} />,
    time: msText(durationMs),
    verdict: (
      <>
        {meaning}
        {error && <span className="block text-ink">{error}</span>}
      </>
    ),
    actions: facts.length > 0 && (
      <Button
        look="quiet"
        size="small"
        aria-expanded={isOpen}
        aria-controls={factsId}
        onClick={onToggle}
      >
        Details<span className="sr-only"> of “{title}”</span>
      </Button>
    ),
    details: facts.length > 0 && isOpen && <Facts id={factsId} facts={facts} />,
  } satisfies Partial<TimelineStep>;
}

function Facts({ id, facts }: { id: string; facts: [string, string][] }) {
  return (
    <dl
      id={id}
      className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 border-line border-t pt-2 text-small"
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

import type { ReactNode } from "react";
import { PAYING_STEP, STORY_STEPS, type StoryStep } from "@/lib/playground/story-steps.ts";
import { formatCount } from "@/lib/text/plural.ts";
import { Rule, type RuleBar, type RuleLook } from "../ui/rule.tsx";
import { RECORDED } from "./recorded-call.ts";

type NamedBar = { key: string; name: string; ms: number; look: RuleLook };

const { ms } = RECORDED;
/** The recorded call to scale; its parts add up to its whole time. */
const RECORDED_BARS: NamedBar[] = [
  { key: "ask", name: "Request without payment", ms: ms.ask, look: "challenged" },
  { key: "mint", name: "Access token", ms: ms.mint, look: "plain" },
  { key: "verify", name: "Verify", ms: ms.verify, look: "band" },
  { key: "work", name: "Agent", ms: ms.work, look: "work" },
  { key: "settle", name: "Settle", ms: ms.settle, look: "settled" },
  { key: "rest", name: "Connection", ms: ms.rest, look: "band" },
];

function liveBars(steps: StoryStep[], waitedMs: number): NamedBar[] {
  const bars = steps
    .filter(({ ran }) => ran)
    .map((step): NamedBar => {
      const { id: key, title: name, durationMs } = step;
      return { key, name, ms: durationMs, look: lookOf(step) };
    });
  const current = STORY_STEPS[steps.length];
  if (waitedMs === 0 || !current) return bars;
  return [...bars, { key: current.id, name: current.title, ms: waitedMs, look: "running" }];
}

/** The time of the recorded call, to scale and by part. */
export function RecordedTimes() {
  return (
    <Elapsed bars={RECORDED_BARS} atLeast={0}>
      <p className="flex flex-wrap gap-x-4 gap-y-0.5 text-ink-2 text-small tabular-nums">
        {RECORDED_BARS.map(({ key, name, ms }) => (
          <span key={key}>
            {name} {ms} ms
          </span>
        ))}
      </p>
    </Elapsed>
  );
}

type LiveTimesProps = { steps: StoryStep[]; waitedMs: number };

/** The time of the steps so far, to scale. */
export const LiveTimes = ({ steps, waitedMs }: LiveTimesProps) => (
  <Elapsed bars={liveBars(steps, waitedMs)} atLeast={200} />
);

type ElapsedProps = { bars: NamedBar[]; atLeast: number; children?: ReactNode };

function Elapsed({ bars, atLeast, children }: ElapsedProps) {
  let totalMs = 0;
  const placed = bars.map(({ key, ms, look }): RuleBar => {
    const from = totalMs;
    totalMs += ms;
    return { key, from, to: totalMs, look };
  });
  const total = formatCount(totalMs);
  return (
    <div className="grid items-end gap-x-6 gap-y-2 border-line border-t px-4 pt-3.5 pb-3 sm:grid-cols-[minmax(0,1fr)_auto]">
      <Rule
        bars={placed}
        unit="ms"
        atLeast={atLeast}
        label={`Time to scale: ${total} milliseconds`}
      />
      <p className="flex items-baseline gap-2 sm:min-w-[5.5ch] sm:justify-end">
        <span className="text-figure tabular-nums">{totalMs > 0 ? total : "–"}</span>
        <span className="text-ink-2">ms</span>
      </p>
      {children}
    </div>
  );
}

function lookOf({ id, ok, money }: StoryStep): RuleLook {
  if (money === "delivered-unsettled") return "unsettled";
  if (!ok) return "refused";
  if (money === "challenged" || money === "settled") return money;
  return id === PAYING_STEP ? "work" : "plain";
}

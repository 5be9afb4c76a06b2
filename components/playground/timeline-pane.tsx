"use client";

import type { ReactNode } from "react";
import { bannerOf } from "@/lib/playground/engine.ts";
import { describeOutcome } from "@/lib/playground/outcomes.ts";
import { type Run, STEPS, type StepId, type StepResult } from "@/lib/playground/run.ts";
import { Button } from "../ui/button.tsx";
import { HttpStatus } from "../ui/http-status.tsx";
import { MoneyStatus } from "../ui/money-status.tsx";
import { Notice } from "../ui/notice.tsx";
import { Rule, type RuleBar, type RuleLook } from "../ui/rule.tsx";
import { StepTimeline } from "../ui/step-timeline.tsx";
import { Tag } from "../ui/tag.tsx";

export type TimelinePaneProps = {
  run: Run | null;
  isRunning: boolean;
  progress: string;
  failure: string;
  opened: StepId;
  onOpen: (id: StepId) => void;
  /** The button that goes with the run's outcome. */
  action: ReactNode;
};

/** The six steps as they went, under what the money did. */
export function TimelinePane(props: TimelinePaneProps) {
  const { run, isRunning, progress, failure, opened, onOpen, action } = props;
  const steps = run?.steps ?? [];
  const results = STEPS.map(({ id, title }) => ({
    id,
    title,
    result: steps.find((step) => step.id === id),
  }));
  const total = steps.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return (
    <section aria-label="Timeline" className="min-w-0">
      {failure && (
        <div className="p-4" role="alert">
          <Notice tone="refused" title="The run could not go on.">
            {failure}
          </Notice>
        </div>
      )}
      {run && !isRunning && !failure && <Banner run={run} action={action} />}
      {run && total > 0 && (
        <div className="border-line border-b px-4 py-3">
          <Rule label={`Six steps in ${total} ms`} bars={barsOf(steps)} unit="ms" atLeast={100} />
        </div>
      )}
      <StepTimeline
        label="Steps of the exchange"
        isNumbered
        className="rounded-none border-0"
        steps={results.map(({ id, title, result }, index) => ({
          key: id,
          title,
          status: result?.status ?? "idle",
          isChallenge: result?.outcome === "challenged",
          verdict: verdictOf(result, progress),
          badge: <Badge result={result} />,
          time:
            result && result.durationMs > 0
              ? `${result.durationMs.toLocaleString("en-US")} ms`
              : undefined,
          testId: `pg-step-${index + 1}`,
          outcome: result?.outcome ?? "",
          reason: result?.reason ?? "",
          actions: (
            <Button
              look="quiet"
              size="small"
              aria-pressed={opened === id}
              aria-label={`Explain step ${index + 1}, ${title}`}
              onClick={() => onOpen(id)}
              className="aria-pressed:text-accent"
            >
              Explain
            </Button>
          ),
        }))}
      />
      <p role="status" className="sr-only">
        {announce(results, isRunning)}
      </p>
    </section>
  );
}

function Banner({ run, action }: { run: Run; action: ReactNode }) {
  const { money, sentence } = bannerOf(run);
  const isAmber = money === "delivered-unsettled" || money === "unknown";
  const deciding = run.steps.findLast(({ reason }) => reason !== null);
  return (
    <div
      data-testid="pg-money"
      data-money={money ?? ""}
      data-reason={deciding?.reason ?? ""}
      className={`grid gap-3 border-line border-b px-4 py-4 ${isAmber ? "bg-tint-unsettled" : ""}`}
    >
      <div className="flex flex-wrap items-center gap-3">
        {money && <MoneyStatus status={money} size="large" />}
        <p className="min-w-48 flex-1 wrap-anywhere">{sentence}</p>
        {action}
      </div>
      {run.credits && (
        <dl className="flex flex-wrap gap-x-8 gap-y-2">
          <Figure term="Credits" value={`${run.credits.before} → ${run.credits.after}`} />
          {run.planName && <Figure term="Plan" value={run.planName} />}
          {run.agentRequestId && (
            <Figure term="Request" value={`${run.agentRequestId.slice(0, 12)}…`} />
          )}
        </dl>
      )}
    </div>
  );
}

const Figure = ({ term, value }: { term: string; value: string }) => (
  <div>
    <dt className="text-ink-2 text-small">{term}</dt>
    <dd className="font-medium font-mono text-mono tabular-nums">{value}</dd>
  </div>
);

function Badge({ result }: { result: StepResult | undefined }) {
  if (!result?.outcome || result.status === "skipped") return null;
  const status = result.exchange?.answer?.status;
  if (status) return <HttpStatus status={status} />;
  return <Tag>{describeOutcome(result.outcome, result.values).word}</Tag>;
}

function verdictOf(result: StepResult | undefined, progress: string): string | undefined {
  if (result?.status === "running") return progress || "Under way.";
  if (!result?.outcome) return undefined;
  return describeOutcome(result.outcome, result.values).verdict;
}

const LOOKS: Record<StepId, RuleLook> = {
  ask: "challenged",
  offer: "plain",
  permission: "plain",
  verify: "plain",
  pay: "work",
  settle: "settled",
};

function barsOf(steps: readonly StepResult[]): RuleBar[] {
  let at = 0;
  return steps.flatMap(({ id, durationMs, status }) => {
    const from = at;
    at += durationMs;
    if (durationMs === 0) return [];
    const look = status === "error" ? "refused" : status === "warn" ? "unsettled" : LOOKS[id];
    return [{ key: id, from, to: at, look }];
  });
}

function announce(
  results: readonly { title: string; result: StepResult | undefined }[],
  isRunning: boolean,
): string {
  if (!isRunning) return "";
  const at = results.findIndex(({ result }) => result?.status === "running");
  const [number, step] = at < 0 ? [1, results[0]] : [at + 1, results[at]];
  return `Step ${number} of 6, ${step?.title ?? ""}`;
}

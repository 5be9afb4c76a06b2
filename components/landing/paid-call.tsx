"use client";

import { useEffect, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Notice, type Tone } from "../ui/notice.tsx";
import { Rule, type RuleBar, type RuleLook } from "../ui/rule.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { MoneyStatus, NeutralPill, RunningPill } from "../ui/values/money-status.tsx";
import { PAYING_STEP, type PaidCallOutline, type PaidCallStep } from "./paid-call-step.ts";
import { PaidCallSteps } from "./paid-call-steps.tsx";
import { judgeRun, type Verdict } from "./paid-call-verdict.ts";
import { ReceiptSlip } from "./receipt-slip.tsx";
import { type PaidCallState, usePaidCall } from "./use-paid-call.ts";

const SPEAK_EACH_MS = 1_000;

export type PaidCallProps = {
  outline: PaidCallOutline[];
  agentUrl: string;
  /** The demo account's credits when the page was rendered; absent if it has ordered no plan. */
  creditsLeft?: string;
};

/** One button that runs a whole paid call, and its receipt. */
export function PaidCall({ outline, agentUrl, creditsLeft }: PaidCallProps) {
  const { state, waitedMs, run, stop } = usePaidCall();
  const { phase, steps } = state;
  const isRunning = phase === "running";
  const verdict = phase === "ended" ? verdictOf(state) : undefined;
  const left = steps.find(({ id }) => id === "receipt")?.facts.remainingBalance ?? creditsLeft;
  const spoken = useSpoken(state, outline, verdict);

  return (
    <>
      <section
        aria-labelledby="run-heading"
        data-testid="paid-call"
        data-phase={phase}
        className="min-w-0 rounded-card border border-line bg-surface lg:col-start-2 lg:row-span-2 lg:row-start-1"
      >
        <div className="flex min-h-12 flex-wrap items-center justify-between gap-3 px-4 py-2.5">
          <h2 id="run-heading" className="text-h2">
            Run a paid call
          </h2>
          <span data-testid="pg-money">
            <Pill state={state} outline={outline} verdict={verdict} />
          </span>
        </div>
        <div className="flex flex-wrap items-center gap-x-2 gap-y-3 border-line border-t px-4 py-3">
          <Button
            look="primary"
            data-testid="pg-run"
            aria-disabled={isRunning}
            onClick={isRunning ? undefined : run}
          >
            {isRunning && <Spinner />}
            {phase === "ended" ? "Run again" : "Run a paid call"}
          </Button>
          {isRunning && (
            <Button look="quiet" onClick={stop}>
              Stop
            </Button>
          )}
          <p className="text-ink-2 text-small tabular-nums sm:ml-auto">
            {left === undefined ? "Orders a plan first" : `Uses 1 credit, ${left} left`}
          </p>
        </div>
        <p className="flex flex-wrap items-baseline gap-x-3 border-line border-t bg-sunken px-4 py-2">
          <span className="font-medium font-mono text-ink-2 text-small">POST</span>
          <span className="wrap-anywhere font-mono text-mono">{agentUrl}</span>
          <span className="ml-auto text-ink-2 text-small">Demo agent</span>
        </p>
        <div className="border-line border-t">
          <PaidCallSteps
            outline={outline}
            steps={steps}
            isRunning={isRunning}
            waitedMs={waitedMs}
          />
        </div>
        <Elapsed steps={steps} outline={outline} waitedMs={isRunning ? waitedMs : 0} />
        <p role="status" className="sr-only">
          {spoken}
        </p>
        <noscript>
          <p className="border-line border-t p-4 text-ink-2 text-note">
            This button needs JavaScript. <code>npm run demo</code> does the same in a terminal.
          </p>
        </noscript>
      </section>
      <div className="min-w-0 lg:col-start-1 lg:row-start-2">
        {verdict && (
          <div className="mb-6" data-testid="outcome">
            <Notice tone={toneOf(verdict)} title={verdict.title}>
              {verdict.advice}
            </Notice>
          </div>
        )}
        <ReceiptSlip steps={steps} verdict={verdict} />
      </div>
    </>
  );
}

function verdictOf({ steps, isStopped, failure }: PaidCallState): Verdict {
  const isComplete = steps.some(({ ok, ran }) => !ok || !ran) || !failure;
  if (isComplete) return judgeRun(steps, isStopped);
  const verdict = judgeRun(steps, true);
  const title = verdict.money
    ? "The connection was lost while the agent was working."
    : "No call was made.";
  return { ...verdict, title, advice: failure ?? verdict.advice };
}

type PillProps = { state: PaidCallState; outline: PaidCallOutline[]; verdict?: Verdict };

function Pill({ state, outline, verdict }: PillProps) {
  if (state.phase === "running") {
    const step = Math.min(state.steps.length + 1, outline.length);
    return <RunningPill>{`Step ${step} of ${outline.length}`}</RunningPill>;
  }
  if (verdict?.money) return <MoneyStatus status={verdict.money} />;
  return verdict ? <NeutralPill>{verdict.word}</NeutralPill> : null;
}

type ElapsedProps = { steps: PaidCallStep[]; outline: PaidCallOutline[]; waitedMs: number };

function Elapsed({ steps, outline, waitedMs }: ElapsedProps) {
  const bars: RuleBar[] = [];
  let totalMs = 0;
  const add = (key: string, ms: number, look: RuleLook) => {
    bars.push({ key, from: totalMs, to: totalMs + ms, look });
    totalMs += ms;
  };
  for (const step of steps) if (step.ran) add(step.id, step.durationMs, lookOf(step));
  const current = outline[steps.length];
  if (waitedMs > 0 && current) add(current.id, waitedMs, "running");
  const total = totalMs.toLocaleString("en-US");
  return (
    <div className="grid items-end gap-x-6 gap-y-3 border-line border-t px-4 pt-3.5 pb-3 sm:grid-cols-[minmax(0,1fr)_auto]">
      <Rule
        bars={bars}
        unit="ms"
        atLeast={200}
        label={`Time to scale: ${total} milliseconds so far`}
      />
      <p className="flex items-baseline gap-2 sm:min-w-[5.5ch] sm:justify-end">
        <span className="text-figure tabular-nums">{totalMs > 0 ? total : "–"}</span>
        <span className="text-ink-2">ms</span>
      </p>
    </div>
  );
}

function lookOf({ id, ok, money }: PaidCallStep): RuleLook {
  if (money === "delivered-unsettled") return "unsettled";
  if (!ok) return "refused";
  if (money === "challenged" || money === "settled") return money;
  return id === PAYING_STEP ? "work" : "plain";
}

function toneOf({ money }: Verdict): Tone {
  if (money === "settled" || money === "refused") return money;
  return money === undefined ? "neutral" : "unsettled";
}

/** Screen reader text: the current step, at most once a second, then the outcome. */
function useSpoken(state: PaidCallState, outline: PaidCallOutline[], verdict?: Verdict): string {
  const [spoken, setSpoken] = useState("");
  const number = Math.min(state.steps.length + 1, outline.length);
  const isRunning = state.phase === "running";
  const progress = `Step ${number} of ${outline.length}, ${outline[number - 1]?.title}, running`;

  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(() => setSpoken(progress), SPEAK_EACH_MS);
    return () => clearTimeout(timer);
  }, [isRunning, progress]);

  if (isRunning) return spoken;
  return verdict ? `${verdict.word}. ${verdict.title}` : "";
}

"use client";

import { type ReactNode, useEffect, useState } from "react";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice, type Tone } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { MoneyStatus, NeutralPill, RunningPill } from "../ui/values/money-status.tsx";
import { Tag } from "../ui/values/tag.tsx";
import { LiveTimes, RecordedTimes } from "./call-times.tsx";
import type { PaidCallOutline } from "./paid-call-step.ts";
import { PaidCallSteps } from "./paid-call-steps.tsx";
import { judgeRun, type Verdict } from "./paid-call-verdict.ts";
import { ReceiptSlip } from "./receipt-slip.tsx";
import { type PaidCallState, usePaidCall } from "./use-paid-call.ts";

const SPEAK_EACH_MS = 1_000;

type Live = { outline: PaidCallOutline[]; agentUrl: string };

export type PaidCallProps = {
  headline: ReactNode;
  lead: ReactNode;
  /** The first frame: a call that was recorded, as it was on the wire, and its receipt. */
  recorded: { exchange: ReactNode; receipt: ReactNode; at: string };
  /** Where a call can be run now; absent outside the sandbox. */
  live?: Live;
};

/** A recorded paid call, and one button that runs a live one in its place. */
export function PaidCall({ headline, lead, recorded, live }: PaidCallProps) {
  const running = usePaidCall();
  return (
    <>
      <div className="grid items-end gap-x-16 gap-y-6 lg:grid-cols-[minmax(0,6fr)_minmax(0,5fr)]">
        {headline}
        <div className="grid gap-4">
          {lead}
          <Controls {...running} canRun={live !== undefined} />
          <p className="text-ink-2 text-note">
            Free to try: the sandbox needs no account, no wallet and no real money.
          </p>
        </div>
      </div>
      <section
        aria-labelledby="run-heading"
        data-testid="paid-call"
        data-phase={running.state.phase}
        className="mt-8 min-w-0 rounded-card border border-line bg-surface"
      >
        {live && running.state.phase !== "idle" ? (
          <LiveCall {...live} state={running.state} waitedMs={running.waitedMs} />
        ) : (
          <RecordedCall {...recorded} />
        )}
        <noscript>
          <p className="border-line border-t p-4 text-ink-2 text-note">
            Running it live needs JavaScript. <code>npm run demo</code> does the same in a terminal.
          </p>
        </noscript>
      </section>
    </>
  );
}

type ControlsProps = ReturnType<typeof usePaidCall> & { canRun: boolean };

function Controls({ state: { phase }, run, stop, canRun }: ControlsProps) {
  const isRunning = phase === "running";
  return (
    <p className="flex flex-wrap gap-3">
      {canRun && (
        <Button
          look="primary"
          size="big"
          data-testid="pg-run"
          aria-disabled={isRunning}
          onClick={isRunning ? undefined : run}
        >
          {isRunning ? <Spinner /> : <Icon name="playground" />}
          {phase === "ended" ? "Run again" : "Run it live"}
        </Button>
      )}
      {isRunning && (
        <Button look="quiet" size="big" onClick={stop}>
          Stop
        </Button>
      )}
      <ButtonLink
        href="/playground"
        look={canRun ? "plain" : "primary"}
        size="big"
        prefetch={false}
      >
        Open playground
      </ButtonLink>
    </p>
  );
}

const BODY = "grid border-line border-t lg:grid-cols-[minmax(0,1fr)_minmax(0,380px)]";
const ASIDE = "min-w-0 border-line p-4 max-lg:border-t lg:border-s lg:p-5";

function CallHead({ about, children }: { about: ReactNode; children?: ReactNode }) {
  return (
    <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
      <h2 id="run-heading" className="text-h3">
        A paid call
      </h2>
      {about}
      <span className="ml-auto" data-testid="pg-money">
        {children}
      </span>
    </div>
  );
}

function RecordedCall({ exchange, receipt, at }: PaidCallProps["recorded"]) {
  return (
    <>
      <CallHead
        about={
          <>
            <Tag>Recorded</Tag>
            <span className="text-ink-2 text-note">Demo agent in the sandbox, {at}</span>
          </>
        }
      />
      <div className={BODY}>
        <div className="min-w-0">{exchange}</div>
        <div className={ASIDE}>{receipt}</div>
      </div>
      <RecordedTimes />
    </>
  );
}

type LiveCallProps = Live & { state: PaidCallState; waitedMs: number };

function LiveCall({ outline, agentUrl, state, waitedMs }: LiveCallProps) {
  const { phase, steps } = state;
  const isRunning = phase === "running";
  const verdict = phase === "ended" ? verdictOf(state) : undefined;
  const spoken = useSpoken(state, outline, verdict);
  return (
    <>
      <CallHead
        about={
          <>
            <Tag>Live</Tag>
            <span className="wrap-anywhere font-mono text-ink-2 text-small">POST {agentUrl}</span>
          </>
        }
      >
        <Pill state={state} outline={outline} verdict={verdict} />
      </CallHead>
      <div className={BODY}>
        <div className="min-w-0">
          <PaidCallSteps
            outline={outline}
            steps={steps}
            isRunning={isRunning}
            waitedMs={waitedMs}
          />
        </div>
        <div className={ASIDE}>
          {verdict && (
            <div className="mb-6" data-testid="outcome">
              <Notice tone={toneOf(verdict)} title={verdict.title}>
                {verdict.advice}
              </Notice>
            </div>
          )}
          <ReceiptSlip steps={steps} verdict={verdict} />
        </div>
      </div>
      <LiveTimes steps={steps} outline={outline} waitedMs={isRunning ? waitedMs : 0} />
      <p role="status" className="sr-only">
        {spoken}
      </p>
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

"use client";

import { type ReactNode, useEffect, useState } from "react";
import { STORY_STEPS } from "@/lib/playground/story-steps.ts";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice, type Tone } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { MoneyStatus, NeutralPill, RunningPill } from "../ui/values/money-status.tsx";
import { Tag } from "../ui/values/tag.tsx";
import { absoluteTime } from "../ui/values/time-text.ts";
import { LiveTimes, RecordedTimes } from "./call-times.tsx";
import { PaidCallSteps } from "./paid-call-steps.tsx";
import { judgeRun, type Verdict } from "./paid-call-verdict.ts";
import { ReceiptSlip } from "./receipt-slip.tsx";
import { RECORDED } from "./recorded-call.ts";
import { RecordedExchange, RecordedReceipt } from "./recorded-exchange.tsx";
import { type PaidCallState, usePaidCall } from "./use-paid-call.ts";

const SPEAK_EACH_MS = 1_000;

export type PaidCallProps = {
  /** Where a call can be run now; absent outside the sandbox. */
  agentUrl?: string;
};

/** A recorded paid call, and one button that runs a live one in its place. */
export function PaidCall({ agentUrl }: PaidCallProps) {
  const running = usePaidCall();
  return (
    <>
      <div className="grid items-end gap-x-16 gap-y-6 lg:grid-cols-[minmax(0,6fr)_minmax(0,5fr)]">
        <Headline />
        <div className="grid gap-4">
          <Lead />
          <Controls {...running} canRun={agentUrl !== undefined} />
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
        {agentUrl && running.state.phase !== "idle" ? (
          <LiveCall agentUrl={agentUrl} state={running.state} waitedMs={running.waitedMs} />
        ) : (
          <RecordedCall />
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

function RecordedCall() {
  const at = absoluteTime(new Date(RECORDED.recordedAt));
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
        <div className="min-w-0">
          <RecordedExchange />
        </div>
        <div className={ASIDE}>
          <RecordedReceipt />
        </div>
      </div>
      <RecordedTimes />
    </>
  );
}

type LiveCallProps = { agentUrl: string; state: PaidCallState; waitedMs: number };

function LiveCall({ agentUrl, state, waitedMs }: LiveCallProps) {
  const { phase, steps } = state;
  const isRunning = phase === "running";
  const verdict = phase === "ended" ? verdictOf(state) : undefined;
  const spoken = useSpoken(state, verdict);
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
        <Pill state={state} verdict={verdict} />
      </CallHead>
      <div className={BODY}>
        <div className="min-w-0">
          <PaidCallSteps steps={steps} isRunning={isRunning} waitedMs={waitedMs} />
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
      <LiveTimes steps={steps} waitedMs={isRunning ? waitedMs : 0} />
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

type PillProps = { state: PaidCallState; verdict?: Verdict };

function Pill({ state, verdict }: PillProps) {
  if (state.phase === "running") {
    const step = Math.min(state.steps.length + 1, STORY_STEPS.length);
    return <RunningPill>{`Step ${step} of ${STORY_STEPS.length}`}</RunningPill>;
  }
  if (verdict?.money) return <MoneyStatus status={verdict.money} />;
  return verdict ? <NeutralPill>{verdict.word}</NeutralPill> : null;
}

function toneOf({ money }: Verdict): Tone {
  if (money === "settled" || money === "refused") return money;
  return money === undefined ? "neutral" : "unsettled";
}

/** Screen reader text: the current step, at most once a second, then the outcome. */
function useSpoken(state: PaidCallState, verdict?: Verdict): string {
  const [spoken, setSpoken] = useState("");
  const number = Math.min(state.steps.length + 1, STORY_STEPS.length);
  const isRunning = state.phase === "running";
  const progress = `Step ${number} of ${STORY_STEPS.length}, ${STORY_STEPS[number - 1]?.title}, running`;

  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(() => setSpoken(progress), SPEAK_EACH_MS);
    return () => clearTimeout(timer);
  }, [isRunning, progress]);

  if (isRunning) return spoken;
  return verdict ? `${verdict.word}. ${verdict.title}` : "";
}

function Headline() {
  return (
    <h1 className="text-balance text-[2.125rem] leading-[2.5rem] font-semibold tracking-[-0.025em] sm:text-[2.875rem] sm:leading-[3.25rem] 2xl:text-[3.5rem] 2xl:leading-[3.875rem]">
      Put a price on your AI agent. Get paid for every call that works.
    </h1>
  );
}

function Lead() {
  return (
    <p className="max-w-[52ch] text-[1.0625rem] leading-7 text-ink-2">
      Turnpike puts a paid gate in front of any HTTP, MCP or A2A endpoint. Callers buy a plan over
      HTTP 402, by card or stablecoin, and are charged only when your agent has answered.
    </p>
  );
}

"use client";

import { type Run, STEPS, type StepId, stepNumber } from "@/lib/playground/run.ts";
import { Button } from "../ui/button.tsx";
import { StepMark, type TimelineStatus } from "../ui/data/step-timeline.tsx";
import { LiveButton } from "../ui/live-button.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { namedRun } from "./history/run-history.ts";
import { InspectorPane } from "./inspector/inspector-pane.tsx";
import { ComparedRuns, FaultResults } from "./later-parts.ts";
import { PaneGrid } from "./pane-grid.tsx";
import { PaneSwitch } from "./panes.tsx";
import { RequestColumn, RunAction, TimelineColumn } from "./playground-columns.tsx";
import { PlaygroundHeader } from "./playground-header.tsx";
import { arrivingStep, onFirstClick, payingText, totalOf } from "./run/run-facts.ts";
import { type PlaygroundProps, usePlayground } from "./use-playground.ts";

/** Runs the 402 exchange against any agent and shows every step of it. */
export function Playground(props: PlaygroundProps) {
  const playground = usePlayground(props);
  const { state, dispatch, runner, faultLab, confirmation, cost, blocked, isFault } = playground;
  const { pane, opened, view, compared } = state;
  const { run, isRunning } = runner;
  const { service, actions, presets } = props;
  const shown = (isRunning && arrivingStep(run)) || opened;
  const isCompared = compared !== null && run !== null && !isRunning;
  return (
    // `data-wide`: the shell gives the page its whole width and height.
    <div data-wide className="-mx-(--gutter) -mt-6 max-sm:-mt-5 flex grow flex-col sm:-mb-16">
      <PlaygroundHeader
        {...{ run, isRunning, actions }}
        origin={service.origin}
        isSignedIn={props.account !== null}
      />
      <StepStrip run={run} onOpen={playground.openStep} />
      <PaneSwitch pane={pane} onChange={(next) => dispatch({ type: "pane-opened", pane: next })} />
      <PaneGrid
        pane={pane}
        request={{
          content: (
            <RequestColumn
              playground={playground}
              presets={presets}
              hasLab={props.lab !== undefined}
              hasTest={service.environment === "sandbox"}
            />
          ),
        }}
        timeline={{
          aside: run && (
            <>
              Total <span className="ms-1 font-mono text-ink text-mono">{totalOf(run)} ms</span>
            </>
          ),
          content: <TimelineColumn playground={playground} />,
        }}
        inspector={{
          aside: run && `Step ${stepNumber(shown)}, ${STEPS[stepNumber(shown) - 1]?.title}`,
          content: (
            <InspectorPane
              run={run}
              opened={shown}
              view={view}
              onView={(next) => dispatch({ type: "view-opened", view: next })}
              before={playground.before}
              service={service}
              action={run && !isRunning && <RunAction playground={playground} id={opened} />}
            />
          ),
        }}
        below={
          (isCompared || faultLab.isUsed) && (
            <>
              {isCompared && (
                <ComparedRuns.Part
                  before={namedRun(compared)}
                  after={{ name: "Open run", run }}
                  onClose={() => dispatch({ type: "run-compared", kept: null })}
                />
              )}
              {faultLab.isUsed && <FaultResults.Part lab={faultLab} />}
            </>
          )
        }
      />
      {pane !== "request" && (
        <RunBar
          {...{ cost, isRunning, blocked, isFault }}
          onRun={playground.runChosen}
          onStop={runner.stop}
        />
      )}
      {confirmation.isOpen && (
        <PayingDialog text={payingText(run, cost)} onAnswer={confirmation.answer} />
      )}
    </div>
  );
}

type PayingDialogProps = { text: string; onAnswer: (isSure: boolean) => void };

/** Asks for confirmation before a live run pays. */
function PayingDialog({ text, onAnswer }: PayingDialogProps) {
  return (
    <ConfirmDialog
      onClose={() => onAnswer(false)}
      title="Pay for this call?"
      description={text}
      safe="Stop run"
      verb="Retry with payment"
      look="primary"
      onConfirm={() => onAnswer(true)}
    />
  );
}

type RunBarProps = {
  cost: string;
  isRunning: boolean;
  /** Why no run may start. */
  blocked?: string;
  /** Whether it runs the chosen fault instead of the request. */
  isFault: boolean;
  onRun: () => void;
  onStop: () => void;
};

/** Runs again from the other panes, where only one pane fits. */
function RunBar({ cost, isRunning, blocked, isFault, onRun, onStop }: RunBarProps) {
  return (
    <div className="sticky bottom-(--bottom-bar) z-5 flex items-center gap-3 border-line border-t bg-bg px-4 py-2 md:hidden">
      <p className="min-w-0 flex-1 text-note">{blocked ?? cost}</p>
      {/* Separate keys: a click on Stop must not land on the Run button that replaces it. */}
      {isRunning ? (
        <Button key="stop" size="big" onClick={onFirstClick(onStop)}>
          Stop
        </Button>
      ) : (
        <Button
          key="run"
          look="primary"
          size="big"
          aria-disabled={blocked !== undefined}
          onClick={onRun}
        >
          {isFault ? "Run fault again" : "Run all"}
        </Button>
      )}
    </div>
  );
}

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
function StepStrip({ run, onOpen }: StepStripProps) {
  return (
    <ol
      aria-label="Steps"
      data-sticks
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

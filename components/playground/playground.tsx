"use client";

import { STEPS, stepNumber } from "@/lib/playground/run.ts";
import { namedRun } from "./history/run-history.ts";
import { InspectorPane } from "./inspector/inspector-pane.tsx";
import { ComparedRuns, FaultResults } from "./later-parts.ts";
import { PaneGrid } from "./pane-grid.tsx";
import { PaneSwitch } from "./panes.tsx";
import { RequestColumn, RunAction, TimelineColumn } from "./playground-columns.tsx";
import { PlaygroundHeader } from "./playground-header.tsx";
import { PayingDialog } from "./request/paying-dialog.tsx";
import { arrivingStep, totalOf } from "./run/run-facts.ts";
import { RunBar } from "./timeline/run-bar.tsx";
import { StepStrip } from "./timeline/step-strip.tsx";
import { type PlaygroundProps, usePlayground } from "./use-playground.ts";

/** Runs the 402 exchange against any agent and shows every step of it. */
export function Playground(props: PlaygroundProps) {
  const playground = usePlayground(props);
  const { state, dispatch, runner, faultLab, confirmation, cost, blocked } = playground;
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
          {...{ cost, isRunning, blocked }}
          onRun={() => playground.start()}
          onStop={runner.stop}
        />
      )}
      {confirmation.isOpen && <PayingDialog cost={cost} onAnswer={confirmation.answer} />}
    </div>
  );
}

import { bannerOf } from "@/lib/playground/banner.ts";
import type { Rail } from "@/lib/playground/lab-places.ts";
import type { StepId } from "@/lib/playground/run.ts";
import { Button } from "../ui/button.tsx";
import { SegmentedControl } from "../ui/fields/segmented-control.tsx";
import { Icon } from "../ui/icon.tsx";
import { LiveButton } from "../ui/live-button.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { HistoryList } from "./history/history-list.tsx";
import { ComparedCors, FaultVerdict } from "./later-parts.ts";
import { withheldText } from "./request/login.ts";
import type { Preset } from "./request/preset.ts";
import { canContinue, draftOf } from "./request/request-draft.ts";
import { RequestPane } from "./request/request-pane.tsx";
import { actionOf, presetDraft } from "./run/run-facts.ts";
import type { FaultLab, FaultState, LabTarget } from "./run/use-fault-lab.ts";
import { OutcomeAction } from "./timeline/outcome-action.tsx";
import { TimelinePane } from "./timeline/timeline-pane.tsx";
import type { PlaygroundModel } from "./use-playground.ts";

type RequestColumnProps = {
  playground: PlaygroundModel;
  presets: Preset[];
  hasLab: boolean;
  hasTest: boolean;
};

/** The request, and the runs kept in this browser. */
export function RequestColumn({ playground, presets, hasLab, hasTest }: RequestColumnProps) {
  const { state, dispatch, runner, history, faultLab, cost, blocked, isFault } = playground;
  const { draft, errors, part, openId } = state;
  const { isRunning, waitsFor } = runner;
  return (
    <>
      <RequestPane
        {...{ draft, errors, presets, part, cost, isRunning, blocked, isFault }}
        withheld={withheldText(draft, state.logins)}
        hasTest={hasTest}
        signInHref={playground.signInHref}
        isWaiting={waitsFor !== null}
        onChange={(change) => dispatch({ type: "draft-changed", change })}
        onPreset={(preset) => dispatch({ type: "draft-changed", change: presetDraft(preset) })}
        onRun={playground.runChosen}
        onStep={playground.step}
        onStop={runner.stop}
        onPart={(next) => dispatch({ type: "part-opened", part: next })}
        faultsTab={hasLab && <FaultsTab lab={faultLab} isRunning={isRunning} />}
      />
      <HistoryList
        runs={history.runs}
        total={history.total}
        onMore={history.readMore}
        openId={openId}
        onOpen={playground.openKept}
        onChange={history.put}
        canRun={playground.canRun}
        onReplay={playground.replay}
        onCompare={(kept) => dispatch({ type: "run-compared", kept })}
        onClear={history.clear}
      />
    </>
  );
}

export function TimelineColumn({ playground }: { playground: PlaygroundModel }) {
  const { state, runner, faultLab, openStep } = playground;
  const { run, isRunning } = runner;
  const isEnded = run !== null && !isRunning;
  return (
    <>
      {faultLab.current && (
        <FaultVerdict.Part fault={faultLab.current} state={faultLab.stateOf(faultLab.current)} />
      )}
      <TimelinePane
        {...runner}
        opened={state.opened}
        view={state.view}
        onOpen={openStep}
        action={isEnded && <RunAction playground={playground} />}
      />
      {state.repeated && isEnded && <ComparedCors.Part run={state.repeated} />}
    </>
  );
}

/** The button for the outcome of a step, or of the whole run. */
export function RunAction({ playground, id }: { playground: PlaygroundModel; id?: StepId }) {
  const { runner, start, dispatch, signInHref } = playground;
  const { run } = runner;
  if (!run) return null;
  return (
    <OutcomeAction
      action={actionOf(run, id)}
      run={run}
      isPrimary={id === undefined && bannerOf(run).money === "delivered-unsettled"}
      onRun={(change) => start({ change })}
      onContinue={
        canContinue(run) ? () => start({ change: draftOf(run.input), resumes: run }) : null
      }
      signInHref={signInHref}
      onAddAuth={() => dispatch({ type: "part-opened", part: "auth" })}
    />
  );
}

const TARGETS = [
  { value: "crypto", label: "Crypto" },
  { value: "card", label: "Card" },
  { value: "exact", label: "Exact" },
  { value: "own", label: "Endpoint" },
];

const LAB =
  "Each fault runs for real against the failure lab’s agent and plans. Your test customer pays, and its permissions end with each run.";
const ABOUT: Record<LabTarget, string> = {
  crypto: LAB,
  card: LAB,
  exact:
    "Each fault runs for real against the failure lab’s seller. Your test customer pays by exact, and what left its account is read from the chain.",
  own: "Your test customer orders, calls, is refused and tops up at the endpoint above, with test money. Its permissions end with each run.",
};

const ONLY: Record<Rail, string> = { crypto: "on-chain only", card: "card only" };

type FaultsTabProps = { lab: FaultLab; isRunning: boolean };

function FaultsTab({ lab, isRunning }: FaultsTabProps) {
  const { target, faults, isReady } = lab;
  const isOff = isRunning || !isReady;
  return (
    <div className="grid gap-3">
      <p className="text-ink-2 text-note">{ABOUT[target]}</p>
      <div className="grid gap-1.5">
        <span className="text-label">Run against</span>
        <SegmentedControl
          label="Run against"
          options={TARGETS}
          value={target}
          isWide
          onValueChange={(next) => !isRunning && lab.setTarget(next as LabTarget)}
        />
      </div>
      {!isReady && (
        <p className="text-note">
          Enter the endpoint’s plan ID under Options, or open a rehearsal from the plan’s page.
        </p>
      )}
      <Button
        data-testid="pg-faults-run"
        aria-disabled={isOff}
        onClick={() => !isOff && void lab.runAll()}
      >
        {target === "own" ? "Rehearse as customer" : `Run all ${faults.length} faults`}
      </Button>
      <ul aria-label="Faults" className="-mx-4 max-h-105 overflow-y-auto border-line border-y">
        {faults.map((fault) => (
          <li key={fault.id} className="border-line not-first:border-t">
            <LiveButton
              aria-disabled={isOff}
              aria-pressed={lab.current?.id === fault.id}
              onClick={() => !isOff && void lab.runOne(fault)}
              className="grid w-full grid-cols-[minmax(0,1fr)_20px] gap-x-3 px-4 py-2 text-start hover:bg-sunken/60 focus-visible:-outline-offset-2 aria-pressed:bg-tint-accent"
            >
              <span className="text-label">
                {fault.label}
                {"only" in fault && fault.only && (
                  <span className="font-normal text-ink-2 text-small">, {ONLY[fault.only]}</span>
                )}
              </span>
              <Mark {...lab.stateOf(fault)} />
              <span className="text-ink-2 text-small">{fault.does}</span>
            </LiveButton>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Mark({ state }: FaultState) {
  if (state === "running") return <Spinner className="size-4 border-2 text-accent" />;
  if (state === "idle") return <span />;
  const isFine = state === "as-expected";
  return (
    <span className={isFine ? "text-settled" : "text-refused"}>
      <Icon name={isFine ? "check" : "cross"} className="size-4.5" />
      <span className="sr-only">{isFine ? "As expected" : "Unexpected"}</span>
    </span>
  );
}

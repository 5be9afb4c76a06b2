import { bannerOf } from "@/lib/playground/banner.ts";
import type { StepId } from "@/lib/playground/run.ts";
import { HistoryList } from "./history/history-list.tsx";
import { ComparedCors, FaultsTab, FaultVerdict } from "./later-parts.ts";
import { withheldText } from "./request/login.ts";
import type { Preset } from "./request/preset.ts";
import { canContinue, draftOf } from "./request/request-draft.ts";
import { RequestPane } from "./request/request-pane.tsx";
import { actionOf, presetDraft } from "./run/run-facts.ts";
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
        faultsTab={hasLab && <FaultsTab.Part lab={faultLab} isRunning={isRunning} />}
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

"use client";

import { useCallback, useMemo, useRef, useState } from "react";
import { bannerOf } from "@/lib/playground/banner.ts";
import type { Fault } from "@/lib/playground/faults.ts";
import { type Run, STEPS, type StepId } from "@/lib/playground/run.ts";
import { useShortcuts } from "../shell/use-shortcuts.ts";
import { HistoryList } from "./history/history-list.tsx";
import { namedRun, useRunHistory } from "./history/run-history.ts";
import type { ShareActions } from "./history/share-dialog.tsx";
import { ComparedCors } from "./inspector/compared-cors.tsx";
import { ComparedRuns } from "./inspector/compared-runs.tsx";
import { FaultResults, FaultVerdict } from "./inspector/fault-results.tsx";
import { FaultsTab } from "./inspector/faults-tab.tsx";
import { InspectorPane } from "./inspector/inspector-pane.tsx";
import type { InspectorView } from "./inspector/inspector-view.ts";
import { PaneGrid } from "./pane-grid.tsx";
import { type Pane, PaneSwitch } from "./panes.tsx";
import { PlaygroundHeader } from "./playground-header.tsx";
import { PayingDialog } from "./request/paying-dialog.tsx";
import type { Preset } from "./request/preset.ts";
import {
  type DraftFaults,
  draftOf,
  EMPTY_DRAFT,
  type RequestDraft,
  readDraft,
} from "./request/request-draft.ts";
import { RequestPane } from "./request/request-pane.tsx";
import {
  actionOf,
  decidingStep,
  EMPTY_RUN,
  heldBackBy,
  presetDraft,
  totalOf,
} from "./run/run-facts.ts";
import type { KeptRun } from "./run/run-store.ts";
import { createSessionService, type PlaygroundActions } from "./run/session-service.ts";
import { useAhead } from "./run/use-ahead.ts";
import { useCost } from "./run/use-cost.ts";
import { type LabProps, useFaultLab } from "./run/use-fault-lab.ts";
import { useRun } from "./run/use-run.ts";
import { useStepKey } from "./run/use-step-key.ts";
import { OutcomeAction } from "./timeline/outcome-action.tsx";
import { RunBar } from "./timeline/run-bar.tsx";
import { StepStrip } from "./timeline/step-strip.tsx";
import { TimelinePane } from "./timeline/timeline-pane.tsx";

export type PlaygroundProps = {
  account: string;
  service: { origin: string; environment: string };
  presets: Preset[];
  /** From the page's address: it fills the request and runs nothing. */
  filled: Partial<RequestDraft>;
  actions: PlaygroundActions & ShareActions;
  /** The failure lab; there is none outside the sandbox. */
  lab?: LabProps;
};

/** Drives the 402 exchange against any agent and shows every step of it. */
export function Playground({ account, service, presets, filled, actions, lab }: PlaygroundProps) {
  const [draft, setDraft] = useState<RequestDraft>(() => ({
    ...EMPTY_DRAFT,
    ...presetDraft(presets[0]),
    ...filled,
  }));
  const [faults, setFaults] = useState<DraftFaults>({});
  const [opened, setOpened] = useState<StepId>("ask");
  const [view, setView] = useState<InspectorView>("explain");
  /** The run that is shown beside the open one. */
  const [compared, setCompared] = useState<KeptRun | null>(null);
  const [openId, setOpenId] = useState<string | null>(null);
  const [pane, setPane] = useState<Pane>("request");
  const [part, setPart] = useState("body");
  const [askPay, setAskPay] = useState<((isSure: boolean) => void) | null>(null);
  useAhead();
  const history = useRunHistory();
  const state = useRun();
  const sessionService = useMemo(() => createSessionService(account, actions), [account, actions]);
  const { run, isRunning, waitsFor } = state;
  const latest = useRef(draft);
  latest.current = draft;

  const fillFrom = useCallback(({ input }: Run) => {
    setDraft((before) => ({ ...before, ...draftOf(input) }));
  }, []);
  const faultLab = useFaultLab({
    lab,
    service: sessionService,
    follow: state.follow,
    onStart: useCallback(() => {
      setCompared(null);
      setOpenId(null);
      setOpened("ask");
      setPane("timeline");
    }, []),
    onEnd: useCallback(
      (ended: Run, { label }: Fault) => {
        setOpenId(history.keep(ended, `Fault: ${label}`));
        setOpened(decidingStep(ended));
        fillFrom(ended);
      },
      [history.keep, fillFrom],
    ),
  });
  const { leave } = faultLab;

  const begin = useCallback(
    (isStepwise: boolean, change: Partial<RequestDraft> = {}) => {
      const asked = { ...latest.current, ...change };
      setDraft(asked);
      const read = readDraft(asked);
      setFaults("faults" in read ? read.faults : {});
      if ("faults" in read) return setPane("request");
      leave();
      setCompared(null);
      setOpenId(null);
      setOpened("ask");
      setPane("timeline");
      void state.start({
        input: read.input,
        from: asked.from,
        service: sessionService,
        isStepwise,
        ...(service.environment === "live" && {
          confirmPaying: () => new Promise<boolean>((done) => setAskPay(() => done)),
        }),
        onEnd: (ended) => {
          setOpenId(history.keep(ended));
          setOpened(decidingStep(ended));
        },
      });
    },
    [state.start, sessionService, service.environment, history.keep, leave],
  );
  const next = useCallback(() => {
    if (waitsFor) state.step();
    else if (!isRunning) begin(true);
  }, [waitsFor, isRunning, state.step, begin]);

  const heldBack = heldBackBy(run, isRunning);
  useShortcuts({ "mod+enter": () => !isRunning && !heldBack && begin(false) });
  useStepKey(next);

  const actionFor = (id: StepId | null, isPrimary = false) =>
    run &&
    !isRunning && (
      <OutcomeAction
        action={actionOf(run, id)}
        run={run}
        isPrimary={isPrimary}
        onRunAgain={() => begin(false)}
        onFromServer={() => begin(false, { from: "server" })}
        onUseUrl={(url) => begin(false, { url })}
        onMint={() => begin(false, { token: { kind: "mint" } })}
        onAddAuth={() => {
          setPart("auth");
          setPane("request");
        }}
      />
    );
  const openKept = (kept: KeptRun) => {
    leave();
    setCompared(null);
    state.show(kept.run);
    setOpenId(kept.id);
    setOpened(decidingStep(kept.run));
    setPane("timeline");
    fillFrom(kept.run);
  };
  const before =
    compared?.run ??
    history.runs?.find(({ id, run: other }) => id !== openId && other !== run)?.run ??
    null;
  const cost = useCost(draft, run, history.runs, presets);
  const openStep = (id: StepId, next: InspectorView = "explain") => {
    setOpened(id);
    setView(next);
    setPane("inspector");
  };
  const comparison = compared && run && !isRunning && (
    <ComparedRuns
      before={namedRun(compared)}
      after={{ name: "The open run", run }}
      onClose={() => setCompared(null)}
    />
  );
  const openedIndex = STEPS.findIndex(({ id }) => id === opened);

  return (
    // `data-wide`: the shell gives the page its whole width and height.
    <div data-wide className="-mx-(--gutter) -mt-6 max-sm:-mt-5 flex grow flex-col sm:-mb-16">
      <PlaygroundHeader run={run} isRunning={isRunning} origin={service.origin} actions={actions} />
      <StepStrip run={run} onOpen={openStep} />
      <PaneSwitch pane={pane} onChange={setPane} />
      <PaneGrid
        pane={pane}
        request={{
          content: (
            <>
              <RequestPane
                draft={draft}
                faults={faults}
                presets={presets}
                onChange={(change) => setDraft((known) => ({ ...known, ...change }))}
                onPreset={(preset) => setDraft((known) => ({ ...known, ...presetDraft(preset) }))}
                cost={cost}
                isRunning={isRunning}
                isWaiting={waitsFor !== null}
                heldBack={heldBack}
                onRun={() => begin(false)}
                onStep={next}
                onStop={state.stop}
                part={part}
                onPart={setPart}
                faultsTab={lab && <FaultsTab lab={faultLab} isRunning={isRunning} />}
              />
              <HistoryList
                runs={history.runs}
                total={history.total}
                onMore={history.readMore}
                openId={openId}
                onOpen={openKept}
                onChange={history.put}
                canRun={!isRunning && !heldBack}
                onReplay={(kept) => {
                  begin(false, draftOf(kept.run.input));
                  setCompared(kept);
                }}
                onCompare={(kept) => {
                  setCompared(kept);
                  setPane("timeline");
                }}
                onClear={history.clear}
              />
            </>
          ),
        }}
        timeline={{
          aside: run && (
            <>
              Total <span className="ms-1 font-mono text-ink text-mono">{totalOf(run)} ms</span>
            </>
          ),
          content: (
            <>
              {faultLab.current && (
                <FaultVerdict fault={faultLab.current} state={faultLab.stateOf(faultLab.current)} />
              )}
              <TimelinePane
                {...state}
                opened={opened}
                view={view}
                onOpen={openStep}
                action={actionFor(null, bannerOf(run ?? EMPTY_RUN).money === "delivered-unsettled")}
              />
              {draft.from === "both" && run && !isRunning && <ComparedCors run={run} />}
            </>
          ),
        }}
        inspector={{
          aside: run && `Step ${openedIndex + 1}, ${STEPS[openedIndex]?.title}`,
          content: (
            <InspectorPane
              run={run}
              opened={opened}
              view={view}
              onView={setView}
              before={before}
              service={service}
              action={actionFor(opened)}
            />
          ),
        }}
        below={
          (comparison || faultLab.isUsed) && (
            <>
              {comparison}
              {faultLab.isUsed && <FaultResults lab={faultLab} />}
            </>
          )
        }
      />
      {pane !== "request" && (
        <RunBar {...{ cost, isRunning, heldBack }} onRun={() => begin(false)} onStop={state.stop} />
      )}
      {askPay && (
        <PayingDialog
          cost={cost}
          onAnswer={(isSure) => {
            askPay(isSure);
            setAskPay(null);
          }}
        />
      )}
    </div>
  );
}

import {
  type Dispatch,
  useCallback,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from "react";
import type { Fault } from "@/lib/playground/exact-faults.ts";
import type { LabPlaces } from "@/lib/playground/lab-places.ts";
import type { RunPayer } from "@/lib/playground/ports.ts";
import type { Run, StepId } from "@/lib/playground/run.ts";
import type { OwnEndpoint } from "@/lib/playground/run-fault.ts";
import { showFaults } from "../forms/show-faults.ts";
import { carriedToken } from "../tokens/carried-token.ts";
import { whenIdle } from "../ui/later.ts";
import { fetchHistoryAhead } from "./history/history-list.tsx";
import { useRunHistory } from "./history/run-history.ts";
import type { ShareActions } from "./history/share-dialog.tsx";
import { fetchInspectorAhead } from "./inspector/inspector-pane.tsx";
import type { InspectorView } from "./inspector/inspector-view.ts";
import { fetchPartsAhead } from "./later-parts.ts";
import {
  changeDraft,
  type PlaygroundEvent,
  type PlaygroundState,
  reducePlayground,
  startState,
} from "./playground-state.ts";
import { openingDraft } from "./request/opening-draft.ts";
import type { Preset } from "./request/preset.ts";
import { draftOf, REQUEST_FORM, type RequestDraft, readDraft } from "./request/request-draft.ts";
import { useVisitorDraft } from "./request/use-visitor-draft.ts";
import { fetchEngine } from "./run/fetch-engine.ts";
import type { LabActions } from "./run/lab-service.ts";
import {
  blockedReason,
  blockedUntil,
  canStart,
  endpointBlockedUntil,
  paidAgain,
} from "./run/run-facts.ts";
import type { KeptRun } from "./run/run-store.ts";
import { createRunService, type RunActions, type RunService } from "./run/session-service.ts";
import { useChosen } from "./run/use-chosen.ts";
import { useCost } from "./run/use-cost.ts";
import { useFaultLab } from "./run/use-fault-lab.ts";
import { useRenderAt } from "./run/use-render-at.ts";
import { useRun } from "./run/use-run.ts";
import { useRunKeys } from "./run/use-run-keys.ts";

export type PlaygroundProps = {
  /** Who is signed in; null for a visitor, whose runs end at the offer. */
  account: string | null;
  /** The kept run that someone signed in for. */
  continues: string | null;
  service: { origin: string; environment: string };
  presets: Preset[];
  /** From the page's URL: fills in the request and runs nothing. */
  filled: Partial<RequestDraft>;
  actions: RunActions & LabActions & ShareActions;
  /** Opens the rehearsal of the filled endpoint. */
  isRehearsing: boolean;
  /** The failure lab; only in the sandbox. */
  lab?: LabPlaces;
};

/** The playground without its views: the state, the run, the history and what a user can do with them. */
export function usePlayground(props: PlaygroundProps) {
  const { account, presets, actions, lab, isRehearsing, continues } = props;
  const [state, dispatch] = useReducer(
    reducePlayground,
    { draft: firstDraft(props), isRehearsing },
    startState,
  );
  usePrefetch();
  const history = useRunHistory(account, continues);
  const runner = useRun();
  const confirmation = usePayConfirmation();
  const serviceFor = useCallback(
    (payer: RunPayer) => createRunService({ account, payer }, actions),
    [account, actions],
  );
  const { run, isRunning } = runner;

  const faultLab = useFaultLab({
    places: lab,
    own: useMemo(() => ownEndpoint(state.draft), [state.draft]),
    isRehearsing,
    actions,
    serviceFor,
    follow: runner.follow,
    onStart: useCallback(() => dispatch({ type: "run-started" }), []),
    onEnd: useCallback(
      (ended: Run, { label }: Fault) => {
        const keptId = history.keep(paidAgain(ended), `Fault: ${label}`);
        dispatch({ type: "fault-ended", run: ended, keptId });
      },
      [history.keep],
    ),
  });
  // One of the kept runs may have been left while it paid, in an earlier page.
  const paid = [run, ...state.unconfirmed, ...(history.runs ?? []).map((kept) => kept.run)];
  const untilFor = (url: string) => endpointBlockedUntil(url, paid);
  const canRun = (url: string) => canStart(untilFor(url), isRunning);
  const start = useStart({
    state,
    dispatch,
    serviceFor,
    run: runner.start,
    mayStart: canRun,
    keep: history.keep,
    leave: faultLab.leave,
    confirmPaying: props.service.environment === "live" ? confirmation.ask : undefined,
  });
  const fault = state.part === "faults" ? faultLab.chosen : null;
  const { runChosen, step } = useChosen({ fault, runFault: faultLab.runOne, runner, start });
  const openKept = (kept: KeptRun) => {
    faultLab.leave();
    runner.show(kept.run);
    dispatch({ type: "run-opened", kept });
  };
  useContinued({ props, draft: state.draft, runs: history.runs, dispatch, open: openKept });
  const earlier = earlierRun(history.runs, state.openId, run);

  const cost = useCost(state.draft, run, history.runs, presets);
  useRenderAt(paid.map(blockedUntil));
  const blocked = fault ? undefined : blockedReason(untilFor(state.draft.url), isRunning);
  useRunKeys({ onRun: runChosen, onStep: step });
  return {
    state,
    dispatch,
    runner,
    history,
    faultLab,
    confirmation,
    blocked,
    canRun,
    signInHref: account === null ? signInHref(state) : null,
    cost: fault ? faultCost(fault) : account === null ? FREE_OF_COST : cost,
    isFault: fault !== null,
    runChosen,
    /** The run the inspector compares the open one with. */
    before: (state.compared ?? earlier)?.run ?? null,
    start,
    step,
    openKept,
    replay: (kept: KeptRun) => start({ change: draftOf(kept.run.input), compared: kept }),
    openStep: (id: StepId, view: InspectorView = "explain") =>
      dispatch({ type: "step-opened", id, view }),
  };
}

/** The newest kept run but the open one, which is kept before it ends. */
const earlierRun = (runs: KeptRun[] | null, openId: string | null, open: Run | null) =>
  runs?.find(({ id, run }) => id !== openId && run.startedAt !== open?.startedAt);

const FREE_OF_COST = "Without an account, a run ends at the offer and costs nothing.";
const faultCost = ({ label }: Fault) => `Runs “${label}” again. Your test customer pays.`;

type Continued = {
  props: PlaygroundProps;
  draft: RequestDraft;
  runs: KeptRun[] | null;
  dispatch: Dispatch<PlaygroundEvent>;
  open: (kept: KeptRun) => void;
};

/** Opens the run that someone signed in for, once it has been read, and fills in what they had typed. */
function useContinued({ props, draft, runs, dispatch, open }: Continued): void {
  const { account, filled, continues } = props;
  const onRestore = (change: Partial<RequestDraft>) => dispatch({ type: "draft-changed", change });
  const restore = useVisitorDraft({ account, draft, filled, onRestore });
  const kept = runs?.find(({ id }) => id === continues);
  const isOpened = useRef(false);
  useEffect(() => {
    if (!kept || isOpened.current) return;
    isOpened.current = true;
    open(kept);
    restore();
  });
}

/** Signs in and comes back: to the open run, which is kept in this browser, or else to the request. */
function signInHref({ draft, openId }: PlaygroundState): string {
  const query = new URLSearchParams({
    ...(openId && { run: openId }),
    ...{ method: draft.method, url: draft.url },
  });
  return `/sign-in?next=${encodeURIComponent(`/playground?${query}`)}`;
}

/** What the page opens with, paid by the test customer or a token just minted. */
function firstDraft({ service, presets, filled }: PlaygroundProps): Partial<RequestDraft> {
  const minted = carriedToken(filled.planId);
  return {
    ...(service.environment === "sandbox" && { token: { kind: "test" } }),
    ...openingDraft({ presets, filled }),
    ...(minted && { token: { kind: "paste", token: minted, isMinted: true } }),
  };
}

/** The typed request with its plan, for a rehearsal. */
function ownEndpoint(draft: RequestDraft): OwnEndpoint | null {
  const read = readDraft({ ...draft, token: { kind: "none" } });
  return "errors" in read || !draft.planId ? null : { planId: draft.planId, request: read.input };
}

export type PlaygroundModel = ReturnType<typeof usePlayground>;

type Start = {
  isStepwise?: boolean;
  change?: Partial<RequestDraft>;
  compared?: KeptRun;
  resumes?: Run;
};

type StartOptions = {
  state: PlaygroundState;
  dispatch: Dispatch<PlaygroundEvent>;
  serviceFor: (payer: RunPayer) => RunService;
  run: ReturnType<typeof useRun>["start"];
  mayStart: (url: string) => boolean;
  keep: ReturnType<typeof useRunHistory>["keep"];
  leave: () => void;
  confirmPaying: (() => Promise<boolean>) | undefined;
};

/**
 * Starts a run of the typed request, or shows what is wrong with it. Does nothing while no run may start: Enter in a
 * field and the shortcuts arrive although the buttons are off.
 */
function useStart(options: StartOptions) {
  const latest = useRef(options);
  latest.current = options;
  return useCallback(({ isStepwise = false, change, compared, resumes }: Start = {}) => {
    const { dispatch, serviceFor, run, mayStart, keep, leave, confirmPaying } = latest.current;
    const { draft } = changeDraft(latest.current.state, change);
    if (!mayStart(draft.url)) return;
    const { from } = draft;
    const read = readDraft(draft);
    const changed = change && { change };
    if ("errors" in read) {
      return showFaults(document.getElementById(REQUEST_FORM), () =>
        dispatch({ type: "draft-rejected", ...changed, errors: read.errors }),
      );
    }
    leave();
    dispatch({ type: "run-started", ...changed, ...(compared && { compared }) });
    const keptId = crypto.randomUUID();
    void run({
      input: read.input,
      from,
      service: serviceFor(draft.token.kind === "test" ? "test" : "own"),
      isStepwise,
      ...(resumes && { resumes }),
      ...(confirmPaying && { confirmPaying }),
      onPaying: (paying) => keep(paying, null, keptId),
      onEnd: (ended) => {
        dispatch({ type: "run-ended", run: ended, keptId: keep(ended, null, keptId), from });
      },
    });
  }, []);
}

/** Asks the user before a live run pays. `ask` resolves with the answer of the dialog shown while `isOpen`. */
function usePayConfirmation() {
  const [resolve, setResolve] = useState<((isSure: boolean) => void) | null>(null);
  const ask = useCallback(() => new Promise<boolean>((done) => setResolve(() => done)), []);
  const answer = (isSure: boolean) => {
    resolve?.(isSure);
    setResolve(null);
  };
  return { isOpen: resolve !== null, ask, answer };
}

/** Prefetches the code of the first run while the page is idle. What fails here is fetched when it is needed. */
function usePrefetch(): void {
  useEffect(
    () =>
      whenIdle(() => {
        fetchEngine().catch(() => undefined);
        fetchInspectorAhead();
        fetchHistoryAhead();
        fetchPartsAhead();
      }),
    [],
  );
}

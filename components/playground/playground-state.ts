import type { Run, StepId } from "@/lib/playground/run.ts";
import type { InspectorView } from "./inspector/inspector-view.ts";
import type { Pane } from "./panes.tsx";
import { keepLogin, type Logins, originOf, withLogin } from "./request/login.ts";
import {
  type DraftErrors,
  draftOf,
  EMPTY_DRAFT,
  type RequestDraft,
  readDraft,
} from "./request/request-draft.ts";
import { blockedUntil, decidingStep } from "./run/run-facts.ts";
import type { KeptRun } from "./run/run-store.ts";

/** What the page shows: the request as typed, and what of which run is open. */
export type PlaygroundState = {
  draft: RequestDraft;
  /** The last origin in the URL: the one that the typed headers, login and token are for. */
  origin: string | null;
  logins: Logins;
  errors: DraftErrors;
  part: string;
  /** The pane in view where only one fits. */
  pane: Pane;
  opened: StepId;
  view: InspectorView;
  openId: string | null;
  compared: KeptRun | null;
  /** The ended run whose request this browser repeats, to compare what CORS hides: one sent from both places. */
  repeated: Run | null;
  /** Runs of this page whose payment is unknown: they block others of their endpoint, also once they are cleared. */
  unconfirmed: Run[];
};

export type PlaygroundEvent =
  | { type: "draft-changed"; change: Partial<RequestDraft> }
  | { type: "draft-rejected"; change?: Partial<RequestDraft>; errors: DraftErrors }
  | { type: "run-started"; change?: Partial<RequestDraft>; compared?: KeptRun }
  | { type: "run-ended"; run: Run; keptId: string; from: RequestDraft["from"] }
  | { type: "fault-ended"; run: Run; keptId: string }
  | { type: "run-opened"; kept: KeptRun }
  | { type: "run-compared"; kept: KeptRun | null }
  | { type: "step-opened"; id: StepId; view: InspectorView }
  | { type: "view-opened"; view: InspectorView }
  | { type: "pane-opened"; pane: Pane }
  | { type: "part-opened"; part: string };

export const startState = ({
  draft,
  isRehearsing = false,
}: {
  draft: Partial<RequestDraft>;
  isRehearsing?: boolean;
}): PlaygroundState => ({
  draft: { ...EMPTY_DRAFT, ...draft },
  origin: originOf(draft.url ?? ""),
  logins: {},
  errors: {},
  part: isRehearsing ? "faults" : "body",
  pane: "request",
  opened: "ask",
  view: "explain",
  openId: null,
  compared: null,
  repeated: null,
  unconfirmed: [],
});

export function reducePlayground(state: PlaygroundState, event: PlaygroundEvent): PlaygroundState {
  switch (event.type) {
    case "draft-changed": {
      const next = changeDraft(state, event.change);
      return { ...next, errors: stillWrong(state.errors, next.draft) };
    }
    case "draft-rejected": {
      const { change, errors } = event;
      const part = partOf(errors) ?? state.part;
      return { ...changeDraft(state, change), errors, part, pane: "request" };
    }
    case "run-started": {
      const { change, compared = null } = event;
      return { ...changeDraft(state, change), ...NEW_RUN, compared };
    }
    case "run-ended": {
      const { run, keptId, from } = event;
      const isRepeated = from === "both" && !run.steps.some(({ outcome }) => outcome === "stopped");
      const repeated = isRepeated ? run : null;
      return { ...blockedBy(state, run), openId: keptId, opened: decidingStep(run), repeated };
    }
    case "fault-ended": {
      const shown = showRun(blockedBy(state, event.run), event.run);
      // The token of the test customer that paid is not kept; the customer pays again.
      return { ...shown, draft: { ...shown.draft, token: { kind: "test" } }, openId: event.keptId };
    }
    case "run-opened": {
      const { id, run } = event.kept;
      return { ...showRun(state, run), openId: id, compared: null, pane: "timeline" };
    }
    case "run-compared":
      return { ...state, compared: event.kept, pane: event.kept ? "timeline" : state.pane };
    case "step-opened":
      return { ...state, opened: event.id, view: event.view, pane: "inspector" };
    case "view-opened":
      return { ...state, view: event.view };
    case "pane-opened":
      return { ...state, pane: event.pane };
    case "part-opened":
      return { ...state, part: event.part, pane: "request" };
  }
}

/** A change by hand, by a preset or by a button that runs. What was typed for one host is not sent to another. */
export function changeDraft(
  state: PlaygroundState,
  change: Partial<RequestDraft> = {},
): PlaygroundState {
  const { draft, origin, logins } = state;
  const next = originOf(change.url ?? draft.url) ?? origin;
  if (origin === null || next === null || next === origin) {
    return { ...state, draft: { ...draft, ...change }, origin: next };
  }
  return {
    ...state,
    draft: { ...withLogin(draft, logins[next]), ...change },
    origin: next,
    logins: keepLogin(logins, origin, draft),
  };
}

/** A request as a whole, with its own headers, login and token. */
const showDraft = (state: PlaygroundState, draft: RequestDraft): PlaygroundState => ({
  ...state,
  draft,
  origin: originOf(draft.url) ?? state.origin,
});

/** The errors shown, as far as the request still has them. */
function stillWrong(shown: DraftErrors, draft: RequestDraft): DraftErrors {
  const read = readDraft(draft);
  if (!("errors" in read)) return {};
  return Object.fromEntries(Object.entries(read.errors).filter(([field]) => field in shown));
}

/** The section of the request with the first error; the URL is in none. */
function partOf({ headers, body, token, maxCredits, maxDollars }: DraftErrors): string | undefined {
  if (headers) return "headers";
  if (body) return "body";
  if (token) return "token";
  return maxCredits || maxDollars ? "options" : undefined;
}

const NEW_RUN = {
  errors: {},
  openId: null,
  opened: "ask",
  pane: "timeline",
  repeated: null,
} as const;

/** Opening another run does not end what a run blocks. */
const blockedBy = (state: PlaygroundState, run: Run): PlaygroundState => ({
  ...state,
  unconfirmed: blockedUntil(run) > 0 ? [...state.unconfirmed, run] : state.unconfirmed,
});

/** Opens a run's deciding step, with its request in the fields. */
const showRun = (state: PlaygroundState, run: Run): PlaygroundState => ({
  ...showDraft(state, { ...state.draft, ...draftOf(run.input) }),
  opened: decidingStep(run),
  repeated: null,
});

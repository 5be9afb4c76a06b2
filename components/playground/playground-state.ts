import type { Run, StepId } from "@/lib/playground/run.ts";
import type { InspectorView } from "./inspector/inspector-view.ts";
import type { Pane } from "./panes.tsx";
import {
  type DraftErrors,
  draftOf,
  EMPTY_DRAFT,
  type RequestDraft,
  readDraft,
} from "./request/request-draft.ts";
import { decidingStep } from "./run/run-facts.ts";
import type { KeptRun } from "./run/run-store.ts";

/** What the page shows: the request as typed, and what of which run is open. */
export type PlaygroundState = {
  draft: RequestDraft;
  errors: DraftErrors;
  /** The open tab of the request. */
  part: string;
  /** The pane in view where only one fits. */
  pane: Pane;
  /** The step in the inspector, and its tab. */
  opened: StepId;
  view: InspectorView;
  /** The open run's id in the history. */
  openId: string | null;
  /** The run that is compared with the open one. */
  compared: KeptRun | null;
};

export type PlaygroundEvent =
  | { type: "draft-changed"; change: Partial<RequestDraft> }
  | { type: "draft-rejected"; draft: RequestDraft; errors: DraftErrors }
  | { type: "run-started"; draft?: RequestDraft; compared?: KeptRun }
  | { type: "run-ended"; run: Run; keptId: string }
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
  errors: {},
  part: isRehearsing ? "faults" : "body",
  pane: "request",
  opened: "ask",
  view: "explain",
  openId: null,
  compared: null,
});

export function reducePlayground(state: PlaygroundState, event: PlaygroundEvent): PlaygroundState {
  switch (event.type) {
    case "draft-changed": {
      const draft = { ...state.draft, ...event.change };
      return { ...state, draft, errors: stillWrong(state.errors, draft) };
    }
    case "draft-rejected":
      return { ...state, draft: event.draft, errors: event.errors, pane: "request" };
    case "run-started": {
      const { draft = state.draft, compared = null } = event;
      return { ...state, ...NEW_RUN, draft, compared };
    }
    case "run-ended":
      return { ...state, openId: event.keptId, opened: decidingStep(event.run) };
    case "fault-ended":
      return { ...showRun(state, event.run), openId: event.keptId };
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

/** The errors shown, as far as the request still has them. */
function stillWrong(shown: DraftErrors, draft: RequestDraft): DraftErrors {
  const read = readDraft(draft);
  if (!("errors" in read)) return {};
  return Object.fromEntries(Object.entries(read.errors).filter(([field]) => field in shown));
}

const NEW_RUN = { errors: {}, openId: null, opened: "ask", pane: "timeline" } as const;

/** Opens a run's deciding step, with its request in the fields. */
const showRun = (state: PlaygroundState, run: Run): PlaygroundState => ({
  ...state,
  draft: { ...state.draft, ...draftOf(run.input) },
  opened: decidingStep(run),
});

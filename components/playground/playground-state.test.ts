import { describe, expect, test } from "vitest";
import { idleStep, type Run, STEPS } from "@/lib/playground/run.ts";
import { type PlaygroundEvent, reducePlayground, startState } from "./playground-state.ts";
import { EMPTY_DRAFT } from "./request/request-draft.ts";
import type { KeptRun } from "./run/run-store.ts";

const URL = "https://agent.example/ask";

const run: Run = {
  input: { method: "PUT", url: URL, headers: [], body: "{}", token: { kind: "mint" } },
  startedAt: "2026-01-02T10:00:05.000Z",
  steps: STEPS.map(({ id }) => ({
    ...idleStep(id),
    ...(id === "verify" && { outcome: "expired_token" as const }),
  })),
  money: "refused",
  agentRequestId: null,
  requirement: null,
  planId: null,
  planName: null,
  credits: null,
};
const kept: KeptRun = { id: "kept-1", name: null, isPinned: false, run };

/** The state after events, from a page opened on its demo agent. */
const stateAfter = (...events: PlaygroundEvent[]) =>
  events.reduce(reducePlayground, startState({ draft: { url: "https://demo.example/" } }));

describe("the playground's state", () => {
  test("starts with the preset's request and nothing open", () => {
    expect(stateAfter()).toMatchObject({
      draft: { ...EMPTY_DRAFT, url: "https://demo.example/" },
      openId: null,
      pane: "request",
    });
  });

  test("a rejected draft shows its errors beside the fields, and the next run clears them", () => {
    const draft = { ...EMPTY_DRAFT, url: "" };
    const rejected = { type: "draft-rejected", draft, errors: { url: "Enter a URL." } } as const;
    expect(stateAfter(rejected)).toMatchObject({
      errors: { url: "Enter a URL." },
      pane: "request",
    });
    const started = stateAfter(rejected, { type: "run-started", draft: { ...draft, url: URL } });
    expect(started).toMatchObject({ errors: {}, pane: "timeline", draft: { url: URL } });
  });

  test("an ended run opens at the step that decided it and keeps the typed request", () => {
    const state = stateAfter({ type: "run-ended", run, keptId: "kept-1" });
    expect(state).toMatchObject({ openId: "kept-1", opened: "verify" });
    expect(state.draft.url).toBe("https://demo.example/");
  });

  test.each<PlaygroundEvent>([
    { type: "run-opened", kept },
    { type: "fault-ended", run, keptId: "kept-1" },
  ])("$type fills in the request of the run", (event) => {
    expect(stateAfter(event)).toMatchObject({
      openId: "kept-1",
      opened: "verify",
      draft: { method: "PUT", url: URL },
    });
  });

  test("a comparison ends when another run is opened or started without one", () => {
    const compare: PlaygroundEvent = { type: "run-compared", kept };
    expect(stateAfter(compare).compared).toBe(kept);
    expect(stateAfter(compare, { type: "run-opened", kept }).compared).toBeNull();
    expect(stateAfter(compare, { type: "run-started" }).compared).toBeNull();
    expect(stateAfter({ type: "run-started", compared: kept }).compared).toBe(kept);
  });

  test("opening a step or a section of the request brings its pane into view", () => {
    expect(stateAfter({ type: "step-opened", id: "offer", view: "raw" })).toMatchObject({
      opened: "offer",
      view: "raw",
      pane: "inspector",
    });
    expect(stateAfter({ type: "part-opened", part: "auth" })).toMatchObject({ pane: "request" });
  });
});

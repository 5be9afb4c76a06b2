import { describe, expect, test } from "vitest";
import { idleStep, type Run, STEPS } from "@/lib/playground/run.ts";
import { type PlaygroundEvent, reducePlayground, startState } from "./playground-state.ts";
import { withheldText } from "./request/login.ts";
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
    const started = stateAfter(rejected, { type: "run-started", change: { url: URL } });
    expect(started).toMatchObject({ errors: {}, pane: "timeline", draft: { url: URL } });
  });

  test("an ended run opens at the step that decided it and keeps the typed request", () => {
    const state = stateAfter({ type: "run-ended", run, keptId: "kept-1", from: "server" });
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

  test("what a fault’s test customer paid, it pays again, and not the account", () => {
    const paid: Run = { ...run, input: { ...run.input, token: { kind: "paste", token: "" } } };
    const { draft } = stateAfter({ type: "fault-ended", run: paid, keptId: "kept-1" });
    expect(draft.token).toEqual({ kind: "test" });
  });

  test("a run that a pasted token paid asks for a token again, and not the account", () => {
    const token = { kind: "paste", token: "" } as const;
    const paid = { ...kept, run: { ...run, input: { ...run.input, token } } };
    expect(stateAfter({ type: "run-opened", kept: paid }).draft.token).toEqual(token);
  });

  test.each([
    ["token", "token"],
    ["headers", "headers"],
    ["body", "body"],
    ["maxDollars", "options"],
  ])("a rejected %s opens its section of the request", (field, part) => {
    const opened = { type: "part-opened", part: "auth" } as const;
    const rejected = { type: "draft-rejected", errors: { [field]: "Fix it." } } as const;
    expect(stateAfter(opened, rejected).part).toBe(part);
    expect(stateAfter(opened, { ...rejected, errors: { url: "Fix it." } }).part).toBe("auth");
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

  describe("the browser repeats the request without payment", () => {
    const ended = { type: "run-ended", run, keptId: "kept-1", from: "both" } as const;

    test("after a run that was sent from both places, until something else is shown", () => {
      expect(stateAfter(ended).repeated).toBe(run);
      expect(stateAfter(ended, { type: "run-opened", kept }).repeated).toBeNull();
      expect(stateAfter(ended, { type: "run-started" }).repeated).toBeNull();
      expect(stateAfter(ended, { type: "fault-ended", run, keptId: "kept-1" }).repeated).toBeNull();
    });

    test("not after another run, one that was stopped, or a later choice of both places", () => {
      const both = { type: "draft-changed", change: { from: "both" } } as const;
      expect(stateAfter({ ...ended, from: "server" }, both).repeated).toBeNull();
      expect(stateAfter(both, { type: "run-opened", kept }).repeated).toBeNull();
      const steps = run.steps.map((step) => ({ ...step, outcome: "stopped" as const }));
      expect(stateAfter({ ...ended, run: { ...run, steps } }).repeated).toBeNull();
    });
  });

  test("an unknown payment blocks the next run, whatever run is opened meanwhile", () => {
    const unknown: Run = { ...run, money: "unknown", agentRequestId: "request-1" };
    const state = stateAfter(
      { type: "run-ended", run: unknown, keptId: "kept-1", from: "server" },
      { type: "run-opened", kept },
    );
    expect(state.unconfirmed).toEqual([unknown]);
    const fault = stateAfter({ type: "fault-ended", run: unknown, keptId: "kept-1" });
    expect(fault.unconfirmed).toEqual([unknown]);
  });

  describe("what was typed for one host", () => {
    const secrets = {
      headers: "x-api-key: a-key",
      auth: { kind: "bearer" as const, user: "", secret: "a-secret" },
      token: { kind: "paste" as const, token: "a-token" },
    };
    const typed = { type: "draft-changed", change: secrets } as const;
    const goTo = (url: string): PlaygroundEvent => ({ type: "draft-changed", change: { url } });
    const none = { headers: "", auth: EMPTY_DRAFT.auth, token: { kind: "paste", token: "" } };

    test("stays while the URL keeps its origin, and while it is retyped", () => {
      const state = stateAfter(typed, goTo("https://demo.example/other"), goTo("https://"));
      expect(state.draft).toMatchObject(secrets);
      expect(withheldText(state.draft, state.logins)).toBe("");
    });

    test.each<[string, PlaygroundEvent[]]>([
      ["a preset or a pasted URL", [goTo(URL)]],
      ["a URL typed anew", [goTo(""), goTo("https:"), goTo(URL)]],
      ["another port", [goTo("https://demo.example:8443/")]],
      ["another scheme", [goTo("http://demo.example/")]],
      ["an address that the agent named", [{ type: "run-started", change: { url: URL } }]],
      [
        "such an address, rejected before it ran",
        [{ type: "draft-rejected", change: { url: URL }, errors: {} }],
      ],
    ])("is not sent to another: %s", (_, moves) => {
      const state = stateAfter(typed, ...moves);
      expect(state.draft).toMatchObject(none);
      expect(withheldText(state.draft, state.logins)).toMatch(/demo\.example are not sent/);
    });

    test("is not in the request of a run that is replayed at another host", () => {
      const change = { url: URL, headers: "x-of-the-run: 1", auth: EMPTY_DRAFT.auth };
      const state = stateAfter(typed, { type: "run-started", change, compared: kept });
      expect(state.draft).toMatchObject({ ...none, ...change });
      expect(reducePlayground(state, goTo("https://demo.example/")).draft).toMatchObject(secrets);
    });

    test("is back with its host, and not lost by a corrected typing error", () => {
      const there = { headers: "x-other: 1" };
      const state = stateAfter(typed, goTo(URL), { type: "draft-changed", change: there });
      expect(withheldText(state.draft, state.logins)).toBe("");
      const back = reducePlayground(state, goTo("https://demo.example/"));
      expect(back.draft).toMatchObject(secrets);
      expect(reducePlayground(back, goTo(URL)).draft).toMatchObject({ ...none, ...there });
    });

    test("a payer that no host learns stays chosen", () => {
      const token = { kind: "mint", delegationId: "d-1" } as const;
      const state = stateAfter({ type: "draft-changed", change: { ...secrets, token } }, goTo(URL));
      expect(state.draft).toMatchObject({ ...none, token });
    });

    test("is not sent to another after a kept run was opened", () => {
      const state = stateAfter({ type: "run-opened", kept }, typed, goTo("https://demo.example/"));
      expect(state.draft).toMatchObject(none);
    });
  });
});

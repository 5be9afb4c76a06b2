import { describe, expect, test } from "vitest";
import { bannerOf } from "./banner.ts";
import type { OutcomeCode } from "./outcomes.ts";
import { idleStep, type Run, STEPS, type StepId } from "./run.ts";

/** A run whose steps ended as given; the others did not run. */
const runOf = (outcomes: Partial<Record<StepId, OutcomeCode>>, money: Run["money"]): Run => ({
  input: {
    method: "GET",
    url: "https://agent.example/ask",
    headers: [],
    body: null,
    token: { kind: "mint" },
  },
  startedAt: "2026-11-20T10:00:00.000Z",
  steps: STEPS.map(({ id }) => ({ ...idleStep(id), outcome: outcomes[id] ?? "not-asked" })),
  money,
  agentRequestId: null,
  requirement: null,
  planId: null,
  planName: null,
  credits: null,
});

describe("the run's sentence", () => {
  test("comes from the last step that ran, with its values", () => {
    const run = runOf({ ask: "challenged", settle: "settled" }, "settled");
    const steps = run.steps.map((step) => ({
      ...step,
      values: { credits: "1 credit", after: "9" },
    }));
    expect(bannerOf({ ...run, steps })).toEqual({
      money: "settled",
      sentence: "1 credit used, 9 left. The receipt matches the balance.",
      badge: null,
      action: "open-receipt",
    });
  });

  test("uses the summary where the verdict is only about the step", () => {
    const run = runOf({ ask: "challenged", pay: "agent-failed" }, "not-charged");
    expect(bannerOf(run)).toMatchObject({
      money: "not-charged",
      sentence: "The agent failed before payment. No settlement was made.",
    });
  });

  test.each([
    ["unreachable", "Unreachable"],
    ["name-unknown", "Host not found"],
    ["tls-invalid", "TLS error"],
    ["redirected", "Redirect"],
    ["too-slow", "Timed out"],
  ] as const)("names what happened in place of a payment: %s", (outcome, word) => {
    expect(bannerOf(runOf({ ask: outcome }, null)).badge).toEqual({ word, status: "error" });
  });

  test("is empty before anything has run", () => {
    expect(bannerOf(runOf({}, null))).toEqual({
      money: null,
      sentence: "",
      badge: null,
      action: undefined,
    });
  });
});

import { describe, expect, test } from "vitest";
import { idleStep, type Run, STEPS, type StepResult } from "@/lib/playground/run.ts";
import { openingOf } from "../inspector/inspector-view.ts";
import { figuresOf } from "./run-figures.ts";

const TX = `0x${"ab".repeat(32)}`;
const exchange = (status: number, headers: [string, string][] = []): StepResult["exchange"] => ({
  request: { method: "POST", url: "https://agent.example/ask", headers: [], body: null },
  answer: { status, headers, body: "", bytes: 3_174, cut: null },
  failure: null,
  startedAt: "2026-01-02T10:00:00.000Z",
  durationMs: 1,
});

const base: Run = {
  input: {
    method: "POST",
    url: "https://agent.example/ask",
    headers: [],
    body: null,
    token: { kind: "mint" },
  },
  startedAt: "2026-01-02T10:00:00.000Z",
  steps: STEPS.map(({ id }) => idleStep(id)),
  money: null,
  agentRequestId: null,
  requirement: null,
  planId: null,
  planName: null,
  credits: null,
};

const withSteps = (run: Run, changes: Partial<Record<StepResult["id"], Partial<StepResult>>>) => ({
  ...run,
  steps: run.steps.map((step) => ({ ...step, ...changes[step.id] })),
});

const receipt = btoa(JSON.stringify({ success: true }));
const settled = withSteps(
  {
    ...base,
    money: "settled",
    planName: "Starter",
    agentRequestId: "req_1",
    credits: { before: "1097", after: "1096" },
  },
  {
    ask: { status: "ok", outcome: "challenged", exchange: exchange(402) },
    offer: { status: "ok", outcome: "offer-valid" },
    permission: { status: "ok", outcome: "ready" },
    verify: { status: "ok", outcome: "verify-valid" },
    pay: {
      status: "ok",
      outcome: "answered",
      exchange: exchange(200, [["payment-response", receipt]]),
    },
    settle: {
      status: "ok",
      outcome: "settled",
      values: { price: "10000000", granted: "100", used: "1", currency: "USDC" },
      facts: [{ name: "transaction", value: TX, holds: null, note: "" }],
    },
  },
);

const settleWith = (change: Partial<StepResult>) =>
  figuresOf(withSteps(settled, { settle: { ...settled.steps[5], ...change } }));
const worth = (values: Record<string, string>) =>
  settleWith({ values }).find(({ term }) => term === "Cost")?.value;

describe("a run in figures", () => {
  test("shows the credits, their cost and the response", () => {
    expect(figuresOf(settled)).toEqual([
      { term: "Credits", value: "1,097 → 1,096" },
      { term: "Cost", value: "0.10 USDC" },
      { term: "Response", value: "200, 3.1 kB" },
      { term: "Transaction", value: TX, isId: true },
      { term: "Plan", value: "Starter" },
      { term: "Request", value: "req_1", isId: true },
    ]);
  });

  test("shows a rounded cost as such, and none where it is unknown", () => {
    const third = { price: "1000000", granted: "3", used: "1" };
    expect(worth({ ...third, currency: "usd" })).toBe("about 0.333333 USD");
    expect(worth(third)).toBeUndefined();
    expect(worth({ ...third, granted: "0", currency: "usd" })).toBeUndefined();
    expect(worth({ ...third, price: "[number-removed]", currency: "usd" })).toBeUndefined();
  });

  test("shows only what is known", () => {
    expect(figuresOf(base)).toEqual([]);
    expect(settleWith({ facts: [] }).map(({ term }) => term)).not.toContain("Transaction");
    const free = withSteps(base, { ask: { outcome: "not-gated", exchange: exchange(200) } });
    expect(figuresOf(free)).toEqual([{ term: "Response", value: "200, 3.1 kB" }]);
    const challenged = withSteps(base, { ask: { outcome: "challenged", exchange: exchange(402) } });
    expect(figuresOf(challenged)).toEqual([]);
    expect(figuresOf({ ...base, credits: { before: "", after: "96" } })).toEqual([
      { term: "Credits", value: "96 left" },
    ]);
  });
});

describe("the tab a step opens in", () => {
  test("is the headers or the decoded header; steps without an exchange have none", () => {
    expect(STEPS.map(({ id }) => openingOf(settled, id))).toEqual([
      "headers",
      "headers",
      null,
      null,
      "headers",
      "decoded",
    ]);
  });

  test("is the raw view without a response, and none for a step that did not run", () => {
    const sent = exchange(200);
    const lost = sent && { ...sent, answer: null };
    const paid = { status: "error", outcome: "lost-answer", exchange: lost } as const;
    expect(openingOf(withSteps(settled, { pay: paid }), "pay")).toBe("raw");
    const skipped = { status: "skipped", outcome: "not-asked" } as const;
    expect(openingOf(withSteps(settled, { settle: skipped }), "settle")).toBe(null);
    expect(openingOf(base, "ask")).toBe(null);
  });
});

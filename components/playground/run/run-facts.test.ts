import { expect, test, vi } from "vitest";
import { idleStep, type Run, STEPS } from "@/lib/playground/run.ts";
import {
  blockedReason,
  blockedUntil,
  canStart,
  endpointBlockedUntil,
  isPaying,
  onFirstClick,
  paidAgain,
  payingText,
} from "./run-facts.ts";

const START = Date.parse("2026-01-02T10:00:05.000Z");

const run: Run = {
  input: {
    method: "PUT",
    url: "https://agent.example/ask",
    headers: [],
    body: "{}",
    token: { kind: "mint" },
  },
  startedAt: new Date(START).toISOString(),
  steps: STEPS.map(({ id }) => idleStep(id)),
  money: "unknown",
  agentRequestId: "request-1",
  requirement: null,
  planId: null,
  planName: null,
  credits: null,
};

const until = (more: Partial<Run> = {}) => blockedUntil({ ...run, ...more });

test("no run starts while one is under way", () => {
  expect(canStart(0, false, START)).toBe(true);
  expect(canStart(0, true, START)).toBe(false);
  expect(canStart(until({ money: null }), true, START)).toBe(false);
});

test("the second click of a double click on Run does not stop the run", () => {
  const stop = vi.fn();
  onFirstClick(stop)({ detail: 2 });
  expect(stop).not.toHaveBeenCalled();
  // By mouse, and by keyboard.
  for (const detail of [1, 0]) onFirstClick(stop)({ detail });
  expect(stop).toHaveBeenCalledTimes(2);
});

test("a run pays from its paying request until its end, unless a test customer pays", () => {
  const at = (status: "idle" | "running" | "ok" | "skipped", token: Run["input"]["token"]) => ({
    ...run,
    input: { ...run.input, token },
    steps: run.steps.map((step) => (step.id === "pay" ? { ...step, status } : step)),
  });
  expect(isPaying(null, true)).toBe(false);
  expect(isPaying(at("idle", { kind: "mint" }), true)).toBe(false);
  expect(isPaying(at("running", { kind: "mint" }), true)).toBe(true);
  expect(isPaying(at("running", { kind: "paste", token: "" }), true)).toBe(true);
  expect(isPaying(at("ok", { kind: "mint" }), true)).toBe(true);
  expect(isPaying(at("ok", { kind: "mint" }), false)).toBe(false);
  expect(isPaying(at("skipped", { kind: "mint" }), true)).toBe(false);
  expect(isPaying(at("running", { kind: "test" }), true)).toBe(false);
});

test("an unknown payment blocks the next run for two minutes", () => {
  expect(canStart(until(), false, START + 119_999)).toBe(false);
  expect(blockedReason(until(), false, START + 119_999)).toContain("after 10:02:05 UTC.");
  expect(until()).toBe(START + 120_000);
  expect(canStart(until(), false, START + 120_000)).toBe(true);
  expect(blockedReason(until(), false, START + 120_000)).toBeUndefined();
});

test("an unknown payment blocks its own endpoint alone, whatever the query", () => {
  const at = (url: string) => endpointBlockedUntil(url, [null, run]);
  const ways = ["/ask", "/ask/", "//ask", "/%61sk", "/ask?q=2"];
  for (const way of ways) expect(at(` https://agent.example${way} `)).toBe(START + 120_000);
  for (const url of ["https://agent.example/other", "https://other.example/ask", "no URL", ""]) {
    expect(at(url)).toBe(0);
  }
});

test("a run that was left while it paid blocks the next one, though its id came with no answer", () => {
  const steps = run.steps.map((step) =>
    step.id === "pay" ? ({ ...step, status: "error", outcome: "lost-answer" } as const) : step,
  );
  const left = { agentRequestId: null, steps };
  expect(until(left)).toBe(START + 120_000);
  expect(until({ ...left, input: { ...run.input, token: { kind: "test" } } })).toBe(0);
});

test("the two minutes begin when the request that pays has ended", () => {
  const exchange = {
    request: { ...run.input, headers: [] },
    answer: null,
    failure: null,
    // Stepped through, and answered at the end of the longest time limit.
    startedAt: new Date(START + 400_000).toISOString(),
    durationMs: 300_000,
  };
  const steps = run.steps.map((step) => (step.id === "pay" ? { ...step, exchange } : step));
  expect(until({ steps })).toBe(START + 820_000);
});

test("a run that paid, or never asked to, blocks nothing", () => {
  for (const money of ["settled", "refused", "challenged", null] as const) {
    expect(canStart(until({ money }), false, START)).toBe(true);
  }
  expect(canStart(until({ agentRequestId: null }), false, START)).toBe(true);
  expect(canStart(blockedUntil(null), false, START)).toBe(true);
});

test("the confirmation in live says what pays: credits, the account or a wallet", () => {
  const signed = (kind: "mint" | "wallet"): Run => ({
    ...run,
    input: { ...run.input, token: { kind } },
    steps: run.steps.map((step) =>
      step.id === "permission"
        ? { ...step, outcome: "signed", values: { price: "0.01 USDC" } }
        : step,
    ),
  });
  expect(payingText(run, "At most 1 credit.")).toBe(
    "This is live mode: the run sends a token and uses real credits. At most 1 credit.",
  );
  expect(payingText(signed("mint"), "")).toBe(
    "This is live mode: the run pays 0.01 USDC from your account.",
  );
  expect(payingText(signed("wallet"), "")).toContain("from your wallet");
});

test("a fault's run is repeated with its customer's token, and without one if it sent none", () => {
  const replayed = (token: Run["input"]["token"]) =>
    paidAgain({ ...run, input: { ...run.input, token } }).input.token;
  expect(replayed({ kind: "paste", token: "a" })).toEqual({ kind: "test" });
  expect(replayed({ kind: "none" })).toEqual({ kind: "none" });
});

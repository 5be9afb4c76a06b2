import { expect, test } from "vitest";
import { idleStep, type Run, STEPS } from "@/lib/playground/run.ts";
import { blockedReason, blockedUntil, canStart } from "./run-facts.ts";

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

test("no run starts while one is under way", () => {
  expect(canStart(null, false, START)).toBe(true);
  expect(canStart(null, true, START)).toBe(false);
  expect(canStart({ ...run, money: null }, true, START)).toBe(false);
});

test("an unknown payment blocks the next run for two minutes", () => {
  expect(canStart(run, false, START + 119_999)).toBe(false);
  expect(blockedReason(run, false, START + 119_999)).toContain("once this payment is confirmed");
  expect(blockedUntil(run)).toBe(START + 120_000);
  expect(canStart(run, false, START + 120_000)).toBe(true);
  expect(blockedReason(run, false, START + 120_000)).toBeUndefined();
});

test("a run that paid, or never asked to, blocks nothing", () => {
  for (const money of ["settled", "refused", "challenged", null] as const) {
    expect(canStart({ ...run, money }, false, START)).toBe(true);
  }
  expect(canStart({ ...run, agentRequestId: null }, false, START)).toBe(true);
});

import { describe, expect, test } from "vitest";
import { compareRuns } from "./compare-runs.ts";
import { idleStep, type Run, STEPS } from "./run.ts";

const run = (change: Partial<Run> = {}): Run => ({
  input: {
    method: "POST",
    url: "https://a.example/ask",
    headers: [],
    body: "{}",
    token: { kind: "mint" },
  },
  startedAt: "2026-01-01T00:00:00.000Z",
  steps: STEPS.map(({ id }) => ({ ...idleStep(id), durationMs: 10 })),
  money: "settled",
  agentRequestId: "req_1",
  requirement: { x402Version: 2, resource: { url: "https://a.example/ask" }, accepts: [] },
  planId: "1",
  planName: "Starter",
  credits: { before: "10", after: "9" },
  ...change,
});
const find = (lines: { name: string }[], name: string) => lines.find((line) => line.name === name);

describe("two runs side by side", () => {
  test("are equal when compared with themselves", () => {
    const { lines, latency, envelopes } = compareRuns(run(), run());
    expect(lines.filter(({ isSame }) => !isSame)).toEqual([]);
    expect(find(latency, "Total")).toMatchObject({ before: "60 ms", change: "+0 ms" });
    expect(envelopes.before).toBe(envelopes.after);
  });

  test("differ in reason, credits, time and envelope", () => {
    const steps = run().steps.map((step) =>
      step.id === "verify"
        ? { ...step, outcome: "expired_token" as const, reason: "expired_token", durationMs: 25 }
        : step,
    );
    const later = run({ steps, money: "refused", credits: null, requirement: null });
    const { lines, latency, envelopes } = compareRuns(run(), later);
    expect(find(lines, "Reason")).toMatchObject({ before: "none", after: "expired_token" });
    expect(find(lines, "Outcome")).toMatchObject({ after: "step 4, expired_token" });
    expect(find(lines, "Credits used")).toMatchObject({ before: "1", after: "0", isSame: false });
    expect(find(latency, "Verify (dry run)")).toMatchObject({ change: "+15 ms" });
    expect(envelopes.after).toBe("");
  });

  test("show unknown credits as unknown", () => {
    const { lines } = compareRuns(
      run({ credits: { before: "", after: "9" } }),
      run({ money: "unknown" }),
    );
    expect(find(lines, "Credits used")).toMatchObject({ before: "unknown", after: "unknown" });
  });
});

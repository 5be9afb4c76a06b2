import { expect, test } from "vitest";
import type { CauseCount } from "@/lib/console/figures.ts";
import { changeText, fixPrompt } from "./fix-prompt.ts";

const count: CauseCount = {
  cause: "timeout",
  moneyStatus: "not-charged",
  whoActs: "builder",
  calls: 3,
  previous: 2,
  payers: 1,
  routes: 2,
  route: "POST /v1/ask",
  lastAt: "2026-11-21T14:00:00.000Z",
  agentRequestId: "request-number-2",
};

test("the prompt names route, reason, count and a request id", () => {
  const prompt = fixPrompt(count);
  for (const part of [
    "POST /v1/ask and 1 more",
    "timeout (The agent timed out)",
    "Count: 3",
    "request-number-2",
  ])
    expect(prompt).toContain(part);
});

test("a cause of a gate's own is shown as it is", () => {
  expect(fixPrompt({ ...count, cause: "teapot" })).toContain("Reason code: teapot (teapot)");
});

test("a change is told against the period before", () => {
  const change = (calls: number, previous: number) => changeText({ calls, previous });
  expect([change(4, 0), change(4, 4), change(5, 4), change(3, 4), change(12, 4)]).toEqual([
    "New",
    "As before",
    "+25%",
    "−25%",
    "× 3.0",
  ]);
});

import { expect, test } from "vitest";
import { ANSWER_CHECKS } from "./answer-checks.ts";
import type { Recording } from "./check.ts";

test("an endpoint that fails before it requires payment is sent to its log", () => {
  const outcome = { kind: "answered", status: 500, headers: [], text: "", ms: 1 };
  const ask = { method: "POST", url: "https://agent.example/ask", outcome };
  const check = ANSWER_CHECKS.find(({ id }) => id === "D02");
  const verdict = check?.run({ verb: "POST", ask } as unknown as Recording);
  expect(verdict).toMatchObject({ state: "fail", fix: expect.stringContaining("agent's log") });
});

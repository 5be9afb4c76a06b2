import { expect, test } from "vitest";
import { outcomeOf, stateOf } from "./webhook-text.ts";

const answered = (status: number) => ({ at: "2026-01-01T00:00:00Z", ms: 5, status, headers: {} });

test("a delivery that waits for its first try has not failed", () => {
  const fresh = { status: "waiting" as const, attempts: 0, tries: [] };
  expect(stateOf(fresh).word).toBe("Waiting");
  expect(outcomeOf(fresh)).toBe("Not sent yet.");
});

test("a replay of a delivery that was answered waits, and is not retried", () => {
  const replayed = { status: "waiting" as const, attempts: 0, tries: [answered(200)] };
  expect(stateOf(replayed).word).toBe("Waiting");
  expect(outcomeOf(replayed)).toBe("Not sent again yet.");
});

test("a delivery whose try failed is retried, and says what the server answered", () => {
  const failing = { status: "waiting" as const, attempts: 1, tries: [answered(500)] };
  expect(stateOf(failing).word).toBe("Retrying");
  expect(outcomeOf(failing)).toBe("Your server answered 500.");
  expect(outcomeOf({ ...failing, status: "failed" })).toBe(
    "Your server answered 500. No more tries.",
  );
});

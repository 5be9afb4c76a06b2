import { expect, test } from "vitest";
import { errorText } from "../forms/action-answer.ts";
import { endpointChange, outcomeOf, rotationAnswer, stateOf } from "./webhook-text.ts";

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
    "Your server answered 500. No more attempts.",
  );
});

test("a rotation with five valid secrets is refused with what the page can do about it", () => {
  const refused = {
    ok: false as const,
    code: "conflict" as const,
    message: "Five signing secrets are valid already.",
    hint: "Rotate again after 2026-01-01T00:00:00.000Z, or with overlapSecs 0.",
    details: [{ path: "overlapSecs", message: "too_many_secrets" }],
    requestId: "r",
  };
  const shown = errorText(rotationAnswer(refused) as typeof refused);
  expect(shown).toContain("Five signing secrets are valid already.");
  expect(shown).toContain("Rotate and stop earlier secrets");
  expect(shown).not.toMatch(/overlapSecs|\dT\d/);
  const other = { ...refused, details: [] };
  expect(rotationAnswer(other)).toBe(other);
});

test("an endpoint's form sends what was changed", () => {
  const opened = { url: "https://a.example/hook", events: "order.* key.created" };
  const typed = { url: " https://a.example/hook ", events: "order.*, key.created" };
  expect(endpointChange(opened, typed)).toEqual({});
  expect(endpointChange(opened, { ...typed, events: "*" })).toEqual({ events: ["*"] });
  expect(endpointChange(opened, { ...typed, url: "https://b.example" })).toEqual({
    url: "https://b.example",
  });
});

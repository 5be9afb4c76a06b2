import { expect, test } from "vitest";
import { type ActionError, failingOf } from "./action-answer.ts";
import { failureWords } from "./failure-words.ts";

const title = "The rule was not changed.";
const lost = failingOf(null);
const error = (code: ActionError["code"]) =>
  failingOf({ ok: false, code, message: "Busy.", hint: "Wait.", details: [], requestId: "r" });

test("a lost answer is never told as an operation that did nothing", () => {
  expect(failureWords({ title, of: lost })).toEqual({
    tone: "unknown",
    title: "We don’t know yet whether this went through.",
    text: "The connection was lost before the service answered.",
    advice: "Reload the page to see whether it did.",
  });
});

test("nor is one that the service can’t tell, which keeps its own words", () => {
  const { text, ...words } = failureWords({ title, of: error("internal") });
  expect(words).toMatchObject({
    tone: "unknown",
    advice: "Reload the page to see whether it did.",
  });
  expect(text).toBe("Busy. Wait.");
});

test("an operation may have better advice", () => {
  expect(failureWords({ title, unknown: "Save it again.", of: lost }).advice).toBe(
    "Save it again.",
  );
});

test.each([
  ["a refusal", { title, of: error("forbidden") }],
  ["a read that was lost", { title, unknown: null, of: lost }],
])("%s says what did not happen", (_, input) => {
  expect(failureWords(input)).toMatchObject({ tone: "refused", title, text: input.of.failure });
});

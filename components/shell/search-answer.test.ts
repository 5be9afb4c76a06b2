import { expect, test } from "vitest";
import { searchAnswer } from "./search-answer.ts";

const plan = { kind: "plan", id: "1", name: "Starter", detail: "", isExact: true } as const;
const found = { q: "1", items: [plan] };

test("what was found is shown for the text it was found for", () => {
  expect(searchAnswer("1", found)).toMatchObject({ items: [plan], isReading: false });
});

test("another text finds nothing until its own search is answered", () => {
  expect(searchAnswer("2", found)).toEqual({ items: [], isReading: true });
  expect(searchAnswer("2", undefined)).toEqual({ items: [], isReading: true });
  expect(searchAnswer("", found)).toEqual({ items: [], isReading: false });
});

test("a failed search says so for its own text alone", () => {
  const failed = { q: "1", items: [], failure: "Not run." };
  expect(searchAnswer("1", failed).failure).toBe("Not run.");
  expect(searchAnswer("2", failed).failure).toBeUndefined();
});

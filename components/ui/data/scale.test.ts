import { expect, test } from "vitest";
import { scaleFor } from "./scale.ts";

test.each([
  [1_444, 1_500, 7],
  [1_652, 2_000, 5],
  [12, 12, 7],
  [13, 15, 7],
  [1, 1, 6],
  [0.3, 0.3, 7],
  [6, 6, 7],
])("a scale for %d ends at %d with %d marks", (value, end, marks) => {
  const scale = scaleFor(value);
  expect(scale.end).toBe(end);
  expect(scale.marks).toHaveLength(marks);
  expect(scale.marks.at(-1)).toBe(end);
});

test.each([
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [13, [0, 5, 10, 15]],
])("a scale for a count of %d has whole marks", (value, marks) => {
  expect(scaleFor(value, true).marks).toEqual(marks);
});

test("has a scale without measurements", () => {
  expect(scaleFor(0).end).toBe(1);
});

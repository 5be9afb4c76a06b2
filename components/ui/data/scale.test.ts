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

test("has a scale without measurements", () => {
  expect(scaleFor(0).end).toBe(1);
});

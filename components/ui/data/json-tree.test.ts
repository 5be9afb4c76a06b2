import { expect, test } from "vitest";
import { entriesOf, jsonPath, previewOf } from "./json-tree.tsx";

test("writes a path as code would", () => {
  expect(jsonPath(["accepts", "0", "extra", "agent-id", "x"])).toBe(
    'accepts[0].extra["agent-id"].x',
  );
  expect(jsonPath(["0", "planId"])).toBe("[0].planId");
});

test("summarises branches, and shows leaves and empty branches as JSON", () => {
  expect([[1, 2], { a: 1 }, {}, [], "a", null, true, 10n ** 30n].map(previewOf)).toEqual([
    "[2]",
    "{1}",
    "{}",
    "[]",
    '"a"',
    "null",
    "true",
    `1${"0".repeat(30)}`,
  ]);
});

test("leaves out undefined values, and empty branches have no children", () => {
  expect(entriesOf({ a: undefined, b: {}, c: [1] })).toEqual([
    { key: "b", value: {}, isBranch: false },
    { key: "c", value: [1], isBranch: true },
  ]);
  expect(entriesOf("text")).toEqual([]);
});

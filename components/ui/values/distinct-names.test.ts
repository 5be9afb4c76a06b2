import { expect, test } from "vitest";
import { distinctNames } from "./distinct-names.ts";

test("names that several share are told apart by their ids, all others stay as they are", () => {
  const first = "11111199999999999999999999992222";
  const second = "33333399999999999999999999994444";
  const named = [
    [first, "Reader"],
    [second, "Reader"],
    ["5", "Writer"],
    // The same object, listed twice.
    ["5", "Writer"],
  ] as const;
  expect(Object.fromEntries(distinctNames(named))).toEqual({
    [first]: "Reader (111111…2222)",
    [second]: "Reader (333333…4444)",
    "5": "Writer",
  });
});

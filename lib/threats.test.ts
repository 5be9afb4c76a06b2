import { expect, test } from "vitest";
import { findEvidence, idsOf, readThreats, withEvidence } from "./testing/threats.ts";

const numbered = (letter: string, count: number, digits: number) =>
  Array.from({ length: count }, (_, at) => `${letter}${String(at + 1).padStart(digits, "0")}`);
const IDS = [...numbered("R", 18, 1), ...numbered("T", 59, 2)];

test("docs/threats.md has every threat and every claim once", () => {
  expect(idsOf(readThreats()).ids.toSorted()).toEqual(IDS.toSorted());
});

test("each has a proof row or a test that names it, or says why it is not here; `npm run docs` writes it", () => {
  expect(withEvidence(readThreats())).toBe(readThreats());
  expect(idsOf(readThreats()).empty).toEqual([]);
});

test("no test and no row names an id that is not in the paper", () => {
  expect([...findEvidence().keys()].filter((id) => !IDS.includes(id))).toEqual([]);
});

test("an id that nothing names any more is found", () => {
  const text = "| T01 | a threat | `gone.test.ts` |\n| T02 | another | Not here: no reason. |";
  expect(idsOf(withEvidence(text, new Map())).empty).toEqual(["T01"]);
  const evidence = new Map([["T02", ["`a.test.ts`"]]]);
  expect(withEvidence(text, evidence)).toContain("| `a.test.ts`. Not here: no reason. |");
});

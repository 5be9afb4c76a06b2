import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PROOF } from "@/scripts/proof/rows.ts";

const PAGE = "docs/acceptance.md";
/** Features of a later release; 58, approvals, is row `approvals` of `docs/proof.md`. */
const LATER = [58];

type Line = { id: string; shown: string };

const linesOf = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (---|Id|Row|Seen) \|/.test(line))
    .map((line) => {
      const cells = line.split(" | ");
      return { id: cells[0]?.slice(2) ?? "", shown: cells.at(-1)?.replace(/ \|$/, "") ?? "" };
    });

/** What a line names that is not there; a line that names nothing must give a reason. */
function missingIn({ id, shown }: Line): string[] {
  const tests = [...shown.matchAll(/`([^`]+\.ts)` "([^"]+)"/g)];
  const rows = [...shown.matchAll(/rows? (`[\w-]+`(?:, `[\w-]+`(?! "))*)/g)].flatMap(([, list]) =>
    [...(list ?? "").matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
  );
  if (tests.length + rows.length === 0 && !shown.startsWith("Not here: "))
    return [`${id}: no test`];
  return [
    ...rows.filter((name) => !PROOF.some((row) => row.id === name)).map((name) => `row ${name}`),
    ...tests
      .filter(([, file = "", words = ""]) => {
        return !existsSync(file) || !readFileSync(file, "utf8").includes(words);
      })
      .map(([, file, words]) => `${file} "${words}"`),
  ];
}

const lines = linesOf(readFileSync(PAGE, "utf8"));

test("every test and row that the page of acceptance names is there", () => {
  expect(lines.flatMap(missingIn)).toEqual([]);
});

test("it has every acceptance point and every feature once", () => {
  const points = Array.from({ length: 22 }, (_, at) => `A${at + 1}`);
  const features = Array.from({ length: 90 }, (_, at) => at + 1).filter(
    (id) => !LATER.includes(id),
  );
  const ids = lines.map(({ id }) => id);
  expect(ids.slice(0, 112 - LATER.length)).toEqual([...points, ...features.map(String)]);
});

test("a test that is gone and a line without one are found", () => {
  const gone =
    '| A1 | A point | `e2e/gone.spec.ts` "is gone" |\n| A2 | Another | row `gone` |\n| A3 | One | – |';
  expect(linesOf(gone).flatMap(missingIn)).toEqual([
    'e2e/gone.spec.ts "is gone"',
    "row gone",
    "A3: no test",
  ]);
});

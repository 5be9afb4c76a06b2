import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { repositoryFiles } from "../scripts/house/files.ts";
import { FIGURES, readFigure } from "../scripts/proof/figures.ts";
import { PROOF, wordsOf } from "../scripts/proof/rows.ts";

const TESTS = repositoryFiles().filter((path) => /\.(test|spec)\.ts$/.test(path));
const RUNNERS: Record<string, RegExp> = { vitest: /\.test\.ts$/, playwright: /\.spec\.ts$/ };
/** The first argument of `test(…)`, `describe(…)` and `test.each(…)(…)`, when it is text. */
const TITLE =
  /(?:\b(?:test|it|describe)(?:\.\w+)*|[)\]`])\(\s*(["'`])((?:\\.|(?!\1)[\s\S])*?)\1\s*,/g;

const titlesOf = (path: string) =>
  Array.from(readFileSync(path, "utf8").matchAll(TITLE), ([, , title = ""]) => title);

/** The test files that a command runs, by its paths, and the alternatives of its name pattern. */
function testsOf(text: string) {
  const [filters = "", names = ""] = text.split(/ (?:-[tg]|--grep-invert) /);
  const words = wordsOf(filters);
  const runner = words.findIndex((word) => word in RUNNERS);
  const paths = words.slice(runner + 1);
  const mine = TESTS.filter((path) => RUNNERS[words[runner] ?? ""]?.test(path));
  const filesOf = (filter: string) => mine.filter((path) => path.includes(filter));
  const files = paths.length === 0 ? mine : [...new Set(paths.flatMap(filesOf))];
  return { paths, files, filesOf, names: wordsOf(names).join(" ").split("|").filter(Boolean) };
}

const withTests = PROOF.filter(({ text }) => /\b(vitest|playwright)\b/.test(text));

test("every row has one id, and every figure a row", () => {
  const ids = PROOF.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Object.keys(FIGURES).filter((id) => !ids.includes(id))).toEqual([]);
  expect(withTests.length).toBeGreaterThan(50);
  const scripts = PROOF.flatMap(({ command }) => command.filter((word) => /\.ts$/.test(word)));
  expect(scripts.filter((path) => !existsSync(path))).toEqual([]);
});

test("every row starts a program that the proof knows", () => {
  const unknown = PROOF.filter(({ command, text }) => command[0] === wordsOf(text)[0]);
  expect(unknown.map(({ id }) => id)).toEqual([]);
});

describe.each(withTests)("the tests of $id", ({ text }) => {
  const { paths, files, filesOf, names } = testsOf(text);

  test("every path matches a test file", () => {
    expect(paths.filter((path) => filesOf(path).length === 0)).toEqual([]);
  });

  test("every name matches a title", () => {
    const titles = files.flatMap(titlesOf);
    expect(names.filter((name) => !titles.some((title) => title.match(name)))).toEqual([]);
  });
});

describe("a figure", () => {
  const read = (id: string, output: string) => readFigure({ id, text: "" }, output);

  test("is the line that the command prints", () => {
    expect(read("ssrf", "…\nssrf: 200 spellings x 3, connections 0\n")).toBe(
      "ssrf: 200 spellings x 3, connections 0",
    );
  });

  test.each([
    ["ssrf", "ssrf: 199 spellings x 3, connections 0"],
    ["ssrf", "ssrf: 200 spellings x 3, connections 1"],

    ["chain-faults", "faults: 5 of 5 held"],
    [
      "doctor",
      "doctor: 37 broken agents for 37 checks\ndoctor: demo agent 9 held, errors 0, credits 5 of 4",
    ],
    ["gate-speed", "figures: gate: adds p50 2 ms, p99 3 ms; stock adds p50 1 ms, p99 3 ms"],
  ])("of %s fails on %j", (id, output) => {
    expect(() => read(id, output)).toThrow("misses the bar");
  });

  test.each([
    ["ssrf", "nothing"],
    ["route-confusion", "route confusion: Hono: 9 paths, 0 disagreements"],
    ["chain-faults", "faults: 6 of 7 held"],
  ])("of %s fails without its lines in %j", (id, output) => {
    expect(() => read(id, output)).toThrow("lines like");
  });

  test("of tests is their number, and an empty run fails", () => {
    const row = { id: "races", text: "vitest lib/x.test.ts" };
    const store = "Database tests run on PGlite.\n";
    expect(readFigure(row, `${store} Tests  3 passed (3)`)).toBe("3 tests on PGlite");
    expect(() => readFigure(row, " Tests  5 skipped (5)")).toThrow("no test passed");
  });
});

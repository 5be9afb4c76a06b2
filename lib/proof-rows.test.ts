import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { MEASURED } from "../components/landing/measured.ts";
import { repositoryFiles } from "../scripts/house/files.ts";
import { FIGURES, readFigure } from "../scripts/proof/figures.ts";
import { PROOF, wordsOf } from "../scripts/proof/rows.ts";
import { stateOf } from "../scripts/proof/state-of.ts";

const TESTS = repositoryFiles().filter((path) => /\.(test|spec)\.ts$/.test(path));
const RUNNERS: Record<string, RegExp> = { vitest: /\.test\.ts$/, playwright: /\.spec\.ts$/ };
/** The first argument of `test(…)`, `longTest(…)`, `describe(…)` and `test.each(…)(…)`, when it is text. */
const TITLE =
  /(?:\b(?:test|longTest|it|describe)(?:\.\w+)*|[)\]`])\(\s*(["'`])((?:\\.|(?!\1)[\s\S])*?)\1\s*,/g;

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
    ["mutation", "mutation: all 0 of 0 mutants killed, score 100, 9 left out"],
    ["buy-once", "buy once: one by one: 20 runs, 0 calls paid, 1 orders"],
    ["openapi", "openapi: 0 documents, 0 problems, 0 of 0 generated clients compile"],
    [
      "event-listeners",
      "event listeners: 999 streams, 39840 messages, p99 1 and 1 ms, ratio 1.00, inverse 1.00; memory grew 2 MB",
    ],
    [
      "event-listeners",
      "event listeners: 1000 streams, 0 messages, p99 1 and 1 ms, ratio 1.00, inverse 1.00; memory grew 2 MB",
    ],
    [
      "event-listeners",
      "event listeners: 1000 streams, 39840 messages, p99 167.3 and 61.4 ms, ratio 0.37, inverse 2.72; memory grew 84 MB",
    ],
    ["gate-speed", "figures: gate: adds p50 2 ms, p99 3 ms; stock adds p50 1 ms, p99 3 ms"],
    ["free-ride", "free ride: served 0, burned 0, free 0"],
    ["free-ride-storm", "free ride storm: served 0, burned 0, difference 0\n".repeat(2)],
    ["leases", "leases: 0 kills, served 0, burned 0, difference 0"],
    [
      "exact-crash",
      ["gate", "service", "chain"]
        .map(
          (part) =>
            `exact ${part}: 2 kills, 2 paid and answered, 0 answered unpaid, 0 paid or answered twice, 1 paid without an answer`,
        )
        .join("\n"),
    ],
    ["page-csrf", "csrf: 93 actions, 0 foreign requests, 0 taken"],
    ["page-tenants", "tenants: 26 pages, 0 answers to others, 0 leaks"],
    ["page-policy", "policy: 66 routes, 0 visits with hostile text, 0 violations"],
    ["planted-secrets", "secrets: 0 canaries, 0 places, 0 hits"],
    ["langgraph", "langgraph: 0 checks passed"],
  ])("of %s fails on %j", (id, output) => {
    expect(() => read(id, output)).toThrow("misses the bar");
  });

  test.each([
    ["ssrf", "nothing"],
    ["route-confusion", "route confusion: Hono: 9 paths, 0 disagreements"],
    ["chain-faults", "faults: 6 of 7 held"],
    ["demo", "demo: 10 of 10 steps on PGlite (crypto plan)"],
    ["page-weight", "heaviest list page 0.0 KB of 178"],
    [
      "lighthouse",
      "lowest median 100 on desktop, 98 on mobile; largest paint / 0 ms, /home 9 ms, /playground 9 ms",
    ],
    ["killed-answers", "killed answers: crypto, reload: 30 runs, 30 orders"],
  ])("of %s fails without its lines in %j", (id, output) => {
    expect(() => read(id, output)).toThrow("lines like");
  });

  test("of tests is their number, and an empty run fails", () => {
    const row = { id: "races", text: "vitest lib/x.test.ts" };
    const store = "Database tests run on PGlite.\n";
    expect(readFigure(row, `${store} Tests  3 passed (3)`)).toBe("3 tests on PGlite");
    expect(() => readFigure(row, " Tests  5 skipped (5)")).toThrow("no test passed");
  });

  test.each(["crash", "stores", "linearizability", "leases", "free-ride-storm", "openapi-answers"])(
    "of %s fails on a machine without Postgres",
    (id) => {
      const row = { id, text: "vitest lib/x.test.ts" };
      const lines = [
        ...Array(2).fill(
          "linearizability: 200 histories of 2000 operations, 0 anomalies, 200 forged",
        ),
        "leases: 20 kills, served 360, burned 360, difference 0",
        ...Array(2).fill("free ride storm: served 7265, burned 7265, difference 0"),
      ].join("\n");
      const on = (stores: string) =>
        readFigure(row, `${lines}\n Tests  3 passed (3)\nDatabase tests run on ${stores}.\n`);
      expect(() => on("PGlite only (no Postgres on this machine)")).toThrow("not on both stores");
      expect(on("PGlite and Postgres 15.18")).toContain("3 tests on PGlite and Postgres 15.18");
    },
  );
});

describe("the last figure of a row", () => {
  const last = (figure: string, ok = true) => ({ ok, figure, secs: 1, date: "2026-11-27" });

  test.each([
    ["card-crashes", last("card crashes: 23 of 23 held, broken rules 0"), "holds"],
    ["card-crashes", last("crashes held 23 of 23, broken rules 0"), "old"],
    ["flood-reads", last("flood of reads: 9 connections, ratio 2.5; memory grew 2 MB"), "old"],
    [
      "event-listeners",
      last(
        "event listeners: 1000 streams, 39840 messages, 600 and 600 settles, p99 167.3 and 61.4 ms, ratio 0.37; memory grew 20 MB",
      ),
      "old",
    ],
    ["card-crashes", last("card crashes: 2 of 23 held, broken rules 1", false), "broken"],
    ["card-crashes", undefined, "not run"],
    // Its lines are kept one after the other.
    [
      "live-modes",
      last(
        ["both", "crypto", "cards"]
          .map((mode) => `live mode ${mode}: preflight green on 9 checks; a call paid with 1`)
          .join("; "),
      ),
      "holds",
    ],
    ["card-limits", last("4 tests on PGlite"), "holds"],
    // Floors that these met on 27 November 2026.
    ["mutation", last("mutation: all 1123 of 1182 mutants killed, score 95.0"), "holds"],
    [
      "buy-once",
      last(
        "buy once: one by one: 20 runs, 20 calls paid, 1 orders; buy once: at once: 20 runs, 20 calls paid, 1 orders",
      ),
      "holds",
    ],
    [
      "openapi",
      last("openapi: 2 documents, 0 problems, 4 of 4 generated clients compile"),
      "holds",
    ],
    ["page-weight", last("heaviest list page 175.4 KB"), "holds"],
    [
      "lighthouse",
      last(
        "lowest median 100 on desktop, 98 on mobile; largest paint / 1069 ms, /home 1099 ms, /playground 1073 ms",
      ),
      "holds",
    ],
  ])("of %s, %j, %s", (id, figure, state) => {
    expect(stateOf(id, figure)).toBe(state);
  });

  test.each([
    ["2026-12-04", "holds"],
    ["2026-12-05", "old"],
  ])("of tests alone, read on %s, %s", (today, state) => {
    expect(stateOf("crash", last("3 tests on PGlite and Postgres 15.18"), today)).toBe(state);
  });
});

/** What the rows of the landing page print today, where nothing has changed. */
const TODAY: Record<string, string> = {
  decisions: "decisions: 1000000 questions, 0 disagreements, 61 outcomes, the rarest 1513 times",
  "one-subscriber":
    "figures: chain: one by one 51/s at 207032 gas (60 of 60), ratio 31.8, p50 22.2 ms, one subscriber 1 operations for 1000 settles at 207 gas (1000 of 1000), receipts 1001 of 1001, forged 0, difference 0",
  "card-crashes": "card crashes: 23 of 23 held, broken rules 0",
};

test.each(MEASURED)("the landing page takes a new measurement of $row", ({ row, says }) => {
  const printed = TODAY[row] ?? "";
  expect(readFigure({ id: row, text: "" }, printed)).toMatch(says);
  expect(
    printed.replace("forged 0", "forged 1").replace("0 dis", "1 dis").replace("23 of", "22 of"),
  ).not.toMatch(says);
});

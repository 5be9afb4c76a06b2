import { readFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";
import { expect, test } from "vitest";
import { repositoryFiles } from "../scripts/house/files.ts";

const MAX_MS = 250;
/** Longer waits with a reason. */
const ALLOWED: Record<string, string> = {
  "bench/events.ts":
    "the service's own pace, and statistics that the database collects a second late",
  "components/data/live-events.test.ts": "fake timers",
  "e2e/live.spec.ts": "an idle minute is what is measured, in the long form alone",
  "lib/sdk/client/call.test.ts": "fake timers",
  "scripts/proof/failovers.ts": "load between faults, and how long a disk stays full",
  "scripts/proof/live/traced-folder.ts": "a service at rest is what is measured",
  "scripts/proof/chain-faults.ts": "the chain is silent for a minute, which is the fault",
};

type Node = { type: string; start: number } & Record<string, unknown>;
const SLEEPS = new Set(["sleep", "pause", "delay", "wait", "waitForTimeout"]);

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isNode));

const nodesOf = (node: Node): Node[] => [node, ...childrenOf(node).flatMap(nodesOf)];

/** Waits for a fixed time over the maximum, by line. A timer that is kept to be cleared is a deadline, not a sleep. */
function findSleeps(code: string): number[] {
  const all = nodesOf(parseAst(code, { lang: "ts" }) as unknown as Node);
  const constants = new Map(
    all
      .filter(({ type, init }) => type === "VariableDeclarator" && isNode(init))
      .map(({ id, init }) => [(id as { name?: string }).name, init as Node]),
  );
  const longest = (node: Node | undefined): number => {
    const numbers = (node ? nodesOf(node) : []).map(({ type, value, name }) => {
      if (type === "Literal" && typeof value === "number") return value;
      const constant = type === "Identifier" ? constants.get(String(name)) : undefined;
      return typeof constant?.value === "number" ? constant.value : 0;
    });
    return Math.max(0, ...numbers);
  };
  const uncleared = new Set(
    all.flatMap(({ type, expression, body }) =>
      type === "ExpressionStatement"
        ? [expression]
        : type === "ArrowFunctionExpression"
          ? [body]
          : [],
    ),
  );
  return all
    .filter((call) => {
      if (call.type !== "CallExpression") return false;
      const callee = call.callee as Node;
      const [first, second] = call.arguments as Node[];
      const name = String(callee.name ?? (callee.property as { name?: string } | undefined)?.name);
      if (name === "setTimeout" && callee.type === "Identifier") {
        return uncleared.has(call) && longest(second) > MAX_MS;
      }
      return SLEEPS.has(name) && longest(first) > MAX_MS;
    })
    .map(({ start }) => code.slice(0, start).split("\n").length);
}

const isTestCode = (path: string) =>
  /\.(test|spec)\.tsx?$/.test(path) ||
  /(^|\/)(testing|test-support)\//.test(path) ||
  /^(e2e|bench|scripts\/proof)\/.*\.ts$/.test(path);

test(`no test sleeps for more than ${MAX_MS} ms`, () => {
  const files = repositoryFiles().filter((path) => isTestCode(path) && path.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((path) =>
    findSleeps(readFileSync(path, "utf8")).map((line) => `${path}:${line}`),
  );
  expect(found.filter((place) => !(place.slice(0, place.lastIndexOf(":")) in ALLOWED))).toEqual([]);
  const sleeping = new Set(found.map((place) => place.slice(0, place.lastIndexOf(":"))));
  expect([...sleeping].sort()).toEqual(Object.keys(ALLOWED).sort());
});

test.each([
  "await new Promise((wake) => setTimeout(wake, 300));",
  "await new Promise((wake) => setTimeout(wake, isLate ? 900 : 0));",
  "const LATE_MS = 1_000; await sleep(LATE_MS);",
  "await page.waitForTimeout(500);",
  "setTimeout(() => response.end(), 300);",
])("finds %s", (code) => {
  expect(findSleeps(code)).toEqual([1]);
});

test.each([
  "await new Promise((wake) => setTimeout(wake, 250));",
  "const timer = setTimeout(() => child.kill(), 10_000);",
  "test.setTimeout(60_000);",
])("accepts %s", (code) => {
  expect(findSleeps(code)).toEqual([]);
});

test("a browser test runs once", () => {
  expect(readFileSync("playwright.config.ts", "utf8")).toContain("retries: 0,");
});

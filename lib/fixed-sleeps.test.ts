import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { repositoryFiles } from "../scripts/house/files.ts";
import { findConstant, findSleeps, MAX_MS } from "./testing/find-sleeps.ts";

/** Longer waits with a reason. */
const ALLOWED: Record<string, string> = {
  "bench/events.ts":
    "the service's own pace, and statistics that the database collects a second late",
  "components/data/live-events.test.ts": "fake timers",
  "e2e/live.spec.ts": "an idle minute is what is measured, in the long form alone",
  "lib/sdk/client/call.test.ts": "fake timers",
  "lib/sdk/gate/faults/hanging-service.test.ts": "fake timers",
  "scripts/proof/failovers.ts": "load between faults, and how long a disk stays full",
  "scripts/proof/live/traced-folder.ts": "a service at rest is what is measured",
  "scripts/proof/soak.ts": "how long it soaks, and the time between two samples",
  "scripts/proof/chain-faults.ts": "the chain is silent for a minute, which is the fault",
};

/** A constant of another file of the repository. */
const readImport = (path: string) => (source: string, name: string) => {
  if (!source.startsWith(".") && !source.startsWith("@/")) return null;
  const file = source.startsWith("@/") ? source.slice(2) : join(dirname(path), source);
  return existsSync(file) ? findConstant(readFileSync(file, "utf8"), name) : null;
};

const isTestCode = (path: string) =>
  /\.(test|spec)\.tsx?$/.test(path) ||
  /(^|\/)(testing|test-support)\//.test(path) ||
  /^(e2e|bench|scripts\/proof)\/.*\.ts$/.test(path);

test(`no test sleeps for more than ${MAX_MS} ms`, () => {
  const files = repositoryFiles().filter((path) => isTestCode(path) && path.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((path) =>
    findSleeps(readFileSync(path, "utf8"), readImport(path)).map((line) => `${path}:${line}`),
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
  "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);",
  'import { setTimeout as later } from "node:timers/promises"; await later(400);',
  'import { setTimeout } from "timers/promises"; const late = await setTimeout(400);',
  "await sleep(60 * 60);",
  "const TICK = 50; const TICKS = 6; await sleep(TICKS * TICK + 1);",
  'import { LATE_MS } from "./late.ts"; await sleep(2 * LATE_MS);',
])("finds %s", (code) => {
  const late = (_source: string, name: string) =>
    findConstant("export const LATE_MS = 15 * 10;", name);
  expect(findSleeps(code, late)).toEqual([1]);
});

test.each([
  "await new Promise((wake) => setTimeout(wake, 250));",
  "const timer = setTimeout(() => child.kill(), 10_000);",
  "test.setTimeout(60_000);",
  "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);",
  "await sleep(1_000 / 10);",
])("accepts %s", (code) => {
  expect(findSleeps(code)).toEqual([]);
});

test("a browser test runs once", () => {
  expect(readFileSync("playwright.config.ts", "utf8")).toContain("retries: 0,");
});

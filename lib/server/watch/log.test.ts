import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sql } from "drizzle-orm";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openTestPglite } from "@/lib/adapters/db/testing/stores.ts";
import { inFolder } from "@/lib/testing/temp-folder.ts";
import { startBackground } from "../background.ts";
import { readError } from "../pipeline/error-answer.ts";
import { describeCause, explainCause, messageOf } from "./error-text.ts";
import { createLog } from "./log.ts";

const SECRET = "SEALED-OWNER-KEY\n    at a line that looks like a stack";
let database: Database;
let failed: unknown;
let away: unknown;
const lines: string[] = [];
const log = createLog("info", { write: (line) => void lines.push(line) });

/** A statement with a secret among its values, which fails. */
const fail = () =>
  database.orm.execute(sql`select * from no_such_table where a = ${SECRET} or b = ${"0xabc"}`).then(
    () => null,
    (cause) => cause,
  );

beforeAll(async () => {
  database = await openTestPglite();
  failed = await fail();
  await database.close();
  away = await fail();
});
afterAll(() => {
  for (const line of lines) expect(line).not.toMatch(/SEALED|0xabc/);
});

/** What was logged since. */
const logged = () => lines.splice(0).join("");

test("the errors of these tests have a secret in their message and their fields", () => {
  for (const cause of [failed, away]) {
    expect(String(cause)).toContain("SEALED");
    expect(cause).toHaveProperty("params");
  }
});

test.each([
  ["as text", (cause: unknown) => String(cause)],
  ["with its stack", (cause: unknown) => (cause as Error).stack],
  ["as it is", (cause: unknown) => cause],
  ["as another's cause", (cause: unknown) => new Error("It broke.", { cause })],
  ["inside another's message", (cause: unknown) => new Error(`It broke: ${cause}`)],
])("an error that is logged %s keeps its statement's values to itself", (_, of) => {
  log.warn({ cause: of(failed) }, "it broke");
  const text = logged();
  expect(text).not.toMatch(/SEALED|0xabc/);
  expect(text).toMatch(/no_such_table|It broke/);
});

test("a request that fails logs the statement, the database's error and the stack, and throws on none of it", () => {
  for (const cause of [failed, away]) {
    const error = readError(cause, "request-1", log);
    expect(error.cause).toBeUndefined();
    const text = logged();
    expect(text).not.toMatch(/SEALED|0xabc/);
    expect(text).toContain("Failed query: select");
    expect(text).toMatch(/does not exist|closed/);
  }
  expect(explainCause(failed)).toMatch(/\n {4}at /);
});

test("a connection that fails is described with what it failed of, and no other cause's text is told", () => {
  const expired = Object.assign(new Error("certificate has expired"), { code: "CERT_HAS_EXPIRED" });
  const fetched = new TypeError("fetch failed", { cause: expired });
  expect(describeCause(fetched)).toBe(
    "TypeError: fetch failed\ncause: Error: certificate has expired",
  );
  const bySdk = Object.assign(new Error("Our connection failed."), { detail: fetched });
  expect(describeCause(bySdk)).toBe(
    "Error: Our connection failed.\ncause: Error: certificate has expired",
  );
  const withKey = new Error("It broke.", { cause: new Error("URL: https://node.example/KEY") });
  expect(describeCause(withKey)).toBe("Error: It broke.");
});

test("background work that fails logs the database's error", async () => {
  const run = () => Promise.reject(failed);
  const work = startBackground([{ name: "sweep", everyMs: 1, run }], log);
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  await work.stop();
  const text = logged();
  expect(text).not.toMatch(/SEALED|0xabc/);
  expect(text).toContain('relation \\"no_such_table\\" does not exist');
});

test("background work logs a failure that lasts once, and its end", async () => {
  let rounds = 0;
  const run = async () => {
    rounds += 1;
    if (rounds <= 3) throw new Error(`Try ${rounds} failed.`);
  };
  const work = startBackground([{ name: "sweep", everyMs: 1, run }], log);
  await expect.poll(() => rounds).toBeGreaterThan(5);
  await work.stop();
  expect(lines.splice(0).map((line) => JSON.parse(line))).toMatchObject([
    { work: "sweep", cause: "Error: Try 1 failed.", msg: "background work failed" },
    { work: "sweep", failures: 3, msg: "background work succeeds again" },
  ]);
});

test("what is printed of a start that fails has no values", () => {
  expect(messageOf(failed)).toMatch(/^Failed query: select \* from no_such_table/);
  expect(messageOf(failed)).not.toMatch(/SEALED|0xabc/);
});

test("a stack of the built service is logged with lines of its sources", () =>
  inFolder(async (folder) => {
    const source = join(folder, "work.ts");
    writeFileSync(source, "type A = 1;\n\nthrow new Error('x');");
    const outfile = join(folder, ".next/service/work.mjs");
    buildSync({ entryPoints: [source], outfile, sourcemap: "linked" });
    const cause = new Error("x");
    cause.stack = `Error: x\n    at work (${pathToFileURL(outfile)}:1:7)`;
    log.error({ cause }, "it broke");
    expect(logged()).toContain(`at work (${source}:3:7)`);
  }));

test("a long message in which others wrote places of the service is logged at once, as it is", () => {
  const text = "file:///.next/service/".repeat(800);
  const begun = process.cpuUsage();
  log.error({ cause: new Error(text) }, "it broke");
  expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(500);
  expect(logged()).toContain(text);
});

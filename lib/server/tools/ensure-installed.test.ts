import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const ENSURE = pathToFileURL(resolve("scripts/ensure.mjs")).href;
/** An npm that leaves development packages out as the real one does, and notes how it was called. */
const NPM = `#!/usr/bin/env node
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
const args = process.argv.slice(2);
appendFileSync("npm-calls", args.join(" ") + "\\n");
rmSync("node_modules", { recursive: true, force: true });
const hasDev = args.includes("--include=dev");
for (const name of ["next", ...(hasDev ? ["@biomejs/biome", "@playwright/test", "vitest"] : [])]) {
  mkdirSync("node_modules/" + name, { recursive: true });
  writeFileSync("node_modules/" + name + "/package.json", "{}");
}
writeFileSync("node_modules/.package-lock.json", "{}");
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-installed-"));
  writeFileSync(join(folder, "package-lock.json"), "{}");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/npm"), NPM, { mode: 0o755 });
  writeFileSync(join(folder, "npm-calls"), "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Begins as `npm start` does, under NODE_ENV=production; how often packages were installed so far. */
function ensureInstalled(options = "{}"): number {
  const { PATH = "" } = process.env;
  const { status, stderr } = spawnSync(
    process.execPath,
    ["-e", `import("${ENSURE}").then(({ ensureInstalled }) => ensureInstalled(${options}))`],
    {
      cwd: folder,
      env: { PATH: `${join(folder, "bin")}${delimiter}${PATH}`, NODE_ENV: "production" },
      encoding: "utf8",
    },
  );
  expect(status, stderr).toBe(0);
  return readFileSync(join(folder, "npm-calls"), "utf8").split("\n").length - 1;
}

const has = (name: string) => {
  const found = spawnSync("ls", [`node_modules/${name}/package.json`], { cwd: folder });
  return found.status === 0;
};
const change = () => writeFileSync(join(folder, "package-lock.json"), '{ "name": "next" }');

const FOR_TESTS = "{ forDevelopment: true }";

describe.skipIf(process.platform === "win32")("under NODE_ENV=production", () => {
  test("npm start installs once for each lock, and no development packages", () => {
    expect(ensureInstalled()).toBe(1);
    expect(has("next")).toBe(true);
    expect(has("vitest")).toBe(false);
    expect(ensureInstalled()).toBe(1);
    change();
    expect(ensureInstalled()).toBe(2);
  });

  test("npm test installs them, also after npm start did not", () => {
    expect(ensureInstalled()).toBe(1);
    expect(ensureInstalled(FOR_TESTS)).toBe(2);
    expect(has("vitest")).toBe(true);
    expect(ensureInstalled(FOR_TESTS)).toBe(2);
  });

  test("npm start leaves them to anyone who has them", () => {
    expect(ensureInstalled(FOR_TESTS)).toBe(1);
    expect(ensureInstalled()).toBe(1);
    change();
    expect(ensureInstalled()).toBe(2);
    expect(has("vitest")).toBe(true);
  });

  test("npm test installs again where one of them is gone", () => {
    expect(ensureInstalled(FOR_TESTS)).toBe(1);
    rmSync(join(folder, "node_modules/vitest"), { recursive: true });
    expect(ensureInstalled(FOR_TESTS)).toBe(2);
    expect(has("vitest")).toBe(true);
  });

  test("npm start leaves packages alone that npm itself installed", () => {
    spawnSync(join(folder, "bin/npm"), ["ci"], { cwd: folder });
    expect(ensureInstalled()).toBe(1);
  });
});

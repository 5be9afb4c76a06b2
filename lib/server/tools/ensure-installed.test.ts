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
const hasDev = args.includes("--include=dev") || process.env.NODE_ENV !== "production";
for (const name of ["next", ...(hasDev ? ["esbuild", "typescript", "@tailwindcss/postcss"] : [])]) {
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

describe.skipIf(process.platform === "win32")("npm start under NODE_ENV=production", () => {
  test("installs what the build needs, once for each lock", () => {
    expect(ensureInstalled()).toBe(1);
    expect(has("typescript")).toBe(true);
    expect(ensureInstalled()).toBe(1);
    change();
    expect(ensureInstalled()).toBe(2);
    expect(has("typescript")).toBe(true);
  });

  test("installs again where an earlier install left out what the build needs", () => {
    expect(ensureInstalled()).toBe(1);
    rmSync(join(folder, "node_modules/typescript"), { recursive: true });
    expect(ensureInstalled()).toBe(2);
    expect(has("typescript")).toBe(true);
  });

  test("does so also where npm itself left it out", () => {
    spawnSync(join(folder, "bin/npm"), ["ci"], {
      cwd: folder,
      env: { ...process.env, NODE_ENV: "production" },
    });
    expect(has("typescript")).toBe(false);
    expect(ensureInstalled()).toBe(2);
    expect(has("typescript")).toBe(true);
  });

  test("leaves an install without it alone where nothing is built", () => {
    spawnSync(join(folder, "bin/npm"), ["ci"], {
      cwd: folder,
      env: { ...process.env, NODE_ENV: "production" },
    });
    expect(ensureInstalled("{ forBuild: false }")).toBe(1);
  });
});

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lockInstance } from "@/lib/sandbox/instance-lock.ts";
import { freePort } from "@/lib/testing/free-port.ts";
import { longTest } from "@/lib/testing/in-full.ts";

/** Next's build as far as the start looks at it. Asked to, it ends early, or saves a source on the way. */
const NEXT = `import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
appendFileSync("builds", "built\\n");
rmSync(".next", { recursive: true, force: true });
mkdirSync(".next");
if (existsSync("save")) { writeFileSync("app/page.tsx", "saved meanwhile"); rmSync("save"); }
const { buildService } = await import(new URL("../../../../scripts/build-service.mjs", import.meta.url));
await buildService(".next/service");
writeFileSync(".next/BUILD_ID", String(Math.random()));
writeFileSync(".next/required-server-files.json", '{"config":{"distDir":".next"}}');
if (existsSync("die")) { rmSync("die"); process.kill(process.pid, "SIGKILL"); }
`;
const MAIN = `console.log("started");
console.log(process.env.__NEXT_PRIVATE_STANDALONE_CONFIG);
if (process.env.STAY) setInterval(() => {}, 1_000);
`;
const SOURCES = {
  "app/page.tsx": "page",
  "app/old.tsx": "old",
  "app/.well-known/route.ts": "route",
  "proxy.ts": "policy",
  "postcss.config.mjs": "styles",
  "package.json": '{ "type": "module" }',
  "package-lock.json": "{}",
  "tsconfig.node.json": "{}",
  "lib/server/main.ts": MAIN,
  "lib/server/boot-alone.ts": "export {};",
};

let folder: string;
let port: string;
const running: ChildProcess[] = [];

/** A repository of the scripts, with packages that do what the start needs of them. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-start-"));
  port = String(await freePort());
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text, { mode });
  };
  for (const [path, text] of Object.entries(SOURCES)) write(path, text);
  for (const name of readdirSync("scripts").filter((each) => each.endsWith(".mjs"))) {
    cpSync(join("scripts", name), join(folder, "scripts", name));
  }
  const lock = "lib/sandbox/instance-lock.ts";
  mkdirSync(join(folder, "lib/sandbox"));
  cpSync(lock, join(folder, lock));
  write("node_modules/next/dist/bin/next", NEXT);
  write("node_modules/next/package.json", '{ "type": "module" }');
  for (const name of ["typescript", "@tailwindcss/postcss"]) {
    write(`node_modules/${name}/package.json`, "{}");
  }
  symlinkSync(resolve("node_modules/esbuild"), join(folder, "node_modules/esbuild"));
  write("node_modules/.package-lock.json", "{}");
  write("bin/npm", '#!/bin/sh\necho "$@" >> npm-calls\nexit 1\n', 0o755);
  write("elsewhere/package-lock.json", "{}");
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const environment = (settings: Record<string, string> = {}) => ({
  PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
  NODE_ENV: "production" as const,
  PORT: port,
  ...settings,
});
function start({ cwd = folder, ...settings }: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, "scripts/start.mjs")],
    { cwd, env: environment(settings), encoding: "utf8" },
  );
  return { status, stdout, stderr, hasStarted: stdout.includes("started") };
}
/** Starts it and leaves it running. */
async function stay(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["scripts/start.mjs"], {
    cwd: folder,
    env: environment({ STAY: "1" }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.push(child);
  let said = "";
  child.stdout.on("data", (part) => {
    said += part;
  });
  await expect.poll(() => said, { timeout: 20_000 }).toContain("started");
  return child;
}
const builds = () => readFileSync(join(folder, "builds"), "utf8").split("\n").length - 1;
const hasCalledNpm = () =>
  ["", "elsewhere"].some((place) => existsSync(join(folder, place, "npm-calls")));

describe.skipIf(process.platform === "win32")("npm start", () => {
  longTest(
    "builds once for the same sources, and again for each that is changed or deleted",
    () => {
      expect(start()).toMatchObject({ status: 0, hasStarted: true });
      expect(start()).toMatchObject({ status: 0, hasStarted: true });
      expect(builds()).toBe(1);
      let expected = 1;
      for (const name of [
        "proxy.ts",
        "postcss.config.mjs",
        "scripts/hint-scripts.mjs",
        "app/.well-known/route.ts",
      ]) {
        appendFileSync(join(folder, name), "\n// changed");
        start();
        expected += 1;
        expect(builds(), name).toBe(expected);
      }
      rmSync(join(folder, "app/old.tsx"));
      start();
      expect(builds()).toBe(expected + 1);
      // What tests and editors leave beside the sources is no source.
      for (const name of [".page.tsx.swp", "page.test.ts"]) {
        writeFileSync(join(folder, "app", name), "");
      }
      start();
      expect(builds()).toBe(expected + 1);
    },
  );

  test("builds what was saved during the last build", () => {
    writeFileSync(join(folder, "save"), "");
    start();
    start();
    expect(builds()).toBe(2);
    start();
    expect(builds()).toBe(2);
  });

  test("builds again after a build that was killed, however near its end", () => {
    writeFileSync(join(folder, "die"), "");
    expect(start()).toMatchObject({ status: 1, hasStarted: false });
    expect(start()).toMatchObject({ status: 0, hasStarted: true });
    expect(builds()).toBe(2);
  });

  test("does not build under a service that runs, and says which one to stop", async () => {
    const first = await stay();
    expect(start()).toMatchObject({ status: 0 });
    appendFileSync(join(folder, "app/page.tsx"), "changed");
    const refused = start();
    expect(refused).toMatchObject({ status: 1, hasStarted: false });
    expect(refused.stderr).toContain(`Process ${first.pid} serves this folder's pages`);
    expect(builds()).toBe(1);
    first.kill("SIGKILL");
    await expect.poll(() => start().status, { timeout: 10_000 }).toBe(0);
    expect(builds()).toBe(2);
  });

  test("refuses a data folder or a port in use before it installs or builds", async () => {
    start();
    writeFileSync(join(folder, "package-lock.json"), '{ "name": "changed" }');
    const unlock = await lockInstance(join(folder, ".turnpike"));
    const locked = start();
    await unlock();
    expect(locked.stderr).toContain("Another Turnpike is running on the data folder .turnpike");
    const other = createServer();
    await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
    const taken = String((other.address() as AddressInfo).port);
    writeFileSync(join(folder, ".env"), `PORT=${taken}\n`);
    const { PATH, NODE_ENV } = environment();
    const { status, stderr } = spawnSync(process.execPath, ["scripts/start.mjs"], {
      cwd: folder,
      env: { PATH, NODE_ENV },
      encoding: "utf8",
    });
    other.close();
    expect([locked.status, status]).toEqual([1, 1]);
    expect(stderr).toContain(`Port ${taken} is taken. Set PORT to a free one`);
    expect(hasCalledNpm()).toBe(false);
    expect(builds()).toBe(1);
  });

  test("names .env where it can't be read, before it installs or builds", () => {
    mkdirSync(join(folder, ".env"));
    const { status, stderr } = start();
    expect(status).toBe(1);
    expect(stderr).toMatch(/^The user of this process can't read \.env \(E\w+\)\. [^\n]*\n$/);
    expect(existsSync(join(folder, ".next"))).toBe(false);
  });

  test("runs the pages with the settings they were built with, which Next need not read again", () => {
    expect(start().stdout).toContain('{"distDir":".next"}');
  });

  test("runs in its repository, wherever it is started", () => {
    const elsewhere = join(folder, "elsewhere");
    expect(start({ cwd: elsewhere })).toMatchObject({ status: 0, hasStarted: true });
    expect(hasCalledNpm()).toBe(false);
  });
});

test("everything that a build reads of the repository's root counts as a source", async () => {
  const { SOURCES: known } = await import("../../../scripts/build-mark.mjs");
  const NOT_BUILT = ["biome.json", "cspell.json", "playwright.config.ts", "vitest.config.ts"];
  const code = readdirSync(".").filter((name) => /(?<!\.d)\.(ts|mjs|json)$/.test(name));
  expect(code.filter((name) => !known.includes(name) && !NOT_BUILT.includes(name))).toEqual([]);
  const imported = readFileSync("next.config.mjs", "utf8").match(/(?<=from "\.\/)[^"]+/g) ?? [];
  expect(imported.length).toBeGreaterThan(1);
  expect(imported.filter((path) => !known.includes(path))).toEqual([]);
});

import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inFull } from "../lib/testing/in-full.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("..", import.meta.url));
const files = fileURLToPath(new URL("package-consumer/", import.meta.url));
let folder: string;

const sdk = path.join(repository, "lib/sdk");
/** Where a sandbox serves the package, built once for all tests; in full npm builds and packs it. */
const served = inFull("", process.env.TURNPIKE_URL ?? "");

async function packInto(destination: string): Promise<string> {
  await run("npm", ["pack", "--pack-destination", destination], { cwd: sdk });
  return `./${(await readdir(destination)).find((name) => name.endsWith(".tgz"))}`;
}

/** The package as its users get it: packed, and installed with nothing around it. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "turnpike-package-"));
  const tarball = served ? `${served}/downloads/turnpike-payments.tgz` : await packInto(folder);
  await writeFile(path.join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const quick = ["--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock"];
  await run("npm", ["install", ...quick, tarball], { cwd: folder });
  for (const name of ["consumer.ts", "consumer.mjs"]) {
    await copyFile(path.join(files, name), path.join(folder, name));
  }
}, 120_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test("the package depends on zod and nothing else", async () => {
  const modules = await readdir(path.join(folder, "node_modules"));
  expect(modules.filter((name) => !name.startsWith(".")).sort()).toEqual(["@turnpike", "zod"]);
});

test("the package contains built code, README and changelog, but no sources and no tests", async () => {
  const installed = path.join(folder, "node_modules/@turnpike/payments");
  const all = await readdir(installed, { recursive: true });
  expect(all).toEqual(expect.arrayContaining(["README.md", "CHANGELOG.md", "dist/index.js"]));
  // Of the folder it is published from, too; a sandbox packs a copy.
  const { stdout } = await run("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], {
    cwd: sdk,
  });
  const [{ files: published }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const names = [...all, ...published.map((file) => file.path)];
  expect(names.filter((name) => /\.test\.|test-support|(?<!\.d)\.ts$/.test(name))).toEqual([]);
  const { dependencies } = JSON.parse(await readFile(path.join(installed, "package.json"), "utf8"));
  expect(Object.keys(dependencies).sort()).toEqual(["zod"]);
});

test.each([
  ["with the types of browsers", { lib: ["ES2023", "DOM", "DOM.Iterable"], types: [] }],
  [
    "with those of Node alone",
    { lib: ["ES2023"], types: ["node"], typeRoots: [path.join(repository, "node_modules/@types")] },
  ],
])(
  "its types check in a strict TypeScript project %s",
  async (_which, platform) => {
    const compilerOptions = {
      target: "ES2022",
      module: "NodeNext",
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      ...platform,
    };
    await writeFile(
      path.join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["consumer.ts"] }),
    );
    const tsc = path.join(repository, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, "-p", "tsconfig.json"], {
      cwd: folder,
    }).catch((failure: { stdout: string }) => failure);
    expect(stdout).toBe("");
  },
  60_000,
);

test("plain Node gates an agent with it, and buys from a running sandbox", async () => {
  const { stdout } = await run(process.execPath, ["consumer.mjs"], {
    cwd: folder,
    timeout: 60_000,
  });
  const { sandbox, ...gated } = JSON.parse(stdout);
  expect(gated).toEqual({ gated: 402, open: 200, code: "token_missing", amount: "2" });
  const bought = { listed: true, challenged: 402, paid: 200, settled: true };
  if (process.env.TURNPIKE_SANDBOX_JSON) expect(sandbox).toMatchObject(bought);
  else expect(sandbox).toBeUndefined();
}, 90_000);

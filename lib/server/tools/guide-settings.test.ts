import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const guide = readFileSync("docs/guides/going-live.md", "utf8");
let folder: string;

/** The settings of the guide, with keys where it leaves them open. */
beforeAll(() => {
  const [, settings = ""] =
    /```sh excerpt\n(TURNPIKE_ENVIRONMENT=live\n[\s\S]*?)```/.exec(guide) ?? [];
  folder = mkdtempSync(join(tmpdir(), "turnpike-guide-"));
  const filled = settings.replace(/_KEY=$/gm, `_KEY=${"12".repeat(32)}`).replaceAll("…", "1");
  writeFileSync(join(folder, ".env"), filled);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a tool in the folder of that `.env`, and with nothing else of the environment. */
function run(tool: string, ...args: string[]) {
  const { PATH = "" } = process.env;
  const node = [
    "--import",
    resolve("scripts/typescript.mjs"),
    resolve(`scripts/${tool}.ts`),
    ...args,
  ];
  return spawnSync(process.execPath, node, {
    cwd: folder,
    env: { PATH, NODE_ENV: "production" },
    encoding: "utf8",
  });
}

test("chain:deploy reads the guide's settings, with live keys of the card processor, and asks for an administrator", () => {
  const { status, stderr } = run("chain-deploy");
  expect(stderr).toMatch(/^In live, name an administrator and a pauser/);
  expect(status).toBe(1);
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { bundled } from "@/lib/testing/bundled.ts";

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
  return spawnSync(process.execPath, [bundled(`scripts/${tool}.ts`), ...args], {
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

test("the guide's checks of a restored copy read the database alone, and run", async () => {
  const [, statements = ""] = /^## Back up\n[\s\S]*?```sql\n([\s\S]*?)```/m.exec(guide) ?? [];
  const checks = statements.split(/;[^\n]*\n/).filter((text) => text.trim() !== "");
  expect(checks).toHaveLength(3);
  const database = await openRuleStore();
  try {
    const [broken, counts, latest] = await Promise.all(
      checks.map((text) => database.query<Record<string, unknown>>(text, [])),
    );
    expect(broken).toEqual([]);
    expect(counts).toMatchObject([{ accounts: expect.anything(), transfers: expect.anything() }]);
    expect(latest).toEqual([]);
  } finally {
    await database.close();
  }
});

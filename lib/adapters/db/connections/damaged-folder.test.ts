import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { inFull } from "@/lib/testing/in-full.ts";
import { openDatabase } from "../client.ts";

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-damaged-"));
  const loadDataDir = new Blob([await readFile(inject("pgliteImage"))]);
  const client = await PGlite.create({ dataDir: join(folder, "whole"), loadDataDir });
  await client.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DAMAGE: [string, (dataDir: string) => void][] = [
  ["its control file lost", (dataDir) => rmSync(join(dataDir, "global/pg_control"))],
  ["garbage in its version", (dataDir) => writeFileSync(join(dataDir, "PG_VERSION"), "xx\n")],
  ["its log lost", (dataDir) => empty(join(dataDir, "pg_wal"))],
  ["its tables lost", (dataDir) => empty(join(dataDir, "base"))],
];
const empty = (path: string) => {
  for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true });
};

test.each(inFull(DAMAGE, DAMAGE.slice(0, 1)))(
  "an embedded database with %s says that it is damaged and what to do",
  async (_, damage) => {
    const dataDir = mkdtempSync(join(folder, "copy-"));
    cpSync(join(folder, "whole"), dataDir, { recursive: true });
    damage(dataDir);
    const opened = openDatabase({ dataDir });
    await expect(opened).rejects.toThrow(
      `The embedded database in ${dataDir} is damaged: it cannot be opened. Restore a copy`,
    );
  },
);

import { readFile } from "node:fs/promises";
import { expect, inject, test } from "vitest";
import { openDatabase } from "../client.ts";

test("the embedded database clears 32 MB of memory for its pages when it opens, not 128", async () => {
  const database = await openDatabase({ image: new Blob([await readFile(inject("pgliteImage"))]) });
  expect(await database.query("show shared_buffers", [])).toEqual([{ shared_buffers: "32MB" }]);
  await database.close();
});

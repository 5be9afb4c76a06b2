import { readFileSync } from "node:fs";
import { afterAll, expect, vi } from "vitest";

// Modules are shared by the files of a process: one that an earlier file has loaded still has what it imported then, not what `vi.mock`
// replaces in this file. Nor may a later file get one that has what is replaced here.
const { testPath = "" } = expect.getState();
if (readFileSync(testPath, "utf8").includes("vi.mock(")) {
  vi.resetModules();
  afterAll(() => void vi.resetModules());
}

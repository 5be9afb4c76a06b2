import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { descendantsOf, isAlive } from "./process-family.ts";

// A parent that starts a child, and says its id.
const PARENT = `
  const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1_000)"]);
  console.log(child.pid);`;

// Small images have no ps.
const HAS_PS = ["/bin/ps", "/usr/bin/ps"].some((path) => existsSync(path));
const WAYS = [...(existsSync("/proc/self/status") ? [true] : []), ...(HAS_PS ? [false] : [])];

test.each(WAYS)(
  "a process's children are found and seen to end, with /proc: %s",
  async (hasProc) => {
    const parent = spawn(process.execPath, ["-e", PARENT], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [said] = await once(parent.stdout, "data");
    const child = Number(said);
    expect(descendantsOf(parent.pid as number, hasProc)).toEqual([child]);
    expect(descendantsOf(process.pid, hasProc)).toEqual(
      expect.arrayContaining([parent.pid as number, child]),
    );
    expect([parent.pid as number, child].map((pid) => isAlive(pid, hasProc))).toEqual([true, true]);
    process.kill(child, "SIGKILL");
    await once(parent, "exit");
    await expect.poll(() => isAlive(child, hasProc)).toBe(false);
    expect(descendantsOf(parent.pid as number, hasProc)).toEqual([]);
  },
);

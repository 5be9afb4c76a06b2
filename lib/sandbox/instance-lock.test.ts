import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { longTest } from "@/lib/testing/in-full.ts";
import { lockInstance } from "./instance-lock.ts";

let folder: string;
let others: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-lock-"));
  others = [
    mkdtempSync(join(tmpdir(), "turnpike-tmp-")),
    mkdtempSync(join(tmpdir(), "turnpike-tmp-")),
  ];
});
afterEach(() => {
  for (const each of [folder, ...others]) rmSync(each, { recursive: true, force: true });
});

const lockFile = () => join(folder, "instance.lock");
const PROGRAM = `
  const { lockInstance } = await import(${JSON.stringify(join(import.meta.dirname, "instance-lock.ts"))});
  try { await lockInstance(process.argv[1]); console.log("locked"); } catch (cause) { console.log(cause.message); process.exit(1); }
  setInterval(() => {}, 1_000);`;
/** The same on a system without /proc, where waiting takes no time. */
const WITHOUT_PROC = `
  import fs from "node:fs";
  import timers from "node:timers/promises";
  import { syncBuiltinESMExports } from "node:module";
  const { readFileSync } = fs;
  fs.readFileSync = (path, ...rest) => readFileSync(String(path).replace(/^\\/proc\\//, "/nowhere/"), ...rest);
  fs.readlinkSync = () => { throw new Error("no link"); };
  const { setTimeout: sleep } = timers;
  timers.setTimeout = () => sleep(20);
  syncBuiltinESMExports();
  ${PROGRAM}`;

/** A process with its own temporary folder that locks the data folder. */
async function lockElsewhere(temporary: string, program = PROGRAM) {
  const child = spawn(
    process.execPath,
    ["--import", "./scripts/typescript.mjs", "--input-type=module", "-e", program, folder],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, TMPDIR: temporary } },
  );
  const [said] = await once(child.stdout, "data");
  const ended = once(child, "exit");
  return {
    said: String(said).trim(),
    pid: child.pid,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

test("processes with different temporary folders: the second is refused and told the holder; a killed one is replaced", async () => {
  const [first, second] = others as [string, string];
  const holder = await lockElsewhere(first);
  expect(holder.said).toBe("locked");
  const refused = await lockElsewhere(second);
  expect(refused.said).toContain(`${folder}: process ${holder.pid} on`);
  await holder.kill();
  const next = await lockElsewhere(second);
  expect(next.said).toBe("locked");
  await next.kill();
});

test("of many that find a stale lock at once, one takes it over", async () => {
  const unlock = await lockInstance(folder);
  const stale = JSON.parse(readFileSync(lockFile(), "utf8"));
  await unlock();
  // The id of this process, from before it: an id is used again.
  writeFileSync(lockFile(), JSON.stringify({ ...stale, startedAt: "1", lockId: "stale" }));
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockInstance(folder)));
  const held = tries.filter((each) => each.status === "fulfilled");
  expect(held).toHaveLength(1);
  await held[0]?.value();
  expect(readdirSync(folder)).toEqual([]);
});

test("a holder on another machine holds as long as it gives signs of life", async () => {
  const unlock = await lockInstance(folder);
  const own = JSON.parse(readFileSync(lockFile(), "utf8"));
  await unlock();
  writeFileSync(lockFile(), JSON.stringify({ ...own, machine: "another", host: "other-host" }));
  const beat = setInterval(() => utimesSync(lockFile(), new Date(), new Date()), 100);
  await expect(lockInstance(folder)).rejects.toThrow("on other-host");
  clearInterval(beat);
});

test("a file that is no lock is replaced", async () => {
  writeFileSync(lockFile(), "half a lo");
  const unlock = await lockInstance(folder);
  await unlock();
});

longTest(
  "where the system does not tell when a process started, an id that is in use again holds nothing",
  async () => {
    const [first, second] = others as [string, string];
    const holder = await lockElsewhere(first, WITHOUT_PROC);
    expect(holder.said).toBe("locked");
    const lock = JSON.parse(readFileSync(lockFile(), "utf8"));
    expect(lock.startedAt).toBeNull();
    await holder.kill();
    // This process runs, and has the id of one that crashed.
    writeFileSync(lockFile(), JSON.stringify({ ...lock, pid: process.pid }));
    const next = await lockElsewhere(second, WITHOUT_PROC);
    expect(next.said).toBe("locked");
    await next.kill();
  },
);

test("a running holder is found there too", async () => {
  const [first, second] = others as [string, string];
  const holder = await lockElsewhere(first, WITHOUT_PROC);
  const beat = setInterval(() => utimesSync(lockFile(), new Date(), new Date()), 10);
  const refused = await lockElsewhere(second, WITHOUT_PROC);
  clearInterval(beat);
  expect(refused.said).toContain(`${folder}: process ${holder.pid} on`);
  await holder.kill();
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
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

/** A process with its own temporary folder that locks the data folder. */
async function lockElsewhere(temporary: string) {
  const child = spawn(
    process.execPath,
    ["--import", "./scripts/typescript.mjs", "--input-type=module", "-e", PROGRAM, folder],
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

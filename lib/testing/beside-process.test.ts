import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { besideProcess } from "./beside-process.ts";
import { hasEnded } from "./has-ended.ts";

const start = () =>
  spawn(process.execPath, ["-e", "setInterval(() => {}, 1_000)"], { detached: true });

test("a detached process ends with the work beside it", async () => {
  const child = start();
  expect(await besideProcess(child, async () => 7)).toBe(7);
  expect(hasEnded(child)).toBe(true);
});

test("and where the work fails", async () => {
  const child = start();
  const failing = besideProcess(child, async () => {
    throw new Error("Health returned 503.");
  });
  await expect(failing).rejects.toThrow("Health returned 503.");
  expect(hasEnded(child)).toBe(true);
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { freePort } from "@/lib/testing/free-port.ts";

const PROGRAM = ["--import", "./scripts/typescript.mjs", "lib/server/testing/worker-program.ts"];
let program: ChildProcess | undefined;

afterEach(() => {
  program?.kill("SIGKILL");
});

const start = (...ports: number[]): ChildProcess => {
  program = spawn(process.execPath, [...PROGRAM, ...ports.map(String)], { stdio: "inherit" });
  return program;
};

/** The process that answers a new connection; one that was being handed to a killed worker gets no answer. */
const answering = (port: number): Promise<number> =>
  new Promise((answer, failed) => {
    const asked = get({ port, agent: false, timeout: 1_000 }, async (response) =>
      answer(Number(await text(response))),
    );
    asked.on("timeout", () => asked.destroy()).on("error", failed);
  });

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Asks until another process than the known ones answers. */
async function anotherAt(port: number, known: number[]): Promise<number> {
  let found = 0;
  await expect
    .poll(
      async () => {
        found = await answering(port).catch(() => 0);
        return found > 0 && !known.includes(found);
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  return found;
}

test("two workers share a port, one that is killed is replaced, and SIGTERM ends them all", async () => {
  const port = await freePort();
  const parent = start(port);
  const one = await anotherAt(port, []);
  const two = await anotherAt(port, [one]);
  process.kill(one, "SIGKILL");
  const next = await anotherAt(port, [one, two]);
  const exit = once(parent, "exit");
  parent.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
  expect([one, two, next].filter(isAlive)).toEqual([]);
}, 30_000);

test("a worker that cannot start ends the program with a failure", async () => {
  expect(await once(start(-1), "exit")).toEqual([1, null]);
}, 30_000);

test("workers that serve metrics and find their port taken end the program, and are not started for ever", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  try {
    expect(await once(start(port, await freePort()), "exit")).toEqual([1, null]);
  } finally {
    taken.close();
  }
}, 30_000);

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, get, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { bundled } from "@/lib/testing/bundled.ts";
import { freePort } from "@/lib/testing/free-port.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { inFolder } from "@/lib/testing/temp-folder.ts";

const PROGRAM = "lib/server/testing/worker-program.ts";
let program: ChildProcess | undefined;

afterEach(() => {
  program?.kill("SIGKILL");
});

/** In a separate process group, as a terminal or a service manager starts it. */
const start = (...given: (number | string)[]): ChildProcess => {
  const args = [bundled(PROGRAM), ...given.map(String)];
  program = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
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

/** Kills one of two workers, and waits for the one that takes its place. */
async function replaceOne(port: number, parent: ReturnType<typeof start>) {
  let said = "";
  parent.stderr?.on("data", (part) => {
    said += part;
  });
  const one = await anotherAt(port, []);
  const two = await anotherAt(port, [one]);
  process.kill(one, "SIGKILL");
  const next = await anotherAt(port, [one, two]);
  return { one, all: [one, two, next], said: () => said };
}

test("two workers share a port, one that is killed is replaced, and SIGTERM ends them all", async () => {
  const port = await freePort();
  const parent = start(port);
  const { one, all, said } = await replaceOne(port, parent);
  expect(JSON.parse(said())).toMatchObject({ pid: one, signal: "SIGKILL" });
  const exit = once(parent, "exit");
  parent.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
  expect(all.filter(isAlive)).toEqual([]);
}, 30_000);

test("the log level holds for the process that replaces workers", async () => {
  const port = await freePort();
  const parent = start(port, "--silent");
  const { said } = await replaceOne(port, parent);
  const exit = once(parent, "exit");
  parent.kill("SIGTERM");
  await exit;
  expect(said()).toBe("");
}, 30_000);

/** Runs two workers whose replacements fail as they start while `file` exists; `failed` counts those. */
const whileBroken = (
  play: (at: {
    port: number;
    file: string;
    parent: ChildProcess;
    failed: () => number;
  }) => Promise<void>,
) =>
  inFolder(async (folder) => {
    const port = await freePort();
    const file = join(folder, "broken");
    const parent = start(port, `--broken-by=${file}`);
    let said = "";
    parent.stderr?.on("data", (part) => {
      said += part;
    });
    const failed = () => said.split("\n").filter((line) => line.includes('"code":3')).length;
    await play({ port, file, parent, failed });
    const exit = once(parent, "exit");
    parent.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  });

test(
  "while replacements cannot start, the other worker answers; they take over once they can",
  () =>
    whileBroken(async ({ port, file, failed }) => {
      const one = await anotherAt(port, []);
      const two = await anotherAt(port, [one]);
      writeFileSync(file, "");
      process.kill(one, "SIGKILL");
      await expect.poll(failed, { timeout: 20_000 }).toBeGreaterThan(1);
      expect(await answering(port)).toBe(two);
      rmSync(file);
      await anotherAt(port, [one, two]);
    }),
  30_000,
);

test(
  "workers that all died are started until they listen, and SIGTERM ends the program while there is none",
  () =>
    whileBroken(async ({ port, file, failed }) => {
      const killAll = async (known: number[]) => {
        const one = await anotherAt(port, known);
        const two = await anotherAt(port, [...known, one]);
        const before = failed();
        writeFileSync(file, "");
        for (const pid of [one, two]) process.kill(pid, "SIGKILL");
        await expect.poll(failed, { timeout: 20_000 }).toBeGreaterThan(before + 2);
        return [one, two];
      };
      const known = await killAll([]);
      rmSync(file);
      await killAll(known);
    }),
  60_000,
);

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

/** Both workers, and a request that one of them has begun to answer; `finish` ends it and has the whole answer. */
async function startRequest(port: number) {
  const one = await anotherAt(port, []);
  const two = await anotherAt(port, [one]);
  const asked = request({ port, agent: false, method: "POST" });
  asked.write("{");
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const [pid] = await once(response.setEncoding("utf8"), "data");
  const answer = text(response).catch((cause: Error) => cause.message);
  const finish = () => {
    asked.on("error", () => {}).end("}");
    return answer;
  };
  const [busy, idle] = Number(pid) === one ? [one, two] : [two, one];
  return { busy, idle, answer, finish };
}

const STARTS = [["as a bundle"], ["as npm start does", "--npm-start"]];
const ENDS = STARTS.flatMap(([how, ...args]) =>
  (["SIGINT", "SIGTERM"] as const).map((signal) => ({ how, args, signal })),
);

// Each signal and each start once; in full every pair of them.
test.each(ENDS.filter((_, at) => at % inFull(1, 3) === 0))(
  "$signal to the whole process group, $how, ends the workers after their running requests",
  async ({ args, signal }) => {
    const port = await freePort();
    const parent = start(port, ...args);
    const { busy, idle, finish } = await startRequest(port);
    const exit = once(parent, "exit");
    process.kill(-(parent.pid ?? 0), signal);
    await expect.poll(() => isAlive(idle), { timeout: 10_000 }).toBe(false);
    expect(isAlive(busy)).toBe(true);
    expect(await finish()).toBe(" done");
    expect(await exit).toEqual([0, null]);
    expect([busy, idle].filter(isAlive)).toEqual([]);
  },
  30_000,
);

test("a worker that gets SIGTERM from outside and from its parent finishes its running requests", async () => {
  const port = await freePort();
  const parent = start(port);
  const stopping = new Promise<void>((heard) => {
    parent.stdout?.on("data", (said) => String(said).includes("stopping") && heard());
  });
  const { busy, idle, finish } = await startRequest(port);
  const exit = once(parent, "exit");
  process.kill(busy, "SIGTERM");
  await stopping;
  parent.kill("SIGTERM");
  await expect.poll(() => isAlive(idle), { timeout: 10_000 }).toBe(false);
  expect(isAlive(busy)).toBe(true);
  expect(await finish()).toBe(" done");
  expect(await exit).toEqual([0, null]);
}, 30_000);

test.each(STARTS)(
  "a second Ctrl-C, %s, ends the workers at once",
  async (_, ...args) => {
    const port = await freePort();
    const parent = start(port, ...args);
    const { idle, answer } = await startRequest(port);
    const exit = once(parent, "exit");
    const press = () => process.kill(-(parent.pid ?? 0), "SIGINT");
    press();
    await expect.poll(() => isAlive(idle), { timeout: 10_000 }).toBe(false);
    // `npm start` takes presses within an instant for one.
    while (parent.exitCode === null) {
      press();
      await Promise.race([exit, setTimeout(50)]);
    }
    expect(parent.exitCode).toBe(130);
    expect(await answer).toBe("aborted");
  },
  30_000,
);

import { type ChildProcess, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { bundled } from "@/lib/testing/bundled.ts";
import { createDurableQueue } from "./durable-queue.ts";
import { openJournals } from "./file-journals.ts";
import { createFileStore } from "./file-store.ts";
import { createJournal, readJournal } from "./journal.ts";
import { findNode, type NodeFiles, type NodeParts } from "./node-files.ts";
import type { RunJob, SettlementJob } from "./settlement-queue.ts";
import type { SettlementStore } from "./settlement-store.ts";

const folders: string[] = [];
const children: ChildProcess[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function setUp() {
  const parent = mkdtempSync(join(tmpdir(), "turnpike-journal-"));
  const folder = join(parent, "settlements");
  folders.push(parent);
  return { folder, store: createFileStore({ folder }) };
}

const ignore = () => {};
const release = (agentRequestId: string): SettlementJob => ({ kind: "release", agentRequestId });
const settle = (agentRequestId: string): SettlementJob => ({
  kind: "settle",
  agentRequestId,
  input: {
    paymentRequired: { x402Version: 2, accepts: [{ scheme: "svc:erc4337", planId: "42" }] },
    x402AccessToken: "token",
    maxAmount: "2",
    agentRequestId,
  },
});
const journals = (folder: string) => readdirSync(folder).filter((name) => /journal/.test(name));
const contentOf = (folder: string) =>
  journals(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");

/** A disk of files in memory, which takes its time to remove one. */
function createSlowDisk() {
  const kept = new Map<string, { text: string }>();
  const opened: { text: string }[] = [];
  const files = {
    setImmediate,
    appendNow(fd: number, text: string) {
      const file = opened[fd];
      if (file) file.text += text;
    },
    async open(path: string, flags: string) {
      const file = (flags !== "w" && kept.get(path)) || { text: "" };
      kept.set(path, file);
      return {
        fd: opened.push(file) - 1,
        appendFile: async (text: string) => {
          file.text += text;
        },
        sync: async () => {},
        close: async () => {},
      };
    },
    async unlink(path: string) {
      await new Promise((resolve) => setImmediate(resolve));
      kept.delete(path);
    },
    mkdir: async () => {},
    stat: async () => ({ mtimeMs: 0 }),
    utimes: async () => {},
  } as Partial<NodeFiles> as NodeFiles;
  return { files, text: () => kept.get("folder/name")?.text ?? "" };
}

/** A process that keeps jobs and then does nothing, until it is killed. */
async function keepElsewhere(folder: string, ids: string[]): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [bundled("lib/sdk/test-support/keep-jobs.ts"), folder, ...ids],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  children.push(child);
  await new Promise<void>((kept) => child.stdout?.once("data", () => kept()));
  return child;
}

const ended = (child: ChildProcess) =>
  new Promise<void>((done) => {
    child.once("close", () => done());
    child.kill("SIGKILL");
  });

/** The jobs a queue finds and runs. */
async function runAll(folder: string, run: RunJob = async () => "done") {
  const ran: SettlementJob[] = [];
  const queue = createDurableQueue(createFileStore({ folder }), { firstDelayMs: 1 });
  queue.start(async (job) => {
    ran.push(job);
    return run(job);
  }, ignore);
  await queue.idle();
  return ran;
}

describe("a durable queue", () => {
  test("retries a job under its id until it is done, and then keeps nothing", async () => {
    const { folder, store } = setUp();
    const queue = createDurableQueue(store, { firstDelayMs: 1 });
    const ran: string[] = [];
    queue.start(
      async ({ agentRequestId }) => (ran.push(agentRequestId) < 3 ? "again" : "done"),
      ignore,
    );
    await queue.add(settle("a"));
    await queue.idle();
    expect(ran).toEqual(["a", "a", "a"]);
    expect(journals(folder)).toEqual([]);
  });

  test("stops at a refusal, and gives up a job that keeps being declined", async () => {
    const { store } = setUp();
    const queue = createDurableQueue(store, { firstDelayMs: 1, maxDelayMs: 1 });
    const gaveUp = vi.fn();
    let tries = 0;
    queue.start(async ({ agentRequestId }) => {
      tries += 1;
      return agentRequestId === "a" ? "refused" : "declined";
    }, gaveUp);
    await queue.add(settle("a"));
    await queue.idle();
    expect([tries, gaveUp.mock.calls]).toEqual([1, []]);
    await queue.add(settle("b"));
    await queue.idle();
    expect(gaveUp).toHaveBeenCalledExactlyOnceWith(settle("b"), "declined 15 times");
  });

  test("runs a limited number of jobs at the same time", async () => {
    const { store } = setUp();
    const queue = createDurableQueue(store, { firstDelayMs: 1, maxRunning: 3 });
    let running = 0;
    let most = 0;
    queue.start(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running -= 1;
      return "done";
    }, ignore);
    await Promise.all(Array.from({ length: 30 }, (_, index) => queue.add(release(`r${index}`))));
    await queue.idle();
    expect(most).toBe(3);
  });

  test("works with any store, and reports a failing one while its jobs go on in memory", async () => {
    const onStoreError = vi.fn();
    const store: SettlementStore = {
      load: () => Promise.reject(new Error("no table")),
      keep: () => Promise.reject(new Error("disk full")),
      remove: async () => {},
    };
    const queue = createDurableQueue(store, { firstDelayMs: 1, onStoreError });
    const run = vi.fn(async () => "done" as const);
    queue.start(run, ignore);
    await expect(queue.add(release("a"))).rejects.toThrow("disk full");
    await queue.idle();
    expect(run).toHaveBeenCalledTimes(1);
    expect(String(onStoreError.mock.calls[0]?.[0])).toContain("no table");
  });

  test("a store that cannot remove a job ends no process, also where no one asked for its errors", async () => {
    const store: SettlementStore = {
      load: async () => [],
      keep: async () => {},
      remove: () => Promise.reject(new Error("disk full")),
    };
    const queue = createDurableQueue(store, { firstDelayMs: 1 });
    queue.start(async () => "done", ignore);
    await queue.add(release("a"));
    await expect(queue.idle()).resolves.toBeUndefined();
  });
});

describe("the file journal", () => {
  test("creates nothing before the first job, and is readable only by its owner", async () => {
    const { folder, store } = setUp();
    await store.load();
    expect(() => readdirSync(folder)).toThrow();
    await store.keep(settle("a"));
    const [name = ""] = journals(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("the jobs of a killed process are resumed by the next, all of them once", async () => {
    const { folder } = setUp();
    const ids = Array.from({ length: 50 }, (_, index) => `r${index}`);
    await ended(await keepElsewhere(folder, ids));
    const [first, second] = await Promise.all([runAll(folder), runAll(folder)]);
    const ran = [...first, ...second].map(({ agentRequestId }) => agentRequestId);
    expect(new Set(ran)).toEqual(new Set(ids));
    expect(first.concat(second)[0]).toEqual(settle(ran[0] as string));
    expect(journals(folder)).toEqual([]);
    expect(await runAll(folder)).toEqual([]);
  }, 60_000);

  test("the jobs of a running process are not taken over", async () => {
    const { folder } = setUp();
    const child = await keepElsewhere(folder, ["mine"]);
    expect(await runAll(folder)).toEqual([]);
    await ended(child);
    expect(await runAll(folder)).toEqual([settle("mine")]);
  }, 60_000);

  test("another process with the same id is not the owner", async () => {
    const { folder } = setUp();
    const child = await keepElsewhere(folder, ["old"]);
    const [name = ""] = journals(folder);
    const [host, , begun, rest] = name.split("~");
    const text = readFileSync(join(folder, name), "utf8");
    await ended(child);
    rmSync(join(folder, name));
    // The parent of this process is running, but began at another time.
    writeFileSync(join(folder, [host, process.ppid, begun, rest].join("~")), text);
    expect(await runAll(folder)).toEqual([settle("old")]);
  }, 60_000);

  test("the journal of another container is not taken over, even if both have one host name", async () => {
    const { folder } = setUp();
    const node = findNode() as NodeParts;
    /** Every container's first process is number 1, and sees no other container's. */
    const container = (namespace: string, begun: string): NodeParts => ({
      process: { host: "agent", pid: 1, isAlive: (pid) => pid === 1 },
      files: {
        ...node.files,
        readlink: async () => `pid:[${namespace}]`,
        readFile: async (path, encoding) =>
          path === "/proc/1/stat"
            ? `1 (node) ${"0 ".repeat(19)}${begun}`
            : node.files.readFile(path, encoding),
      },
    });
    await openJournals(container("7", "100"), folder).keep(settle("a"));
    const other = openJournals(container("8", "200"), folder);
    expect(await other.load()).toEqual([]);
    const restarted = openJournals(container("7", "200"), folder);
    expect(await restarted.load()).toEqual([settle("a")]);
  });

  test("a job that is kept after another process took the journal is on disk, also one of a lease", async () => {
    const { folder } = setUp();
    const { files } = findNode() as NodeParts;
    const journal = createJournal(files, folder, "own.journal");
    const steal = () => files.unlink(join(folder, "own.journal"));
    await journal.keep(settle("a"));
    await steal();
    await journal.keep(settle("b"));
    expect(readJournal(contentOf(folder))).toEqual([settle("b")]);
    await steal();
    await journal.touch();
    const leased = { leaseId: "lse_1", agentRequestId: "c" };
    await journal.keep({ kind: "settle", agentRequestId: "c", input: leased });
    expect(readJournal(contentOf(folder))).toHaveLength(1);
  });

  test("a job that was done before the crash does not run again", async () => {
    const { folder, store } = setUp();
    await store.keep(settle("a"));
    await store.keep(settle("b"));
    await store.remove(settle("a"));
    expect(readJournal(contentOf(folder))).toEqual([settle("b")]);
  });

  test("a line torn by a crash is ignored, the others are kept", () => {
    const lines = `${JSON.stringify({ keep: release("a") })}\n{"keep":{"kind":"rel`;
    expect(readJournal(lines)).toEqual([release("a")]);
    expect(readJournal(`\n${lines}\n${JSON.stringify({ keep: release("b") })}\n`)).toHaveLength(2);
  });

  test("the jobs of an ended process run also while the disk is full, and stay where they are", async () => {
    const { folder } = setUp();
    const node = findNode() as NodeParts;
    mkdirSync(folder);
    for (const id of ["a", "b"]) {
      const path = join(folder, `gone~1~1~${id}.journal`);
      writeFileSync(path, `${JSON.stringify({ keep: settle(id) })}\n`);
      utimesSync(path, 0, 0);
    }
    const files: NodeFiles = {
      ...node.files,
      open: (path, flags, mode) =>
        flags === "a" ? Promise.reject(new Error("disk full")) : node.files.open(path, flags, mode),
    };
    const store = openJournals({ ...node, files }, folder);
    const taken = await store.load();
    expect(new Set(taken.map(({ agentRequestId }) => agentRequestId))).toEqual(new Set(["a", "b"]));
    expect(readJournal(contentOf(folder))).toHaveLength(2);
    // They run already: the next look finds nothing new.
    expect(await store.load()).toEqual([]);
  });

  test.each([0, 90_000])(
    "a replaced container's jobs, whose clock was %i s ahead, run in half the five minutes of their reservations, and those of a live gate that missed three heartbeats do not",
    async (aheadSecs) => {
      const { folder, store } = setUp();
      vi.useFakeTimers({ toFake: ["setInterval", "Date", "performance"] });
      const write = (name: string) => {
        const path = join(folder, `${name}~1~1~a.journal`);
        writeFileSync(path, `${JSON.stringify({ keep: settle(name) })}\n`);
        return (secs: number) => utimesSync(path, new Date(), new Date(Date.now() - secs * 1000));
      };
      mkdirSync(folder);
      write("replaced")(-aheadSecs);
      const beatLate = write("live");
      let looking = Promise.resolve<SettlementJob[]>([]);
      const adopt = () => {
        looking = store.load();
        return looking;
      };
      const ran: string[] = [];
      const queue = createDurableQueue({ ...store, adopt }, { firstDelayMs: 1 });
      queue.start(async ({ agentRequestId }) => {
        ran.push(agentRequestId);
        return "done";
      }, ignore);
      await queue.idle();
      expect(ran).toEqual([]);
      for (let secs = 30; secs <= 150; secs += 30) {
        beatLate(89);
        vi.advanceTimersByTime(30_000);
        await looking;
        await queue.idle();
      }
      expect(ran).toEqual(["replaced"]);
      expect(journals(folder)).toEqual(["live~1~1~a.journal"]);
    },
  );

  test("a job that is kept while the empty file of a lease is removed is in the next one", async () => {
    const { files, text } = createSlowDisk();
    const journal = createJournal(files, "folder", "name");
    const leased = { leaseId: "lse_1", agentRequestId: "a" };
    const job: SettlementJob = { kind: "settle", agentRequestId: "a", input: leased };
    await journal.keep(job);
    await journal.remove(job);
    const cleaning = journal.touch();
    await Promise.all([cleaning, journal.keep(settle("b"))]);
    expect(readJournal(text())).toEqual([settle("b")]);
  });

  test("is rewritten when most of its jobs are finished", async () => {
    const { folder, store } = setUp();
    await store.keep(settle("stays"));
    for (let round = 0; round < 6; round++) {
      const jobs = Array.from({ length: 100 }, (_, index) => release(`r${round}-${index}`));
      await Promise.all(jobs.map((job) => store.keep(job)));
      await Promise.all(jobs.map((job) => store.remove(job)));
    }
    expect(contentOf(folder).split("\n").length).toBeLessThan(700);
    expect(readJournal(contentOf(folder))).toEqual([settle("stays")]);
  });
});

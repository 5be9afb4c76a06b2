import type { NodeFileHandle, NodeFiles } from "./node-files.ts";
import type { SettlementJob } from "./settlement-queue.ts";
import { jobKey } from "./settlement-store.ts";

type Line = { keep: SettlementJob } | { done: string };
type Waiting = { line: Line; resolve: () => void; reject: (error: unknown) => void };

// A journal is rewritten when most of it is about jobs that are over.
const MAX_DEAD_LINES = 1000;

/** The jobs of a journal that are not done. A last line that was torn by a crash is left out. */
export function readJournal(text: string): SettlementJob[] {
  const jobs = new Map<string, SettlementJob>();
  for (const row of text.split("\n")) {
    const line = readLine(row);
    if (!line) continue;
    if ("keep" in line) jobs.set(jobKey(line.keep), line.keep);
    else jobs.delete(line.done);
  }
  return [...jobs.values()];
}

function readLine(row: string): Line | null {
  try {
    const line: unknown = JSON.parse(row);
    return typeof line === "object" && line !== null ? (line as Line) : null;
  } catch {
    return null;
  }
}

/**
 * An append-only file of jobs. A write resolves when the disk has it; writes that wait while the disk
 * is busy go together. A journal without jobs is removed. Readable by its owner alone: jobs hold tokens.
 */
export function createJournal(files: NodeFiles, folder: string, name: string) {
  const path = `${folder}/${name}`;
  const live = new Map<string, SettlementJob>();
  let waiting: Waiting[] = [];
  let dead = 0;
  let handle: NodeFileHandle | null = null;
  let isWriting = false;

  const write = (line: Line): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ line, resolve, reject });
      if (!isWriting) void writeAll();
    });

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        for (const { line } of batch) count(line);
        if (live.size === 0) await clear();
        else if (dead > MAX_DEAD_LINES && dead > live.size) await rewrite();
        else await append(batch.map(({ line }) => line));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
        await close();
      }
    }
    isWriting = false;
  }

  function count(line: Line): void {
    if ("keep" in line) live.set(jobKey(line.keep), line.keep);
    else if (live.delete(line.done)) dead += 2;
  }

  async function append(lines: readonly Line[]): Promise<void> {
    const isNew = handle === null;
    if (isNew) await files.mkdir(folder, { recursive: true, mode: 0o700 });
    handle ??= await files.open(path, "a", 0o600);
    // A line of its own, whatever an interrupted write left before it.
    const text = lines.map((line) => `${toText(line)}\n`).join("");
    await handle.appendFile(isNew ? `\n${text}` : text);
    await handle.sync();
    if (isNew) await syncFolder();
  }

  async function rewrite(): Promise<void> {
    await close();
    const draft = `${path}.new`;
    const fresh = await files.open(draft, "w", 0o600);
    try {
      await fresh.appendFile([...live.values()].map((keep) => `${toText({ keep })}\n`).join(""));
      await fresh.sync();
    } finally {
      await fresh.close();
    }
    await files.rename(draft, path);
    await syncFolder();
    dead = 0;
  }

  async function clear(): Promise<void> {
    await close();
    dead = 0;
    await files.unlink(path).catch(() => {});
  }

  async function close(): Promise<void> {
    const open = handle;
    handle = null;
    await open?.close().catch(() => {});
  }

  // A new name in a folder is only on the disk once the folder is; not every system lets one ask.
  async function syncFolder(): Promise<void> {
    const opened = await files.open(folder, "r").catch(() => null);
    await opened?.sync().catch(() => {});
    await opened?.close().catch(() => {});
  }

  return {
    keep: (job: SettlementJob) => write({ keep: job }),
    remove: (job: SettlementJob) => write({ done: jobKey(job) }),
    /** Shows owners elsewhere that this one is alive. */
    async touch(): Promise<void> {
      const now = new Date();
      if (live.size > 0) await files.utimes(path, now, now).catch(() => {});
    },
  };
}

const toText = (line: Line) =>
  JSON.stringify(line, (_key, value) => (typeof value === "bigint" ? String(value) : value));

import { toJson } from "../../protocol/json.ts";
import { createJournalFile } from "./journal-file.ts";
import type { NodeFiles } from "./node-files.ts";
import type { SettlementJob } from "./settlement-queue.ts";
import { jobKey } from "./settlement-store.ts";

type Line = { keep: SettlementJob } | { done: string };

// A journal is rewritten when most of its lines are about finished jobs.
const MAX_DEAD_LINES = 1000;
// A lease writes thousands of lines a second, and its calls wait while the file is rewritten.
const MAX_DEAD_LEASED_LINES = 50_000;

/** The jobs of a journal that are not done. A last line torn by a crash is ignored. */
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

const ofLease = (line: Line): boolean =>
  "keep" in line && line.keep.kind === "settle" && "leaseId" in line.keep.input;

/**
 * A journal of jobs. A write resolves when it is on disk; writes of one turn, and those that wait while the disk is busy, go
 * together, because separate ones would take a sixth of a leased call. A journal without jobs is removed. What a lease pays for is
 * written when the system has it: it survives the process and not the machine.
 */
export function createJournal(files: NodeFiles, folder: string, name: string) {
  const file = createJournalFile(files, folder, name);
  const live = new Map<string, SettlementJob>();
  let waiting: Line[] = [];
  let next: Promise<void> | null = null;
  let last = Promise.resolve();
  let dead = 0;
  let deadLeased = 0;
  let isLeased = false;

  /** Writes lines with all that wait, once what is being written is over. Without one, a file that is not needed any more is removed. */
  function write(...lines: Line[]): Promise<void> {
    waiting.push(...lines);
    if (next) return next;
    const turn = new Promise<void>((resolve) => files.setImmediate(resolve));
    next = Promise.all([last, turn]).then(writeWaiting);
    last = next.catch(file.close);
    return next;
  }

  async function writeWaiting(): Promise<void> {
    const lines = waiting;
    waiting = [];
    next = null;
    for (const line of lines) count(line);
    await writeLines(lines);
  }

  function count(line: Line): void {
    if ("keep" in line) {
      live.set(jobKey(line.keep), line.keep);
      isLeased ||= ofLease(line);
      return;
    }
    const job = live.get(line.done);
    live.delete(line.done);
    if (job && ofLease({ keep: job })) deadLeased += 2;
    else if (job) dead += 2;
  }

  async function writeLines(lines: readonly Line[]): Promise<void> {
    const isDue = dead > MAX_DEAD_LINES || deadLeased > MAX_DEAD_LEASED_LINES;
    const isMostlyDead = isDue && dead + deadLeased > live.size;
    // Calls of a lease come and go many times a second: their file stays.
    const isEmpty = live.size === 0 && (!isLeased || isMostlyDead || lines.length === 0);
    if (!isEmpty && !isMostlyDead) {
      const isUrgent = lines.some((line) => "keep" in line && !ofLease(line));
      return file.append(
        lines.map((line) =>
          "done" in line || ofLease(line) ? JSON.stringify(line) : toJson(line),
        ),
        isUrgent,
      );
    }
    if (isEmpty) await file.remove();
    else await file.replace([...live.values()].map((keep) => toJson({ keep })));
    dead = 0;
    deadLeased = 0;
    isLeased = false;
  }

  return {
    keep: (job: SettlementJob) => write({ keep: job }),
    remove: (job: SettlementJob) => write({ done: jobKey(job) }),
    /** Shows owners on other machines that this one is alive. */
    async touch(): Promise<void> {
      if (live.size > 0) await file.touch();
      // Like any write, so that no other one meets the file while it is removed.
      else if (isLeased && !next) await write().catch(() => {});
    },
  };
}

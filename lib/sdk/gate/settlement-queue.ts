import type { SettleInput } from "../protocol/permission.ts";

/** Work left over from a request: take its credits, or give its hold back. It can be kept as JSON. */
export type SettlementJob =
  | { kind: "settle"; agentRequestId: string; input: SettleJobInput }
  | { kind: "release"; agentRequestId: string };

/** A settle call as it is repeated; it holds the access token, so a store must keep it secret. */
export type SettleJobInput = Omit<SettleInput, "maxAmount" | "reserve"> & { maxAmount: string };

/** Tries a job once: true when it is done, for good or because nothing is left to do. */
export type RunJob = (job: SettlementJob) => Promise<boolean>;

/**
 * Where the gate puts what it could not finish. `start` is called once with the way to run a job; a
 * durable queue then takes up what an earlier process left. `add` must not lose the job once it
 * has returned. Jobs may run more than once: their id makes that harmless.
 */
export type SettlementQueue = {
  start(run: RunJob): void;
  add(job: SettlementJob): void | Promise<void>;
};

export type MemoryQueueOptions = {
  /** Delay before the first repeat, doubled for each further one. Default 1 000. */
  firstDelayMs?: number;
  /** The longest delay. Default 60 000. */
  maxDelayMs?: number;
  /** How often a job is tried. Default 10, about four minutes. */
  maxAttempts?: number;
  /** How many jobs may wait. Default 1 000. */
  maxJobs?: number;
  /** Hears of a job that is given up. */
  onGiveUp?: (job: SettlementJob, why: string) => void;
};

/** The default queue: repeats with growing delays, in this process's memory only. */
export function createMemoryQueue(options: MemoryQueueOptions = {}): SettlementQueue & {
  /** Resolves when no job is waiting: for an orderly shutdown, and for tests. */
  idle(): Promise<void>;
} {
  const { firstDelayMs = 1000, maxDelayMs = 60_000, maxAttempts = 10, maxJobs = 1000 } = options;
  const waiting = new Set<Promise<void>>();
  let run: RunJob = async () => false;

  async function repeat(job: SettlementJob): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      await pause(Math.min(firstDelayMs * 2 ** attempt, maxDelayMs));
      if (await run(job).catch(() => false)) return;
    }
    options.onGiveUp?.(job, `tried ${maxAttempts} times`);
  }

  return {
    start(runJob) {
      run = runJob;
    },
    add(job) {
      if (waiting.size >= maxJobs) {
        options.onGiveUp?.(job, `${maxJobs} jobs are waiting already`);
        return;
      }
      const done = repeat(job).finally(() => waiting.delete(done));
      waiting.add(done);
    },
    async idle() {
      while (waiting.size > 0) await Promise.all(waiting);
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer: unknown = setTimeout(resolve, ms);
    // Where timers keep a process alive, a waiting repeat should not.
    if (typeof timer === "object" && timer !== null && "unref" in timer) {
      (timer as { unref(): void }).unref();
    }
  });
}

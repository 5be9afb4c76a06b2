import { type RetryOptions, retryJob } from "./retry.ts";
import type { GiveUp, RunJob, SettlementQueue } from "./settlement-queue.ts";

/** Settings of `memoryQueue`. */
export type MemoryQueueOptions = RetryOptions & {
  /** How many jobs may wait. Default 1 000. */
  maxJobs?: number;
  /** Called when a job is given up. */
  onGiveUp?: GiveUp;
};

const MAX_ATTEMPTS = 10;

/**
 * A queue in this process's memory: a restart forgets its jobs, and after ten attempts, about five
 * minutes, it gives a job up.
 */
export function createMemoryQueue(options: MemoryQueueOptions = {}): SettlementQueue & {
  /** Resolves when no job is waiting: for an orderly shutdown, and for tests. */
  idle(): Promise<void>;
} {
  const { maxJobs = 1000, maxAttempts = MAX_ATTEMPTS, onGiveUp } = options;
  const waiting = new Set<Promise<void>>();
  let run: RunJob = async () => "again";
  let giveUp: GiveUp = (job, why) => onGiveUp?.(job, why);

  return {
    start(runJob, reportToGate) {
      run = runJob;
      giveUp = (job, why) => {
        reportToGate(job, why);
        onGiveUp?.(job, why);
      };
    },
    add(job) {
      if (waiting.size >= maxJobs) return giveUp(job, `${maxJobs} jobs are waiting already`);
      const done = retryJob(job, run, giveUp, { ...options, maxAttempts }).finally(() =>
        waiting.delete(done),
      );
      waiting.add(done);
    },
    async idle() {
      while (waiting.size > 0) await Promise.all(waiting);
    },
  };
}

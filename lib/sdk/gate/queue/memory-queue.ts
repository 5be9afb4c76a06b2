import { type RetryOptions, retryJob } from "./retry.ts";
import type { GiveUp, RunJob, SettlementQueue } from "./settlement-queue.ts";

export type MemoryQueueOptions = RetryOptions & {
  /** How many jobs may wait. Default 1 000. */
  maxJobs?: number;
  /** Hears of a job that is given up. */
  onGiveUp?: GiveUp;
};

const MAX_ATTEMPTS = 10;

/**
 * A queue in this process's memory only: a restart forgets it, and after ten tries, about four
 * minutes, it gives up.
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
    start(runJob, tellGate) {
      run = runJob;
      giveUp = (job, why) => {
        tellGate(job, why);
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

import { letGo } from "../../client/waiting/let-go.ts";
import { type RetryOptions, retryJob } from "./retry.ts";
import type { GiveUp, RunJob, SettlementJob, SettlementQueue } from "./settlement-queue.ts";
import type { SettlementStore } from "./settlement-store.ts";

const ADOPT_MS = 30_000;

/** Settings of `durableQueue`. */
export type DurableQueueOptions = RetryOptions & {
  /** How many jobs run at the same time, so that a recovering service is not overloaded. Default 8. */
  maxRunning?: number;
  /** Called when the store fails; its jobs stay in memory. Default: the error is ignored. */
  onStoreError?: (error: unknown) => void;
};

/**
 * A queue whose jobs outlive the process: each is stored before `add` resolves, retried under its request
 * id until it is settled or refused, and resumed by the next process.
 *
 * @example createGate(payments, routes, { queue: createDurableQueue(createFileStore({ folder })) })
 */
export function createDurableQueue(
  store: SettlementStore,
  options: DurableQueueOptions = {},
): SettlementQueue & {
  /** Resolves when no job is waiting. */
  idle(): Promise<void>;
} {
  const { maxAttempts = Number.POSITIVE_INFINITY, maxRunning = 8, onStoreError } = options;
  const waiting = new Set<Promise<void>>();
  let runner: { run: RunJob; giveUp: GiveUp } | undefined;
  let loading: Promise<void> = Promise.resolve();

  function schedule(job: SettlementJob): void {
    if (!runner) throw new Error("The queue was not started: pass it to a gate.");
    const { run, giveUp } = runner;
    const done = retryJob(job, run, giveUp, { ...options, maxAttempts })
      .then(() => store.remove(job))
      .catch((error) => onStoreError?.(error))
      .finally(() => waiting.delete(done));
    waiting.add(done);
  }

  const take = (jobs: Promise<SettlementJob[]>) =>
    jobs.then((each) => each.forEach(schedule)).catch((error) => onStoreError?.(error));

  return {
    start(run, giveUp) {
      // Gates of one account share a queue; any of them can run its jobs.
      if (runner) return;
      runner = { run: limit(run, maxRunning), giveUp };
      loading = take(store.load());
      const { adopt } = store;
      if (adopt) letGo(setInterval(() => take(adopt()), ADOPT_MS));
    },
    async add(job) {
      try {
        await store.keep(job);
      } finally {
        schedule(job);
      }
    },
    note: (job) => store.keep(job),
    forget: (job) => store.remove(job),
    async idle() {
      await loading;
      while (waiting.size > 0) await Promise.all(waiting);
    },
  };
}

/** The same runner, at most `max` jobs at a time, first come first served. */
function limit(run: RunJob, max: number): RunJob {
  const queued: (() => void)[] = [];
  let running = 0;
  return async (job) => {
    if (running >= max) await new Promise<void>((resolve) => queued.push(resolve));
    else running += 1;
    try {
      return await run(job);
    } finally {
      const next = queued.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

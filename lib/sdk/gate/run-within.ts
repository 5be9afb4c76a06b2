import { MAX_TIMER_MS } from "../client/waiting/max-timer.ts";

/** The work did not answer in time. */
export class WorkTimeout extends Error {
  readonly timeoutMs: number;
  constructor(timeoutMs: number) {
    super(`The agent did not answer within ${timeoutMs / 1000} s.`);
    this.timeoutMs = timeoutMs;
  }
}

/**
 * Runs work that must answer in time, or, without a limit, whenever it does. After the limit it throws
 * {@link WorkTimeout}, aborts the signal the work was given, and discards an answer that arrives anyway.
 */
export function runWithin<Answer>(
  timeoutMs: number | undefined,
  { run, discard }: { run(late?: AbortSignal): Promise<Answer>; discard(answer: Answer): unknown },
): Promise<Answer> {
  if (timeoutMs === undefined || timeoutMs > MAX_TIMER_MS) return run();
  const late = new AbortController();
  const running = run(late.signal);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new WorkTimeout(timeoutMs);
      reject(error);
      late.abort(error);
      running.then(discard).catch(() => {});
    }, timeoutMs);
  });
  return Promise.race([running, timeout]).finally(() => clearTimeout(timer));
}

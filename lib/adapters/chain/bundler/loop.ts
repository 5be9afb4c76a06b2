import { setTimeout as sleep } from "node:timers/promises";

const IDLE_MS = 1_000;
const MAX_BACKOFF_MS = 5_000;

/** Repeats `work` while it returns true, and otherwise waits to be woken; after an error it backs off, up to five seconds. */
export function createLoop(
  work: (signal: AbortSignal) => Promise<boolean>,
  onError: (error: unknown) => void,
) {
  let isRunning = false;
  let isAwake = false;
  let endWait: (() => void) | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopping = new AbortController();

  async function run(): Promise<void> {
    let backoffMs = 0;
    while (isRunning) {
      isAwake = false;
      let hasWorked = false;
      try {
        hasWorked = await work(stopping.signal);
        backoffMs = 0;
      } catch (error) {
        onError(error);
        backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs === 0 ? 100 : backoffMs * 2);
      }
      if (!isRunning) return;
      if (backoffMs > 0) await wait(backoffMs, true);
      else if (!hasWorked && !isAwake) await wait(IDLE_MS, false);
    }
  }

  /** Waits for `wake`; a backoff ends early only when the loop stops. */
  async function wait(ms: number, isBackoff: boolean): Promise<void> {
    const waiting = new AbortController();
    endWait = () => {
      if (!isBackoff || !isRunning) waiting.abort();
    };
    await sleep(ms, undefined, { signal: waiting.signal }).catch(() => {});
    endWait = undefined;
  }

  return {
    start: () => {
      if (isRunning) return;
      isRunning = true;
      stopping = new AbortController();
      running = run();
    },
    /** Signals that there may be work. Returns immediately. */
    wake: () => {
      isAwake = true;
      endWait?.();
    },
    /** Aborts `signal` and waits for the current round. */
    stop: async () => {
      isRunning = false;
      stopping.abort();
      endWait?.();
      await running;
    },
    /** Aborted while the loop is stopping. */
    signal: () => stopping.signal,
  };
}

import cluster from "node:cluster";
import type { Log } from "@/lib/domain/ports.ts";
import { within } from "@/lib/domain/within.ts";
import { explainCause } from "./watch/error-text.ts";

/** Ends the process when stopping takes longer, whatever it waits for. */
const GRACE_MS = 15_000;

/** How long the parts may take to close together; each of the last ones at least a moment. */
const CLOSE_MS = 5_000;
const CLOSE_PART_MS = 500;

/** What is open, the latest last. */
export type Closers = (() => Promise<unknown>)[];

/**
 * Runs `stop` once at Ctrl-C or a polite kill, then ends the process; a second signal ends it at once. A worker
 * ignores Ctrl-C and a second signal: a terminal or a service manager signals every process, and the parent of the worker
 * orders it to stop as well.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const end = () => {
    if (isStopping && cluster.isWorker) return;
    if (isStopping) process.exit(130);
    isStopping = true;
    setTimeout(() => {
      console.error(`Stopping took longer than ${GRACE_MS / 1000} s. Ended.`);
      process.exit(1);
    }, GRACE_MS).unref();
    stop().then(
      () => process.exit(0),
      (cause) => {
        console.error(explainCause(cause));
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", () => cluster.isPrimary && end());
  process.on("SIGTERM", end);
}

/** Closes the latest first. One that fails is logged, and one that hangs is left behind. */
export async function closeInTime(closers: Closers, log: Log): Promise<void> {
  const deadline = performance.now() + CLOSE_MS;
  for (const close of closers.splice(0).reverse()) {
    const work = close().catch((cause) =>
      log.warn({ cause: String(cause) }, "could not close a part"),
    );
    const leftMs = Math.max(deadline - performance.now(), CLOSE_PART_MS);
    await within(work, leftMs, "The part hangs.").catch(() => {});
  }
}

import cluster from "node:cluster";

/** Longer than npm takes to pass a signal on, and shorter than a person's second Ctrl-C. */
const REPEATED_MS = 150;
const SIGNALS = ["SIGINT", "SIGTERM"];

/**
 * A terminal sends Ctrl-C to npm and to this process, and npm passes its own on: both are one request to stop. A worker's
 * second signal is its parent's order to stop, and its first one may have been a Ctrl-C that it ignores.
 */
export function ignoreRepeatedSignals(target) {
  if (cluster.isWorker) return;
  const emit = target.emit;
  let last = Number.NEGATIVE_INFINITY;
  target.emit = (name, ...details) => {
    if (SIGNALS.includes(name)) {
      const now = performance.now();
      if (now - last < REPEATED_MS) return true;
      last = now;
    }
    return emit.call(target, name, ...details);
  };
}

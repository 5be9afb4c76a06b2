import cluster, { type Worker } from "node:cluster";
import { stopOnSignal } from "./stop-on-signal.ts";
import { createLog } from "./watch/log.ts";

export type WorkerSettings = {
  /** How many processes answer on the port. */
  workers: number;
  port: number;
  /** The first worker's; each other one has the next port. */
  metrics?: { port: number } | undefined;
  logLevel: string;
};

/** The pause before a worker that died as it started is started again; it doubles each time. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Runs `serve` in this process or, with more than one worker, in that many processes behind one port. A worker
 * that dies is replaced, again and again where the replacement dies as it starts: the database may be away. One that dies
 * before any worker has listened ends them all, because the settings are wrong.
 */
export async function inWorkers(
  settings: WorkerSettings,
  serve: () => Promise<void>,
): Promise<void> {
  if (settings.workers === 1 || cluster.isWorker) await serve();
  else supervise(settings);
}

/** Ends the workers first, and this process after the last of them; where it ends before them, they end at once. */
function supervise({ workers, port, metrics, logLevel }: WorkerSettings): void {
  const log = createLog(logLevel);
  const indexes = new Map<Worker, number>();
  const pauses = new Map<number, number>();
  let hasListened = false;
  let isStopping = false;
  const fork = (index: number) => {
    if (isStopping) return;
    const own = metrics && { METRICS_PORT: String(metrics.port + index) };
    // The ports of the other workers are not checked again in this one.
    indexes.set(cluster.fork({ TURNPIKE_WORKERS: "1", ...own }), index);
  };
  const exitAfterLast = () => {
    if (isStopping && indexes.size === 0) process.exit();
  };
  const stop = () => {
    isStopping = true;
    for (const worker of indexes.keys()) worker.process.kill("SIGTERM");
    exitAfterLast();
  };
  // The port of the metrics is opened first and does not count.
  cluster.on("listening", (worker, address) => {
    if (port !== 0 && address.port !== port) return;
    hasListened = true;
    pauses.delete(indexes.get(worker) ?? 0);
  });
  cluster.on("exit", (worker, code, signal: string | null) => {
    const index = indexes.get(worker) ?? 0;
    indexes.delete(worker);
    if (isStopping) return exitAfterLast();
    if (!hasListened) {
      process.exitCode = 1;
      return stop();
    }
    const pauseMs = pauses.get(index) ?? 0;
    pauses.set(index, Math.min(pauseMs * 2 || FIRST_PAUSE_MS, LONGEST_PAUSE_MS));
    const { pid } = worker.process;
    log.warn({ pid, code, signal, pauseMs }, "a worker ended, and another takes its place");
    setTimeout(fork, pauseMs, index);
  });
  process.on("exit", () => {
    for (const worker of indexes.keys()) worker.process.kill("SIGKILL");
  });
  stopOnSignal(() => {
    stop();
    // The exit of the last worker ends this process.
    return new Promise(() => {});
  });
  for (let index = 0; index < workers; index += 1) fork(index);
}

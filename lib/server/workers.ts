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

/**
 * Runs `serve` in this process or, with more than one worker, in that many processes behind one port. A worker
 * that dies is replaced; one that dies before it listens ends them all, because the next one would die too.
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
  const listening = new Set<Worker>();
  let isStopping = false;
  const fork = (index: number) => {
    const own = metrics && { METRICS_PORT: String(metrics.port + index) };
    indexes.set(cluster.fork(own), index);
  };
  const stop = () => {
    isStopping = true;
    for (const worker of indexes.keys()) worker.process.kill("SIGTERM");
  };
  // The port of the metrics is opened first and does not count.
  cluster.on("listening", (worker, address) => {
    if (port === 0 || address.port === port) listening.add(worker);
  });
  cluster.on("exit", (worker, code, signal: string | null) => {
    const index = indexes.get(worker) ?? 0;
    indexes.delete(worker);
    if (!isStopping && listening.delete(worker)) {
      const { pid } = worker.process;
      log.warn({ pid, code, signal }, "a worker ended, and another takes its place");
      fork(index);
    } else if (!isStopping) {
      process.exitCode = 1;
      stop();
    }
    if (indexes.size === 0) process.exit();
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

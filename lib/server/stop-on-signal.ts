import cluster from "node:cluster";

/**
 * Runs `stop` once at Ctrl-C or a polite kill, then ends the process; a second Ctrl-C ends it at once. A worker
 * leaves Ctrl-C, which a terminal sends to every process, to the one that started it.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const end = () => {
    if (isStopping) process.exit(130);
    isStopping = true;
    stop().then(
      () => process.exit(0),
      (cause) => {
        console.error(cause);
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", () => cluster.isPrimary && end());
  process.on("SIGTERM", end);
}

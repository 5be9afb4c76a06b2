/** Ends the process when stopping takes longer, whatever it waits for. */
const GRACE_MS = 15_000;

/** Runs `stop` once at Ctrl-C or a polite kill, then ends the process; a second Ctrl-C ends it at once. */
export function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const end = () => {
    if (isStopping) process.exit(130);
    isStopping = true;
    setTimeout(() => {
      console.error(`Stopping took longer than ${GRACE_MS / 1000} s. Ended.`);
      process.exit(1);
    }, GRACE_MS).unref();
    stop().then(
      () => process.exit(0),
      (cause) => {
        console.error(cause);
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
}

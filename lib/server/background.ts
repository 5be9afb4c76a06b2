import type { Log } from "@/lib/domain/ports.ts";

/** Work that repeats until it is stopped. */
export type Background = { stop: () => Promise<void> };

/**
 * Runs `work` every so often, never twice at once; a failure is logged and the next round comes. While
 * there was something to do, the next round comes at once.
 */
export function repeat(
  name: string,
  everyMs: number,
  log: Log,
  work: () => Promise<number>,
): Background {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;

  const round = async () => {
    const done = await work().catch((cause) => {
      log.warn({ work: name, cause: String(cause) }, "background work failed");
      return 0;
    });
    if (!isStopped) timer = setTimeout(start, done > 0 ? 0 : everyMs);
  };
  const start = () => {
    running = round();
  };
  timer = setTimeout(start, everyMs);

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

import type { Log } from "@/lib/domain/ports.ts";
import { describeCause } from "./watch/error-text.ts";

/** Work that repeats; a number above zero means that there is more to do now. */
export type Work = {
  name: string;
  everyMs: number;
  run: () => Promise<unknown>;
  /** Breaks off what a round began and did not wait for. */
  stop?: () => Promise<void>;
};

export type Background = { stop: () => Promise<void> };

/** Starts every item of the list on its own timer. */
export function startBackground(list: readonly Work[], log: Log): Background {
  const running = list.map((work) => repeat(work, log));
  return {
    async stop() {
      await Promise.all(running.map((work) => work.stop()));
    },
  };
}

/** Logs the first of the failures that are alike, and the first success after them. */
function createNote(work: string, log: Log) {
  let before = "";
  let failures = 0;
  return (cause: string) => {
    const state = cause.replaceAll(/\d+/g, "");
    failures += state === "" ? 0 : 1;
    if (state === before) return;
    before = state;
    if (state !== "") return log.warn({ work, cause }, "background work failed");
    log.info({ work, failures }, "background work succeeds again");
    failures = 0;
  };
}

/** One round at a time. A failure is noted and the next round comes; while there is more to do, it comes at once. */
function repeat({ name, everyMs, run, stop }: Work, log: Log): Background {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;

  const note = createNote(name, log);
  const round = async () => {
    const done = await run().then(
      (more) => {
        note("");
        return more;
      },
      (cause) => note(describeCause(cause)),
    );
    if (!isStopped) timer = setTimeout(start, typeof done === "number" && done > 0 ? 0 : everyMs);
  };
  const start = () => {
    running = round();
  };
  timer = setTimeout(start, everyMs);

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await stop?.();
      await running;
      // What the last round began while it was being stopped.
      await stop?.();
    },
  };
}

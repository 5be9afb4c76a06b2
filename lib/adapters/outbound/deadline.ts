/** Ends a wait when its own time is up or when the whole request ends. */
export type Deadline = ReturnType<typeof startDeadline>;

/** The deadline of one request: `late` after `totalMs`, `gone` when its caller aborts. */
export function startDeadline(
  totalMs: number,
  caller: AbortSignal | undefined,
  { late, gone }: { late: () => Error; gone: () => Error },
) {
  const controller = new AbortController();
  const end = (reason: Error) => controller.abort(reason);
  const onGone = () => end(gone());
  const timer = setTimeout(() => end(late()), totalMs);
  caller?.addEventListener("abort", onGone, { once: true });
  if (caller?.aborted) onGone();
  const { signal } = controller;
  return {
    signal,
    /** Ends every remaining wait. */
    end,
    /** The work's result, or `late`'s error if it takes longer; rejects with the reason if the request ends first. */
    within<T>(ms: number, work: Promise<T>, lateAfter: () => Error): Promise<T> {
      return new Promise((done, failed) => {
        const stop = () => failed(signal.reason);
        const own = setTimeout(() => failed(lateAfter()), ms);
        if (signal.aborted) stop();
        signal.addEventListener("abort", stop, { once: true });
        work.then(done, failed).finally(() => {
          clearTimeout(own);
          signal.removeEventListener("abort", stop);
        });
      });
    },
    close() {
      clearTimeout(timer);
      caller?.removeEventListener("abort", onGone);
    },
  };
}

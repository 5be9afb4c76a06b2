const NOT_FETCHED =
  "The run could not be loaded, so nothing was sent. Check your connection and run again.";
const STOPPED = "You stopped the run before anything was sent.";

/** Loads the code of runs. Throws a message for the user if that fails, so the next call retries, or if aborted. */
export function fetchEngine(signal?: AbortSignal) {
  return new Promise<typeof import("./play-run.ts")>((done, failed) => {
    signal?.addEventListener("abort", () => failed(new Error(STOPPED)), { once: true });
    import("./play-run.ts").then(done, (cause) => failed(new Error(NOT_FETCHED, { cause })));
  });
}

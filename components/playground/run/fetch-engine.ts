const NOT_FETCHED =
  "What a run needs could not be loaded, so nothing was sent. Check the connection and run again.";
const STOPPED = "You stopped it before anything was sent.";

/**
 * What runs are made of, fetched once. Throws a sentence for the person when it cannot be fetched, after which
 * the next call tries again, and when `signal` does not want to wait any longer.
 */
export function fetchEngine(signal?: AbortSignal) {
  return new Promise<typeof import("./play-run.ts")>((done, failed) => {
    signal?.addEventListener("abort", () => failed(new Error(STOPPED)), { once: true });
    import("./play-run.ts").then(done, (cause) => failed(new Error(NOT_FETCHED, { cause })));
  });
}

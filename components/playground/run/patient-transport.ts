import type { Transport } from "@/lib/playground/ports.ts";

const WAIT_MS = 3_000;
/** Longer than the minute that the service counts by. */
const MOST_WAITS = 24;

/**
 * Waits and asks again where the service says that it sends no more this minute: a whole lab is many requests.
 * What was refused so was never sent, so it is not sent twice.
 */
export const patient =
  (transport: Transport): Transport =>
  async (request, options) => {
    const { signal, onProgress } = options;
    for (let waits = 0; ; waits += 1) {
      const exchange = await transport(request, options);
      const { failure } = exchange;
      const mayWait = failure?.kind === "refused" && failure.code === "rate_limited";
      if (!mayWait || waits >= MOST_WAITS || signal.aborted) return exchange;
      onProgress("Many requests this minute. Waiting until more may be sent.");
      await new Promise<void>((done) => {
        const timer = setTimeout(done, WAIT_MS);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          done();
        });
      });
    }
  };

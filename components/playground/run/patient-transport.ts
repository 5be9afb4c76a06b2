import type { Transport } from "@/lib/playground/ports.ts";

const WAIT_MS = 3_000;
/** Longer than the service's one-minute rate limit. */
const MAX_WAITS = 24;

/** Retries while rate limited, since a full lab run makes many requests. A rate-limited request was never sent. */
export const patient =
  (transport: Transport): Transport =>
  async (request, options) => {
    const { signal, onProgress } = options;
    for (let waits = 0; ; waits += 1) {
      const exchange = await transport(request, options);
      const { failure } = exchange;
      const mayWait = failure?.kind === "refused" && failure.code === "rate_limited";
      if (!mayWait || waits >= MAX_WAITS || signal.aborted) return exchange;
      onProgress("Rate limit reached. Waiting to continue.");
      await new Promise<void>((done) => {
        const timer = setTimeout(done, WAIT_MS);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          done();
        });
      });
    }
  };

import type { Settlement } from "@turnpike/payments/protocol";

/** Settles one request id; throws if it gets no response. */
export type Settle = (agentRequestId: string) => Promise<Settlement>;

/** Callers that settle new request ids until they are stopped. */
export type SettleLoad = {
  /** Waits for a number of further successes. */
  more: (count: number) => Promise<void>;
  asked: () => string[];
  /** Stops, and returns every id that succeeded with its answer, and the response times. */
  end: () => Promise<{ answered: Map<string, Settlement>; p50Ms: number; slowestMs: number }>;
};

/** A settle comes at least so often, also while a replica starts again. */
const NEXT_WITHIN_MS = 60_000;

/** Starts a {@link SettleLoad}. A caller that gets no response pauses briefly. */
export function loadSettles(
  settle: Settle,
  prefix: string,
  { callers = 8, pauseMs = 0 } = {},
): SettleLoad {
  const answered = new Map<string, Settlement>();
  const asked: string[] = [];
  const times: number[] = [];
  let isEnded = false;
  const call = async () => {
    while (!isEnded) {
      const id = `${prefix}-${asked.length.toString().padStart(12, "0")}`;
      asked.push(id);
      const start = performance.now();
      const answer = await settle(id).catch(() => null);
      if (answer?.success) {
        answered.set(id, answer);
        times.push(Math.round(performance.now() - start));
      }
      await new Promise((wake) => setTimeout(wake, answer ? pauseMs : 100));
    }
  };
  const calling = Promise.all(Array.from({ length: callers }, call));
  return {
    async more(count) {
      const goal = answered.size + count;
      let seen = answered.size;
      let deadline = Date.now() + NEXT_WITHIN_MS;
      while (answered.size < goal) {
        if (answered.size > seen) {
          seen = answered.size;
          deadline = Date.now() + NEXT_WITHIN_MS;
        }
        if (Date.now() > deadline) throw new Error(`Only ${answered.size} of ${goal} settles.`);
        await new Promise((wake) => setTimeout(wake, 5));
      }
    },
    asked: () => asked,
    async end() {
      isEnded = true;
      await calling;
      times.sort((a, b) => a - b);
      const p50Ms = times[Math.floor(times.length / 2)] ?? 0;
      return { answered, p50Ms, slowestMs: times.at(-1) ?? 0 };
    },
  };
}

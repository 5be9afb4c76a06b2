import { PaymentsError } from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";

/** A step is repeated: something changed since it was read. */
export type Again = "again";

/** Another request must move first. It changes `balance`, and `builder` asked. */
export type Wait = { waitFor: "order" | "crowded"; balance: string; builder: string };

const WAITS_FOR = {
  again: "The balance keeps changing.",
  order: "An order of the plan is in progress.",
  crowded:
    "Too many requests are reserved: at most 256 per token and, until a request on the plan has been charged, a quarter of the credits or four requests. Settle or release some.",
};

const MAX_ROUNDS = 200;
const MAX_WAIT_MS = 10_000;
const PAUSE_MS = 50;
/** Up to a thousand of a builder's waiting requests look a thousand times a second together. More look once a second each. */
const PAUSE_MS_EACH = 1;
const MOST_PAUSE_MS = 1_000;
const MOST_OF_BALANCE = 256;

/** How many requests wait in this process, by builder and by balance. */
const waiting = new Map<string, number>();

/**
 * Repeats a step until it has a result: the one retry policy of the money path. At most about ten seconds of waiting for
 * other requests, because one may lose many times in a row under contention. Throws `unavailable` after that, and at once
 * where too many wait for the same balance.
 */
export async function untilDone<T>(
  { ports }: Pick<Context, "ports">,
  step: () => Promise<T | Again | Wait>,
): Promise<T> {
  let reason: keyof typeof WAITS_FOR = "again";
  let waitedMs = 0;
  let leave = () => {};
  try {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const result = await step();
      if (result === "again") {
        reason = "again";
        continue;
      }
      if (!isWait(result)) return result;
      reason = result.waitFor;
      // What is done during a pause is seen: each is followed by a look.
      if (round === MAX_ROUNDS || waitedMs >= MAX_WAIT_MS) break;
      const { builder, balance } = result;
      if (waitedMs === 0) {
        if (countOf(balance) >= MOST_OF_BALANCE) break;
        leave = enter([builder, balance]);
      }
      const crowdedMs = Math.min(countOf(builder) * PAUSE_MS_EACH, MOST_PAUSE_MS);
      const pauseMs = Math.min(Math.max(PAUSE_MS, crowdedMs), MAX_WAIT_MS - waitedMs);
      await ports.pause(pauseMs);
      waitedMs += pauseMs;
    }
  } finally {
    leave();
  }
  throw new PaymentsError("unavailable", `${WAITS_FOR[reason]} Retry with the same request id.`, {
    retryAfterSecs: 1,
  });
}

const isWait = (result: unknown): result is Wait =>
  typeof result === "object" && result !== null && "waitFor" in result;

const countOf = (key: string) => waiting.get(key) ?? 0;

function enter(keys: readonly string[]): () => void {
  for (const key of keys) waiting.set(key, countOf(key) + 1);
  return () => {
    for (const key of keys) {
      const others = countOf(key) - 1;
      if (others > 0) waiting.set(key, others);
      else waiting.delete(key);
    }
  };
}

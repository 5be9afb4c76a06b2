import type { MirrorLedger, MirrorState, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import type { MirroredState } from "@/lib/domain/rails/rail.ts";

type Waiting = { until: "submitted" | "included"; resolve: (state: MirroredState | null) => void };

const POLL_MS = 100;

/**
 * Lets callers wait for their settlement to reach the chain. Waiting costs no query while the bundler runs in this process;
 * `findStates` is polled now and then, for all waiting callers at once, because another replica may be the one that sends.
 */
export function createMirrorWaiter(findStates: MirrorLedger["findStates"]) {
  const waiting = new Map<string, Set<Waiting>>();
  let timer: NodeJS.Timeout | undefined;

  function notify(update: MirrorState): void {
    for (const one of waiting.get(update.settlementId) ?? []) {
      if (hasReached(update.status, one.until)) {
        one.resolve({
          chainStatus: update.status,
          transaction: update.transaction,
        });
      }
    }
  }

  async function poll(): Promise<void> {
    for (const state of await findStates([...waiting.keys()]).catch(() => [])) notify(state);
    timer = waiting.size > 0 ? setTimeout(poll, POLL_MS) : undefined;
    timer?.unref();
  }

  return {
    /** Receives changes from this process's bundler. */
    announce: (updates: SettlementUpdate[]): void => {
      if (waiting.size > 0) for (const update of updates) notify(update);
    },
    /** Resolves once a settlement has reached the status or failed; null on timeout. */
    waitFor(
      settlementId: string,
      until: "submitted" | "included",
      timeoutMs: number,
    ): Promise<MirroredState | null> {
      return new Promise((settle) => {
        const mine: Waiting = { until, resolve: end };
        const giveUp = setTimeout(() => end(null), timeoutMs);
        function end(state: MirroredState | null): void {
          clearTimeout(giveUp);
          const others = waiting.get(settlementId);
          others?.delete(mine);
          if (others?.size === 0) waiting.delete(settlementId);
          settle(state);
        }
        const others = waiting.get(settlementId) ?? new Set();
        waiting.set(settlementId, others.add(mine));
        if (timer) return;
        timer = setTimeout(poll, POLL_MS);
        timer.unref();
      });
    },
  };
}

function hasReached(status: string, until: "submitted" | "included"): boolean {
  return status === until || ["included", "final", "failed"].includes(status);
}

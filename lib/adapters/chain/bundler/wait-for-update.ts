import { setTimeout as sleep } from "node:timers/promises";
import type { SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import { pollUntil } from "../poll.ts";
import type { BundlerStore } from "./bundler-store.ts";

/** Those who hear of every change of a settlement in this process. */
export type UpdateListeners = Set<(updates: SettlementUpdate[]) => void>;

const STORE_POLL_MS = 50;

/**
 * Waits until a settlement has got as far as `status` or has failed; `undefined` when time is up. It listens, and asks
 * the store now and then too, because the replica that sends may be another one.
 */
export async function waitForUpdate(options: {
  store: BundlerStore;
  listeners: UpdateListeners;
  settlementId: string;
  status: "submitted" | "included";
  timeoutMs: number;
}): Promise<SettlementUpdate | undefined> {
  const { store, listeners, settlementId, status, timeoutMs } = options;
  const isEnough = (update: SettlementUpdate) =>
    update.settlementId === settlementId && hasReached(update, status);
  let heard: SettlementUpdate | undefined;
  let hear: () => void = () => {};
  const listener = (updates: SettlementUpdate[]) => {
    heard = updates.find(isEnough) ?? heard;
    if (heard) hear();
  };
  listeners.add(listener);
  try {
    return await pollUntil(
      async () => {
        const stored = heard ?? (await store.findUpdate(settlementId));
        if (stored && isEnough(stored)) return stored;
        const hearing = new Promise<void>((resolve) => {
          hear = resolve;
        });
        await Promise.race([hearing, sleep(Math.min(STORE_POLL_MS, timeoutMs))]);
        return heard;
      },
      { timeoutMs, firstMs: 1, maxMs: 1 },
    );
  } finally {
    listeners.delete(listener);
  }
}

function hasReached(update: SettlementUpdate, status: "submitted" | "included"): boolean {
  return update.status === status || ["included", "final", "failed"].includes(update.status);
}

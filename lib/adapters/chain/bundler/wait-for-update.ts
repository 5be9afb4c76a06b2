import { setTimeout as sleep } from "node:timers/promises";
import type { SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import { pollUntil } from "../poll.ts";
import type { BundlerStore } from "./bundler-store.ts";

/** Called with every settlement change in this process. */
export type UpdateListeners = Set<(updates: SettlementUpdate[]) => void>;

const STORE_POLL_MS = 50;

/**
 * Waits until a settlement has reached `status` or failed; `undefined` on timeout. It listens, and polls
 * the store too, because another replica may be the one that sends.
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

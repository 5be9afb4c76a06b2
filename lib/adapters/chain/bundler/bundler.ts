import type { Address } from "viem";
import { type BundlerOptions, type BundlerSettings, DEFAULTS } from "./bundler-options.ts";
import { createLoop } from "./loop.ts";
import { createBundleRecovery } from "./recover-bundles.ts";
import { runRound } from "./run-round.ts";

export type Bundler = ReturnType<typeof createBundler>;

/**
 * Mirrors settlements on chain, in rounds and without a timer: each round takes what queued during the previous one.
 * One replica sends per lane at a time; a restart continues from the store.
 */
export function createBundler(options: BundlerOptions) {
  const { lane, owner, store } = options;
  const settings: BundlerSettings = {
    ...DEFAULTS,
    ...options,
    announce: (updates) => updates.length > 0 && settings.onUpdate(updates),
  };
  const recovery = createBundleRecovery(settings);
  const lease = { lane, owner, ttlMs: settings.leaseMs };
  const context = { ...settings, recovery, lease, known: new Set<Address>() };
  const loop = createLoop(
    async (signal) => (await runRound(context, signal)) !== undefined,
    settings.onTrouble,
  );

  return {
    /** Runs one round, for tests and tools. `undefined` when there was no work or another replica holds the lane. */
    runRound: () => runRound(context, loop.signal()),
    /** Rechecks included bundles until they are `safeDepth` blocks deep. */
    checkFinality: recovery.checkFinality,
    /** Whether this replica is the one that sends for the lane now. */
    takeLease: () => store.takeLease(lease),
    /** Signals that there may be work. Returns immediately. */
    wake: loop.wake,
    start: loop.start,
    /** Finishes the current round, unless the chain does not answer, and releases the lease. */
    stop: async () => {
      await loop.stop();
      await store.releaseLease({ lane, owner });
    },
  };
}

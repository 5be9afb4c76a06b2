import type { Bundle, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import { pollUntil } from "../poll.ts";
import type { BundlerSettings } from "./bundler-options.ts";
import { putOff, readBundleOutcome } from "./resolve-bundle.ts";
import { RETRY_BASE_MS, submittedUpdates } from "./settlement-updates.ts";

const RESEND_WAIT_MS = 2_000;

export type BundleRecovery = {
  /** Stores the outcome of a bundle; `undefined` when the chain does not know it. */
  close: (bundle: Bundle) => Promise<SettlementUpdate[] | undefined>;
  /** Makes all settlements of a bundle due again that can never be included. */
  putBack: (bundle: Bundle, reason: string) => Promise<void>;
  /** Determines the outcome of earlier bundles. False while one is still undecided. */
  resolveOpen: () => Promise<boolean>;
  /** Reopens bundles whose block was reverted, and finalizes those `safeDepth` blocks deep. */
  checkFinality: () => Promise<void>;
};

/** Finishes what the bundler began: after a restart, an unresponsive chain or a reorganization. */
export function createBundleRecovery(options: BundlerSettings): BundleRecovery {
  const { store, lane } = options;
  return {
    close: (bundle) => closeBundle(options, bundle),
    putBack: (bundle, reason) => putBack(options, bundle, reason),
    resolveOpen: async () => {
      for (const bundle of await store.listOpenBundles({ lane })) {
        const isClosed = (await closeBundle(options, bundle)) || (await resend(options, bundle));
        if (!isClosed) return false;
      }
      return true;
    },
    checkFinality: () => checkFinality(options),
  };
}

async function closeBundle(
  { client, deployment, store, sinceBlock, now, announce }: BundlerSettings,
  bundle: Bundle,
): Promise<SettlementUpdate[] | undefined> {
  const retryAt = now() + RETRY_BASE_MS;
  const outcome = await readBundleOutcome({ client, deployment, bundle, retryAt, sinceBlock });
  if (!outcome) return undefined;
  const { block, updates } = outcome;
  await store.closeBundle({ bundleId: bundle.id, block, updates });
  announce(updates);
  return updates;
}

async function putBack(
  { store, now, announce }: BundlerSettings,
  bundle: Bundle,
  reason: string,
): Promise<void> {
  const updates = bundle.burns.flatMap(({ settlements }) =>
    settlements.map(({ settlementId }) => putOff(settlementId, reason, now())),
  );
  await store.closeBundle({ bundleId: bundle.id, block: 0n, updates });
  announce(updates);
}

/** Sends a lost bundle's transaction again: its nonce lets it be included at most once. */
async function resend(options: BundlerSettings, bundle: Bundle): Promise<boolean> {
  const { client, sender, onTrouble } = options;
  const last = bundle.transactions.at(-1);
  if (last) {
    const nonce = await client.getTransactionCount({ address: sender.address, blockTag: "latest" });
    if (nonce <= last.nonce) {
      await client.sendRawTransaction({ serializedTransaction: last.raw }).catch(onTrouble);
      const close = () => closeBundle(options, bundle);
      return (await pollUntil(close, { timeoutMs: RESEND_WAIT_MS })) !== undefined;
    }
    // It may have been included since the last look.
    if (await closeBundle(options, bundle)) return true;
  }
  // Another transaction took the nonce, so this one can never be included.
  await putBack(options, bundle, "NonceTaken");
  return true;
}

async function checkFinality(options: BundlerSettings): Promise<void> {
  const { client, deployment, store, lane, safeDepth, sinceBlock, announce } = options;
  const latest = await client.getBlockNumber();
  for (const bundle of await store.listUnfinalBundles({ lane, limit: 100 })) {
    const read = { client, deployment, bundle, retryAt: 0, sinceBlock };
    const outcome = await readBundleOutcome(read);
    if (!outcome) {
      await store.reopenBundle(bundle.id);
      announce(submittedUpdates(bundle));
    } else if (latest - outcome.block >= safeDepth) {
      await store.finalizeBundle(bundle.id);
    }
  }
}

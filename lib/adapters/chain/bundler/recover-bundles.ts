import type { Bundle, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import type { ChainClient } from "../chain-client.ts";
import type { Deployment } from "../deployment.ts";
import { pollUntil } from "../poll.ts";
import type { BundlerStore } from "./bundler-store.ts";
import { putOff, readBundleOutcome } from "./resolve-bundle.ts";
import { RETRY_BASE_MS, submittedUpdates } from "./settlement-updates.ts";

const RESEND_WAIT_MS = 2_000;

export type BundleRecovery = {
  /** Writes down what became of a bundle; `undefined` when the chain knows nothing of it. */
  close: (bundle: Bundle) => Promise<SettlementUpdate[] | undefined>;
  /** Makes all settlements of a bundle due again that can never be included. */
  putBack: (bundle: Bundle, reason: string) => Promise<void>;
  /** Finds out what became of bundles that were sent before. False while one of them is still undecided. */
  resolveOpen: () => Promise<boolean>;
  /** Opens bundles again whose block was taken back, and marks those as final that are `safeDepth` blocks deep. */
  checkFinality: () => Promise<void>;
};

/** The part of the bundler that finishes what was begun: after a restart, a silent chain or a reorganisation. */
export function createBundleRecovery(options: {
  client: ChainClient;
  deployment: Deployment;
  settler: `0x${string}`;
  store: BundlerStore;
  lane: string;
  safeDepth: bigint;
  sinceBlock: bigint;
  now: () => number;
  announce: (updates: SettlementUpdate[]) => void;
  onTrouble: (error: unknown) => void;
}): BundleRecovery {
  const {
    client,
    deployment,
    settler,
    store,
    lane,
    safeDepth,
    sinceBlock,
    now,
    announce,
    onTrouble,
  } = options;

  async function close(bundle: Bundle): Promise<SettlementUpdate[] | undefined> {
    const retryAt = now() + RETRY_BASE_MS;
    const outcome = await readBundleOutcome({ client, deployment, bundle, retryAt, sinceBlock });
    if (!outcome) return undefined;
    await store.closeBundle({
      bundleId: bundle.id,
      block: outcome.block,
      updates: outcome.updates,
    });
    announce(outcome.updates);
    return outcome.updates;
  }

  async function putBack(bundle: Bundle, reason: string): Promise<void> {
    const updates = bundle.burns.flatMap(({ settlements }) =>
      settlements.map(({ settlementId }) => putOff(settlementId, reason, now())),
    );
    await store.closeBundle({ bundleId: bundle.id, block: 0n, updates });
    announce(updates);
  }

  /** Sends a lost bundle's own transaction again: with its nonce it can be included once at most. */
  async function sendAgain(bundle: Bundle): Promise<boolean> {
    const last = bundle.transactions.at(-1);
    if (last) {
      const nonce = await client.getTransactionCount({ address: settler, blockTag: "latest" });
      if (nonce <= last.nonce) {
        await client.sendRawTransaction({ serializedTransaction: last.raw }).catch(onTrouble);
        return (await pollUntil(() => close(bundle), { timeoutMs: RESEND_WAIT_MS })) !== undefined;
      }
      // It may have been included since we looked.
      if (await close(bundle)) return true;
    }
    // Another transaction took the nonce, so this one can never be included.
    await putBack(bundle, "NonceTaken");
    return true;
  }

  return {
    close,
    putBack,
    resolveOpen: async () => {
      for (const bundle of await store.listOpenBundles({ lane })) {
        if (!(await close(bundle)) && !(await sendAgain(bundle))) return false;
      }
      return true;
    },
    checkFinality: async () => {
      const latest = await client.getBlockNumber();
      for (const bundle of await store.listUnfinalBundles({ lane, limit: 100 })) {
        const outcome = await readBundleOutcome({
          client,
          deployment,
          bundle,
          retryAt: 0,
          sinceBlock,
        });
        if (!outcome) {
          await store.reopenBundle(bundle.id);
          announce(submittedUpdates(bundle));
        } else if (latest - outcome.block >= safeDepth) {
          await store.finalizeBundle(bundle.id);
        }
      }
    },
  };
}

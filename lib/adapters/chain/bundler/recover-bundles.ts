import { type Hex, parseTransaction, type TransactionSerializedEIP7702 } from "viem";
import type { Bundle, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import type { Authorization } from "../grants/session-key.ts";
import { pollUntil } from "../poll.ts";
import type { BundlerSettings } from "./bundler-options.ts";
import { LeaseLost } from "./bundler-store.ts";
import { isOperationUnused } from "./find-operation.ts";
import { type BundleOutcome, putOff, readBundleOutcome } from "./resolve-bundle.ts";
import { readTakenNonces, senderOf } from "./sent-nonces.ts";
import { RETRY_BASE_MS, submittedUpdates } from "./settlement-updates.ts";
import { feesOf, type SignedTransaction } from "./transaction-sender.ts";

const RESEND_WAIT_MS = 2_000;
/** Bundles that are checked at a time, beside those that failed before: they are the oldest, and come first again. */
const FINALITY_A_ROUND = 100;
const MOST_FAILING = 1_000;

export type BundleRecovery = ReturnType<typeof createBundleRecovery>;

/** `refused` is the transaction that the chain refused, if it did. */
type WhyLost = { reason: string; refused?: Hex | undefined };

/** Finishes what the bundler began: after a restart, an unresponsive chain or a reorganization. */
export function createBundleRecovery(options: BundlerSettings) {
  const { store, lane } = options;
  let failing = 0;
  return {
    /** Stores the outcome of a bundle; `undefined` when the chain does not know it. */
    close: (bundle: Bundle) => closeBundle(options, bundle),
    /** Makes all settlements of a bundle due again. False, and nothing done, unless it can never be included. */
    putBackLost: (bundle: Bundle, why: WhyLost) => putBackLost(options, bundle, why),
    /** Determines the outcome of earlier bundles. False while one is still undecided. */
    resolveOpen: async (signal: AbortSignal): Promise<boolean> => {
      for (const bundle of await store.listOpenBundles({ lane })) {
        const isClosed =
          (await closeBundle(options, bundle)) || (await resend(options, bundle, signal));
        if (!isClosed) return false;
      }
      return true;
    },
    /** Reopens or corrects bundles whose block was reverted, and finalizes those `safeDepth` blocks deep. */
    async checkFinality(): Promise<void> {
      const failures = await checkFinality(options, FINALITY_A_ROUND + failing);
      failing = Math.min(failures.length, MOST_FAILING);
      if (failing > 0) throw failures[0];
    },
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

async function putBackLost(
  options: BundlerSettings,
  bundle: Bundle,
  { reason, refused }: WhyLost,
): Promise<boolean> {
  const { store, now, announce, onTrouble } = options;
  const isProven = await isLost(options, bundle, refused).catch((cause) => {
    onTrouble(cause);
    return false;
  });
  if (!isProven) return false;
  const updates = bundle.burns.flatMap(({ settlements }) =>
    settlements.map(({ settlementId }) => putOff(settlementId, reason, now())),
  );
  await store.closeBundle({ bundleId: bundle.id, block: 0n, updates });
  announce(updates);
  return true;
}

/**
 * Whether a bundle is in no block and can never be in one: its nonces are taken and its operations are unused, both
 * at the same block. Several nodes may answer behind one address, so a nonce of one and an operation of another prove
 * nothing. What is put back is grouped again, under another nonce of the operation, and could burn twice.
 *
 * @throws when the node does not know the block.
 */
async function isLost(
  { client, deployment }: BundlerSettings,
  { transactions, burns }: Bundle,
  refused: Hex | undefined,
): Promise<boolean> {
  const blockNumber = await client.getBlockNumber();
  const sent = await withSenders(transactions.filter(({ hash }) => hash !== refused));
  if (!sent.every(await readTakenNonces(client, sent, { blockNumber }))) return false;
  const unused = await Promise.all(
    burns.map(({ sessionKey, nonceKey }) =>
      isOperationUnused({ client, deployment, sessionKey, nonceKey, blockNumber }),
    ),
  );
  return unused.every(Boolean);
}

const withSenders = (transactions: Bundle["transactions"]) =>
  Promise.all(transactions.map(async (form) => ({ ...form, sender: await senderOf(form) })));

/**
 * Sends a lost bundle again: its transactions as they were, and where the node keeps none of them, as one more under
 * a nonce and a current fee. One that the node keeps although its fee is below the chain's is replaced under its
 * nonce. The operations' own nonces let each be included at most once.
 */
async function resend(
  options: BundlerSettings,
  bundle: Bundle,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, sender, onTrouble } = options;
  const sent = await withSenders(bundle.transactions);
  const isTaken = await readTakenNonces(client, sent, { blockTag: "latest" });
  const alive = new Map(sent.map((form) => [`${form.sender} ${form.nonce}`, form] as const));
  for (const [key, form] of alive) {
    if (isTaken(form)) alive.delete(key);
    else await client.sendRawTransaction({ serializedTransaction: form.raw }).catch(onTrouble);
  }
  if (alive.size > 0) {
    const close = () => closeBundle(options, bundle);
    if (await pollUntil(close, { timeoutMs: RESEND_WAIT_MS })) return true;
    const waiting = [...alive.values()];
    const kept = waiting.filter(await readTakenNonces(client, waiting, { blockTag: "pending" }));
    // Its fee is too low by now, or a transaction before it was lost: nothing would ever include it.
    if (kept.length === 0) return sendAnew(options, bundle, signal);
    const { baseFeePerGas } = await client.getBlock({ includeTransactions: false });
    const low = kept.find(
      (form) => form.sender === sender.address && feesOf(form).maxFee < (baseFeePerGas ?? 0n),
    );
    if (!low) return false;
    const isForm = (form: (typeof sent)[number]) =>
      form.sender === low.sender && form.nonce === low.nonce;
    return sendAnew(options, bundle, signal, sent.filter(isForm));
  }
  // It may have been included since the last look.
  if (await closeBundle(options, bundle)) return true;
  // Where other transactions took its nonces it can never be included.
  return putBackLost(options, bundle, { reason: "NonceTaken" });
}

async function sendAnew(
  options: BundlerSettings,
  bundle: Bundle,
  signal: AbortSignal,
  replaces: readonly SignedTransaction[] = [],
): Promise<boolean> {
  const { sender, onTrouble } = options;
  const raw = bundle.transactions.at(-1)?.raw as TransactionSerializedEIP7702;
  const { to, data = "0x", gas = 0n, authorizationList = [] } = parseTransaction(raw);
  if (!to) throw new Error(`Bundle ${bundle.id} has no receiver.`);
  const authorizations = authorizationList.map(
    ({ yParity = 0, ...signed }) => ({ ...signed, yParity }) as Authorization,
  );
  const beforeSend = storeForm(options, bundle);
  const request = { to, data, gas, authorizations, signal, replaces, beforeSend };
  const receipt = await sender.send(request).catch(onTrouble);
  return receipt !== undefined && (await closeBundle(options, bundle)) !== undefined;
}

/** Stores each signed form of a bundle's transaction before it is sent, while this replica still holds the lease. */
export function storeForm(
  { store, lane, owner, leaseMs: ttlMs, announce }: BundlerSettings,
  bundle: Bundle,
) {
  return async (signed: SignedTransaction): Promise<void> => {
    if (!(await store.takeLease({ lane, owner, ttlMs }))) throw new LeaseLost(lane);
    bundle.transactions.push(signed);
    await store.saveBundle({ bundle, owner });
    announce(submittedUpdates(bundle));
  };
}

/** Checks the oldest bundles; the failures of those that failed. */
async function checkFinality(options: BundlerSettings, limit: number): Promise<unknown[]> {
  const { client, store, lane } = options;
  const latest = await client.getBlockNumber();
  const failures: unknown[] = [];
  for (const bundle of await store.listUnfinalBundles({ lane, limit })) {
    // A node that is behind its block does not show that the chain dropped it.
    if (latest < bundle.block) continue;
    try {
      await checkFinalityOf(options, bundle, latest);
    } catch (cause) {
      failures.push(cause);
      // Throws where the node does not answer: then all would fail.
      await client.getBlockNumber();
    }
  }
  return failures;
}

async function checkFinalityOf(
  options: BundlerSettings,
  bundle: Bundle & { block: bigint },
  latest: bigint,
): Promise<void> {
  const { client, deployment, store, safeDepth, sinceBlock, now, announce } = options;
  const retryAt = now() + RETRY_BASE_MS;
  const outcome = await readBundleOutcome({ client, deployment, bundle, retryAt, sinceBlock });
  if (!outcome) {
    await store.reopenBundle(bundle.id);
    announce(submittedUpdates(bundle));
    return;
  }
  const isSafe = latest - outcome.block >= safeDepth;
  if (isSafe || outcome.block !== bundle.block) await correctOutcome(options, bundle, outcome);
  if (isSafe) await store.finalizeBundle(bundle.id);
}

/** Stores the outcome that a reorganized chain has, where it is another one: another transaction, or an operation that fails. */
async function correctOutcome(
  { store, announce }: BundlerSettings,
  bundle: Bundle & { block: bigint },
  { block, updates }: BundleOutcome,
): Promise<void> {
  const states = await store.findStates(updates.map(({ settlementId }) => settlementId));
  const stored = new Map(states.map((state) => [state.settlementId, state]));
  const changed = updates.filter(({ settlementId, status, transaction }) => {
    const state = stored.get(settlementId);
    return state?.status !== status || state.transaction !== transaction;
  });
  if (changed.length === 0 && block === bundle.block) return;
  await store.closeBundle({ bundleId: bundle.id, block, updates });
  announce(changed);
}

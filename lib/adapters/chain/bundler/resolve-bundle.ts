import type { Hex, Log, TransactionReceipt } from "viem";
import { isAddressEqual, parseEventLogs, TransactionReceiptNotFoundError } from "viem";
import type { Bundle, BundledBurn, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import { creditsAbi } from "../abis.ts";
import type { ChainClient } from "../chain-client.ts";
import type { Deployment, OnChain } from "../deployment.ts";
import { findOperation } from "./find-operation.ts";
import { readOutcomes } from "./handle-ops.ts";

/**
 * Reads a bundle's outcome from the chain: `undefined` while none of its operations is in a block and one of its
 * transactions may still include them. Settlements whose operation is in none are due again at `retryAt`.
 *
 * The operations' nonces decide, not the transactions' receipts: an operation may have been included by a transaction
 * that was lost track of, and must then not be made due again. They are read at one block, because several nodes may
 * answer, and one that is behind does not have an operation that another has.
 *
 * @throws when the chain does not answer, or from before a transaction's block: no answer does not mean absent.
 */
export async function readBundleOutcome(
  options: OnChain & { bundle: Bundle; retryAt: number; sinceBlock?: bigint },
): Promise<BundleOutcome | undefined> {
  const { client, deployment, bundle, retryAt, sinceBlock } = options;
  const receipts = await Promise.all(
    bundle.transactions.map(({ hash }) => findReceipt(client, hash)),
  );
  const success = receipts.find((receipt) => receipt?.status === "success");
  if (success) {
    const updates = readBurns(deployment, bundle.burns, success);
    return { block: success.blockNumber, transaction: success.transactionHash, updates };
  }
  const reverted = receipts.find((receipt) => receipt !== undefined);
  const blockNumber = await client.getBlockNumber();
  if (reverted && blockNumber < reverted.blockNumber) {
    throw new Error(`The node is behind block ${reverted.blockNumber}.`);
  }
  const included = await Promise.all(
    bundle.burns.map(({ sessionKey, nonceKey }) =>
      findOperation({
        client,
        deployment,
        sessionKey,
        nonceKey,
        blockNumber,
        ...(sinceBlock === undefined ? {} : { sinceBlock }),
      }),
    ),
  );
  if (included.every((operation) => operation === undefined)) {
    if (!reverted) return undefined;
    const { from: address } = reverted;
    const next = await client.getTransactionCount({ address, blockNumber });
    // One that was sent later, under a nonce that is free, may still include them.
    if (bundle.transactions.some(({ nonce }) => nonce >= next)) return undefined;
  }
  let block = reverted?.blockNumber ?? 0n;
  const updates: SettlementUpdate[] = [];
  for (const [index, burn] of bundle.burns.entries()) {
    const operation = included[index];
    if (!operation) {
      updates.push(
        ...burn.settlements.map(({ settlementId }) =>
          putOff(settlementId, "BundleReverted", retryAt),
        ),
      );
      continue;
    }
    const receipt = await client.getTransactionReceipt({ hash: operation.transaction });
    block = operation.block;
    updates.push(...readBurns(deployment, [burn], receipt));
  }
  return { block, transaction: reverted?.transactionHash ?? "", updates };
}

export type BundleOutcome = { block: bigint; transaction: Hex | ""; updates: SettlementUpdate[] };

/** The update of a settlement that is due again at `retryAt`. */
export function putOff(settlementId: string, reason: string, retryAt: number): SettlementUpdate {
  return { settlementId, status: "pending", transaction: "", reason, retryAt };
}

/** A transaction's receipt; `undefined` when it is in no block. Throws when the chain does not answer. */
export async function findReceipt(
  client: ChainClient,
  hash: Hex,
): Promise<TransactionReceipt | undefined> {
  try {
    return await client.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}

/** A burn counts as included only by the event of `Credits`: same holder, plan, amount, count and root. */
function readBurns(
  deployment: Deployment,
  burns: BundledBurn[],
  receipt: TransactionReceipt,
): SettlementUpdate[] {
  const outcomes = readOutcomes(deployment, receipt.logs);
  const burned = burnedRoots(deployment, receipt);
  const transaction = receipt.transactionHash;
  return burns.flatMap((burn) => {
    const outcome = outcomes.get(burn.userOperationHash);
    const isIncluded = outcome?.success && burned.has(burnKey(burn));
    const reason = outcome && !outcome.success ? outcome.reason.detail : "NoBurnEvent";
    return burn.settlements.map(({ settlementId, proof }): SettlementUpdate => {
      if (!isIncluded) return { settlementId, status: "failed", transaction, reason };
      return { settlementId, status: "included", transaction, root: burn.root, proof };
    });
  });
}

function burnedRoots(deployment: Deployment, receipt: TransactionReceipt): Set<string> {
  const own = receipt.logs.filter((log) =>
    isAddressEqual(log.address, deployment.credits),
  ) as Log[];
  const events = parseEventLogs({ abi: creditsAbi, logs: own, eventName: "CreditsBurned" });
  return new Set(events.map(({ args }) => burnKey({ ...args, holder: args.account })));
}

function burnKey(
  burn: Pick<BundledBurn, "holder" | "planId" | "amount" | "count"> & { root: Hex },
): string {
  return [burn.holder.toLowerCase(), burn.planId, burn.amount, burn.count, burn.root].join(":");
}

import type { Hex, Log, TransactionReceipt } from "viem";
import { isAddressEqual, parseEventLogs } from "viem";
import { creditsAbi } from "./abis.ts";
import type { Bundle, BundledBurn, SettlementUpdate } from "./bundler-store.ts";
import type { ChainClient } from "./chain-client.ts";
import type { Deployment } from "./deployment.ts";
import { readOutcomes } from "./handle-ops.ts";
import { findTransactionReceipt } from "./transaction-sender.ts";

/** The receipt of whichever of a bundle's transactions was included. */
export async function findBundleReceipt(
  client: ChainClient,
  bundle: Bundle,
): Promise<TransactionReceipt | undefined> {
  const receipts = await Promise.all(
    bundle.transactions.map(({ hash }) => findTransactionReceipt(client, hash)),
  );
  return receipts.find((receipt) => receipt !== undefined);
}

/**
 * Says what a bundle's receipt means for each settlement. A burn counts as included only when `Credits` itself says so:
 * this holder, plan, amount, count and root. When the whole transaction reverted, nothing happened and all are due again.
 */
export function readSettlementUpdates(
  deployment: Deployment,
  bundle: Bundle,
  receipt: TransactionReceipt,
): SettlementUpdate[] {
  const outcomes = readOutcomes(deployment, receipt.logs);
  const burned = burnedRoots(deployment, receipt);
  return bundle.burns.flatMap((burn) => {
    const outcome = outcomes.get(burn.userOperationHash);
    const isBurned = burned.has(burnKey(burn));
    return burn.settlements.map(({ settlementId, proof }): SettlementUpdate => {
      if (outcome?.success && isBurned) {
        const { root } = burn;
        return {
          settlementId,
          status: "included",
          transaction: receipt.transactionHash,
          root,
          proof,
        };
      }
      if (!outcome)
        return {
          settlementId,
          status: "pending",
          transaction: "",
          reason: "BundleReverted",
          retryAt: 0,
        };
      const reason = outcome.success ? "NoBurnEvent" : outcome.reason.detail;
      return { settlementId, status: "failed", transaction: receipt.transactionHash, reason };
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

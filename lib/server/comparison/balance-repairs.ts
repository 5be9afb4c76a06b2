import type { CreditsDifference } from "@/lib/adapters/chain/reconcile/reconcile.ts";
import type { Repair } from "@/lib/domain/reconciliation/repair.ts";
import { type ChainComparison, kindsOf } from "./chain-comparison.ts";

/**
 * Compares all balances with the chain, as the service does each minute, and lists what differs for a person. A balance
 * with an open event differs for that reason, and is left out.
 */
export async function listBalanceRepairs({
  reconciler,
  findings,
}: Pick<ChainComparison, "reconciler" | "findings">): Promise<Repair[]> {
  const { differences } = await reconciler.run();
  const open = new Set((await findings.listOpen()).map(keyOf));
  return differences
    .filter((difference) => !open.has(keyOf(difference)))
    .map((difference) => {
      const { account, planId, expected, actual } = difference;
      return {
        id: `${account}:${planId}`,
        kind: "balance_differs",
        detail: `${account} holds ${actual} credits of plan ${planId} on chain, and ${expected} in the ledger (${kindsOf(difference)}).`,
        proposal:
          "Take wrongly minted credits back on chain, or correct the ledger. Sales resume within a minute once both agree.",
      };
    });
}

type Balance = { account: string | null; planId: CreditsDifference["planId"] | string | null };

const keyOf = ({ account, planId }: Balance) => `${account?.toLowerCase()} ${planId}`;

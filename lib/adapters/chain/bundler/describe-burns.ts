import { getAddress } from "viem";
import type { LedgerBurn, MirrorLedger, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import type { DelegationRecord } from "@/lib/domain/records.ts";
import { isBurnedByHolder } from "../chain-plan.ts";
import type { GrantBook } from "../grants/grant-book.ts";
import { GrantImpossible, KeyUnreadable } from "../grants/owner-keys.ts";
import type { Grant } from "../grants/signed-grants.ts";
import type { BundlerStore, BurnOperation } from "./bundler-store.ts";
import { setAside } from "./settlement-updates.ts";

/**
 * Finds the grant under which each settlement burns on chain: the delegation's, or the plan owner's where the owner
 * redeems. `hopeless` lists settlements that the service can never sign for, `unreadable` those whose owner's key it can't read
 * now.
 */
export function createDescribeBurns(options: {
  grants: GrantBook;
  findDelegation: (delegationId: string) => Promise<DelegationRecord | null>;
}) {
  const { grants, findDelegation } = options;

  async function grantOf(burn: LedgerBurn): Promise<Grant> {
    if (!isBurnedByHolder(burn.redemptionType)) return grants.forRedemption(burn.planOwner);
    return grants.forBurns(burn.delegationId, async () => ({
      delegation: await getDelegation(burn.delegationId),
      token: getAddress(burn.tokenAddress),
    }));
  }

  async function getDelegation(delegationId: string): Promise<DelegationRecord> {
    const delegation = await findDelegation(delegationId);
    if (!delegation) throw new GrantImpossible(`There is no delegation ${delegationId}.`);
    return delegation;
  }

  return async (burns: LedgerBurn[]) => {
    const operations: BurnOperation[] = [];
    const hopeless: { settlementId: string; reason: string }[] = [];
    const unreadable: { settlementId: string; reason: string }[] = [];
    for (const burn of burns) {
      const { settlementId, amount, attempts } = burn;
      try {
        const { account, grant } = await grantOf(burn);
        const holder = getAddress(burn.account);
        const planId = BigInt(burn.planId);
        operations.push({
          settlementId,
          planId,
          holder,
          account,
          grant,
          amount,
          count: 1n,
          attempts,
        });
      } catch (cause) {
        if (cause instanceof KeyUnreadable) {
          unreadable.push({ settlementId, reason: String(cause) });
          continue;
        }
        if (!(cause instanceof GrantImpossible)) throw cause;
        hopeless.push({ settlementId, reason: cause.message });
      }
    }
    return { operations, hopeless, unreadable };
  };
}

/**
 * The bundler's store on the ledger: pending burns are read together with their grants. `announce` receives what became of those
 * without one.
 */
export function createLedgerBundlerStore(
  ledger: MirrorLedger,
  describeBurns: ReturnType<typeof createDescribeBurns>,
  announce: (updates: SettlementUpdate[]) => void,
): BundlerStore {
  return {
    ...ledger,
    async listPending({ limit, now }) {
      const waiting = await ledger.listWaiting({ limit });
      const { operations, hopeless, unreadable } = await describeBurns(waiting);
      const updates = [
        ...hopeless.map((burn) => ({ ...burn, status: "failed", transaction: "" }) as const),
        ...unreadable.map((burn) => setAside(burn, now)),
      ];
      await ledger.updateSettlements(updates);
      announce(updates);
      return operations;
    },
  };
}

import { getAddress } from "viem";
import type { DelegationRecord } from "@/lib/domain/records.ts";
import type { BurnOperation } from "./bundler-store.ts";
import { isBurnedByHolder } from "./chain-plan.ts";
import { type Grant, type GrantBook, OwnerSignatureNeeded } from "./grant-book.ts";

/** A settlement that waits to be mirrored, as the ledger knows it. */
export type LedgerBurn = {
  settlementId: string;
  account: string;
  planId: string;
  delegationId: string;
  amount: bigint;
  attempts: number;
  planOwner: string;
  redemptionType: number;
  tokenAddress: string;
};

/**
 * Says under which grant each settlement burns on chain: the delegation's, or the plan owner's where the holder does
 * not burn himself. `hopeless` are those whose owner would have to sign and has not.
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
    if (!delegation) throw new Error(`There is no delegation ${delegationId}.`);
    return delegation;
  }

  return async (burns: LedgerBurn[]) => {
    const operations: BurnOperation[] = [];
    const hopeless: { settlementId: string; reason: string }[] = [];
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
        if (!(cause instanceof OwnerSignatureNeeded)) throw cause;
        hopeless.push({ settlementId, reason: cause.message });
      }
    }
    return { operations, hopeless };
  };
}

import { BaseError, getAddress } from "viem";
import type { LedgerBurn, MirrorLedger, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import type { DelegationRecord } from "@/lib/domain/records.ts";
import { isBurnedByHolder } from "../chain-plan.ts";
import type { GrantBook } from "../grants/grant-book.ts";
import { GrantImpossible, KeyUnreadable } from "../grants/owner-keys.ts";
import type { Grant } from "../grants/signed-grants.ts";
import type { BundlerStore, BurnOperation } from "./bundler-store.ts";
import { setAside } from "./settlement-updates.ts";

/** What reading an address, a number or a field of a burn throws, and neither a connection nor a statement does. */
const ODD_FACTS = [BaseError, SyntaxError, RangeError, TypeError];

/**
 * Finds the grant under which each settlement burns on chain: the delegation's, or the plan owner's where the owner
 * redeems. `hopeless` lists settlements that the service can never sign for, `unreadable` those whose owner's key it can't read
 * now, and those whose own facts it can't use.
 *
 * @throws what a statement throws: then all would fail.
 */
export function createDescribeBurns(options: {
  grants: GrantBook;
  findDelegation: (delegationId: string) => Promise<DelegationRecord | null>;
  /** Called for each whose facts can't be used. It is tried again later, and is late work once it has waited for long. */
  onOddFacts: (settlementId: string, cause: unknown) => void;
}) {
  const { grants, findDelegation, onOddFacts } = options;

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
        if (cause instanceof GrantImpossible) {
          hopeless.push({ settlementId, reason: cause.message });
          continue;
        }
        const isOdd = ODD_FACTS.some((kind) => cause instanceof kind);
        if (!isOdd && !(cause instanceof KeyUnreadable)) throw cause;
        if (isOdd) onOddFacts(settlementId, cause);
        unreadable.push({ settlementId, reason: String(cause) });
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

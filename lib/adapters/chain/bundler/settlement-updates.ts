import type { Bundle, BundledBurn, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import type { RevertReason } from "../revert-reason.ts";
import type { SignedBurn } from "./assemble-bundle.ts";
import type { BurnGroup } from "./burn-groups.ts";
import { putOff } from "./resolve-bundle.ts";

/** Errors of operations that can turn out well later: the mint they need may still be on its way. */
const RETRYABLE = new Set(["InsufficientCredits", "PlanUnknown", "NoOutcome", "NoReason"]);
const MAX_ATTEMPTS = 8;

/** The first wait before something is tried again; it doubles with each attempt. */
export const RETRY_BASE_MS = 500;

/** A signed burn in the form that is stored. */
export function toBundledBurn({ group, hash, nonceKey }: SignedBurn): BundledBurn {
  const { holder, planId, amount, count, root, settlements, grant } = group;
  return {
    userOperationHash: hash,
    sessionKey: grant.delegate,
    nonceKey,
    holder,
    planId,
    amount,
    count,
    root,
    settlements,
  };
}

/** Updates of a bundle that is written down: its latest transaction is the one to look for. */
export function submittedUpdates(bundle: Bundle): SettlementUpdate[] {
  const transaction = bundle.transactions.at(-1)?.hash ?? "";
  return bundle.burns.flatMap(({ root, settlements }) =>
    settlements.map(
      ({ settlementId, proof }): SettlementUpdate => ({
        settlementId,
        status: "submitted",
        transaction,
        root,
        proof,
      }),
    ),
  );
}

/** What a refusal in simulation means for the settlements of a group: put off, or failed for good. */
export function rejectedUpdates(
  group: BurnGroup,
  reason: RevertReason,
  now: number,
): SettlementUpdate[] {
  return group.operations.map(({ settlementId, attempts }): SettlementUpdate => {
    if (RETRYABLE.has(reason.name) && attempts + 1 < MAX_ATTEMPTS) {
      return putOff(settlementId, reason.detail, now + RETRY_BASE_MS * 2 ** attempts);
    }
    return { settlementId, status: "failed", transaction: "", reason: reason.detail };
  });
}

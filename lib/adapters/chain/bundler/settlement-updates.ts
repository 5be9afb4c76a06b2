import type { Bundle, BundledBurn, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import type { RevertReason } from "../revert-reason.ts";
import type { SignedBurn } from "./assemble-bundle.ts";
import type { BurnGroup } from "./burn-groups.ts";
import { putOff } from "./resolve-bundle.ts";

/** Errors that may resolve later: the mint the operation needs may still be in flight. */
const RETRYABLE = new Set(["InsufficientCredits", "PlanUnknown", "NoOutcome", "NoReason"]);
const MAX_ATTEMPTS = 8;

/** The first delay before a retry; it doubles with each attempt. */
export const RETRY_BASE_MS = 500;

/** When a key that can't be read is tried again. */
const KEY_RETRY_MS = 60_000;

/** A signed burn as it is stored. */
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

/** Updates for a stored bundle: its latest transaction is the one to look for. */
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

/** The update of a settlement whose key can't be read now: it waits, and never counts as refused by the chain. */
export const setAside = (
  { settlementId, reason }: { settlementId: string; reason: string },
  now: number,
): SettlementUpdate => putOff(settlementId, reason, now + KEY_RETRY_MS);

/** What a failed simulation means for a group's settlements: postponed, or failed permanently. */
export function rejectedUpdates(
  group: BurnGroup,
  reason: RevertReason,
  now: number,
): SettlementUpdate[] {
  return group.operations.map(({ settlementId, attempts }): SettlementUpdate => {
    if (RETRYABLE.has(reason.name) && attempts + 1 < MAX_ATTEMPTS) {
      const retryAt = now + RETRY_BASE_MS * 2 ** attempts;
      return { ...putOff(settlementId, reason.detail, retryAt), isRefused: true };
    }
    return { settlementId, status: "failed", transaction: "", reason: reason.detail };
  });
}

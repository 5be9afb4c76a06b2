import { signTypedData } from "viem/accounts";
import type { GrantStore, RevocationQueue } from "@/lib/domain/chain-ports.ts";
import type { Operator } from "../operator.ts";
import type { CodeMemory } from "../prepare-accounts.ts";
import type { GrantBook } from "./grant-book.ts";
import { findOwnerKey } from "./owner-keys.ts";
import { revocationTypedData, revokeGrantOnChain } from "./revoke-grant.ts";

const LIMIT = 20;

/**
 * Revokes on chain, for good, what the ledger has revoked. The ledger's revocation takes effect at once; the chain
 * follows once all credits reserved before are burned, because a revoked grant burns nothing.
 *
 * @returns how many delegations were revoked.
 */
export async function revokeOnChain(options: {
  operator: Operator;
  grants: GrantBook;
  store: GrantStore;
  queue: RevocationQueue;
  known?: CodeMemory;
}): Promise<number> {
  const { queue } = options;
  const due = await queue.listDue(LIMIT);
  let done = 0;
  for (const { delegationId, account } of due) {
    const reason = await revokeDelegationOnChain({ ...options, delegationId, account }).catch(
      (cause: unknown) => String(cause),
    );
    if (reason === null) {
      await queue.markDone(delegationId);
      done += 1;
    } else {
      await queue.putOff(delegationId, reason);
    }
  }
  return done;
}

/** Revokes each of a delegation's grants; null when all are, else why one is not. */
export async function revokeDelegationOnChain(options: {
  operator: Operator;
  grants: GrantBook;
  store: GrantStore;
  known?: CodeMemory;
  delegationId: string;
  account: string;
}): Promise<string | null> {
  const { operator, grants, store, known, delegationId } = options;
  const { deployment } = operator;
  const rows = await store.listOfDelegation(delegationId);
  const open = rows.filter(({ revokedAt }) => revokedAt === null);
  if (open.length === 0) return null;
  const privateKey = await findOwnerKey(grants, options.account);
  if (privateKey === null) {
    // Only a person could sign the revocation. The service holds the session key; without it the grant is unusable.
    await store.eraseKeys(delegationId);
    for (const { grantId } of open) grants.forget(grantId);
    return null;
  }
  for (const { grantId } of open) {
    const { account, grant } = await grants.load(grantId);
    const typedData = revocationTypedData({ deployment, grant });
    const signature = await signTypedData({ ...typedData, privateKey });
    const outcome = await revokeGrantOnChain({
      ...operator,
      account,
      grant,
      signature,
      ...(known && { known }),
    });
    if (outcome.status === "refused") return outcome.reason.detail;
    await store.markRevoked(grantId);
  }
  return null;
}

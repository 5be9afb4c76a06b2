import type { Hex } from "viem";
import { signTypedData } from "viem/accounts";
import type { GrantStore, RevocationQueue } from "@/lib/domain/chain-ports.ts";
import type { Operator } from "../operator.ts";
import type { CodeMemory } from "../prepare-accounts.ts";
import type { GrantBook } from "./grant-book.ts";
import { findOwnerKey } from "./owner-keys.ts";
import { revocationTypedData, revokeGrantOnChain } from "./revoke-grant.ts";

const LIMIT = 20;

type Options = {
  operator: Operator;
  grants: GrantBook;
  store: GrantStore;
  known?: CodeMemory;
  /** Called for each that is tried in vain; it is tried again later. */
  onPutOff: (what: { delegationId?: string; grantId?: string; cause: string }) => void;
};

/**
 * Permanently revokes on chain what the ledger has revoked. The ledger's revocation takes effect at once; the chain
 * follows once all credits reserved before are burned, because a revoked grant burns nothing.
 *
 * Grants that budgets replaced follow once nothing is under way under them.
 *
 * @returns how many delegations and replaced grants were revoked.
 */
export async function revokeOnChain(
  options: Options & { queue: RevocationQueue },
): Promise<number> {
  const { queue, onPutOff } = options;
  const due = await queue.listDue(LIMIT);
  let done = 0;
  for (const { delegationId, account, dueAt } of due) {
    const reason = await revokeDelegationOnChain({ ...options, delegationId, account }).catch(
      (cause: unknown) => String(cause),
    );
    if (reason === null) {
      await queue.markDone({ delegationId, dueAt });
      done += 1;
    } else {
      onPutOff({ delegationId, cause: reason });
      await queue.putOff(delegationId, reason);
    }
  }
  return done + (await revokeReplaced(options));
}

/** Revokes on chain the grants that were signed within other budgets than those that apply; how many. */
async function revokeReplaced(options: Options): Promise<number> {
  const { operator, grants, store, onPutOff } = options;
  // Without the contract that bounds periods they are in use.
  if (!operator.deployment.periodLimits) return 0;
  let done = 0;
  for (const { grantId, account } of await store.listReplaced(LIMIT)) {
    const isDone = await revokeReplacedOne(options, { grantId, account }).catch((cause) => {
      onPutOff({ grantId, cause: String(cause) });
      return false;
    });
    if (isDone) {
      grants.forget(grantId);
      done += 1;
    } else {
      // It comes back later.
      await store.markReplaced(grantId);
    }
  }
  return done;
}

/** Whether a replaced grant is revoked now; false where a wallet holds the key, or it was tried in vain. */
async function revokeReplacedOne(
  options: Options,
  { grantId, account }: { grantId: string; account: string },
): Promise<boolean> {
  const privateKey = await findOwnerKey(options.grants, account);
  if (privateKey === null) return false;
  const refusal = await revokeOne(options, { grantId, privateKey });
  if (refusal !== null) throw new Error(refusal);
  return true;
}

/** Revokes one grant, on chain where it may be known there; null, or why the chain refused. */
async function revokeOne(
  { operator, grants, store, known }: Omit<Options, "onPutOff">,
  { grantId, privateKey }: { grantId: string; privateKey: Hex },
): Promise<string | null> {
  if (await store.eraseUnused(grantId)) {
    grants.forget(grantId);
    return null;
  }
  const { account, grant } = await grants.load(grantId);
  const typedData = revocationTypedData({ deployment: operator.deployment, grant });
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
  return null;
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
  const { grants, store, delegationId } = options;
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
    const refusal = await revokeOne(options, { grantId, privateKey });
    if (refusal !== null) return refusal;
  }
  return null;
}

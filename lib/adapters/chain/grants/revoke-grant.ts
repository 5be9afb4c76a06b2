import { encodeFunctionData, type Hex } from "viem";
import { delegationManagerAbi, enforcerAbi } from "../abis.ts";
import { type UnsignedUserOperation, userOperationTypedData } from "../bundler/user-operation.ts";
import type { Deployment } from "../deployment.ts";
import type { Operator } from "../operator.ts";
import type { CodeMemory } from "../prepare-accounts.ts";
import type { RevertReason } from "../revert-reason.ts";
import type { SmartAccount } from "../smart-account.ts";
import { grantHash, type SignedGrant } from "./grant.ts";
import { createOwnerOperation, sendOwnerOperation } from "./owner-operation.ts";
import { nonceKeyOf } from "./session-key.ts";

const CALL_GAS = 250_000n;

/**
 * The user operation that revokes a grant, at the delegation manager and permanently in the
 * enforcer. The account's owner signs {@link revocationTypedData}.
 */
export function createRevocation(options: {
  deployment: Deployment;
  grant: SignedGrant;
}): UnsignedUserOperation {
  const { deployment, grant } = options;
  const hash = grantHash(grant);
  const calls = [
    {
      target: deployment.delegationManager,
      value: 0n,
      callData: encodeFunctionData({
        abi: delegationManagerAbi,
        functionName: "disableDelegation",
        args: [grant],
      }),
    },
    {
      target: deployment.sessionLimitsEnforcer,
      value: 0n,
      callData: encodeFunctionData({ abi: enforcerAbi, functionName: "revoke", args: [hash] }),
    },
  ];
  // The grant's hash is the nonce key: a grant is revoked once.
  return createOwnerOperation({
    account: grant.delegator,
    calls,
    nonceKey: nonceKeyOf(hash),
    callGas: CALL_GAS,
  });
}

/** What the account's owner signs to revoke a grant, as typed data for a wallet or a key. */
export function revocationTypedData(options: { deployment: Deployment; grant: SignedGrant }) {
  return userOperationTypedData(options.deployment, createRevocation(options), "HybridDeleGator");
}

/**
 * Permanently revokes a grant on chain. The sender pays the gas. Repeating it changes nothing.
 *
 * @param signature the owner's, over {@link revocationTypedData}.
 * @throws when the outcome is unknown; repeat the call.
 */
export async function revokeGrantOnChain(
  options: Operator & {
    account: SmartAccount;
    grant: SignedGrant;
    signature: Hex;
    known?: CodeMemory;
  },
): Promise<{ status: "revoked" } | { status: "refused"; reason: RevertReason }> {
  const { client, deployment, account, grant, signature, known } = options;
  const isRevoked = () =>
    client.readContract({
      address: deployment.sessionLimitsEnforcer,
      abi: enforcerAbi,
      functionName: "isRevoked",
      args: [grant.delegator, grantHash(grant)],
    });
  if (await isRevoked()) return { status: "revoked" };
  const reason = await sendOwnerOperation(options, {
    account,
    unsigned: createRevocation({ deployment, grant }),
    signature,
    callGas: CALL_GAS,
    ...(known && { known }),
  });
  // A concurrent attempt may have come first.
  if (!reason || (await isRevoked())) return { status: "revoked" };
  return { status: "refused", reason };
}

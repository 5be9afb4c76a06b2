import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbiParameters } from "viem";
import { delegationManagerAbi, enforcerAbi, smartAccountAbi } from "../abis.ts";
import { findOperation } from "../bundler/find-operation.ts";
import { bundleGas, encodeHandleOps } from "../bundler/handle-ops.ts";
import { simulateBundle } from "../bundler/simulate-bundle.ts";
import type { TransactionSender } from "../bundler/transaction-sender.ts";
import {
  createUserOperation,
  type UnsignedUserOperation,
  userOperationHash,
  userOperationTypedData,
} from "../bundler/user-operation.ts";
import type { ChainClient } from "../chain-client.ts";
import type { Deployment } from "../deployment.ts";
import { type CodeMemory, prepareAccounts } from "../prepare-accounts.ts";
import type { RevertReason } from "../revert-reason.ts";
import type { SmartAccount } from "../smart-account.ts";
import { grantHash, type SignedGrant } from "./grant.ts";
import { nonceKeyOf } from "./session-key.ts";

const BATCH_MODE: Hex = `0x01${"0".repeat(62)}`;
const CALL_GAS = 250_000n;
const batchParameters = parseAbiParameters([
  "Execution[] executions",
  "struct Execution { address target; uint256 value; bytes callData; }",
]);

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
  const executions = [
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
  const callData = encodeFunctionData({
    abi: smartAccountAbi,
    functionName: "execute",
    args: [BATCH_MODE, encodeAbiParameters(batchParameters, [executions])],
  });
  // The grant's hash is the nonce key: a grant is revoked once.
  return createUserOperation({
    sender: grant.delegator,
    callData,
    nonceKey: nonceKeyOf(hash),
    callGas: CALL_GAS,
  });
}

/** What the account's owner signs to revoke a grant, as typed data for a wallet or a key. */
export function revocationTypedData(options: { deployment: Deployment; grant: SignedGrant }) {
  return userOperationTypedData(options.deployment, createRevocation(options), "HybridDeleGator");
}

/**
 * Revokes a grant on chain for good. The sender pays the gas. Repeating it changes nothing.
 *
 * @param signature the owner's, over {@link revocationTypedData}.
 * @throws when the outcome is unknown; repeat the call.
 */
export async function revokeGrantOnChain(options: {
  client: ChainClient;
  deployment: Deployment;
  sender: TransactionSender;
  account: SmartAccount;
  grant: SignedGrant;
  signature: Hex;
  known?: CodeMemory;
}): Promise<{ status: "revoked" } | { status: "refused"; reason: RevertReason }> {
  const { client, deployment, sender, account, grant, signature, known = new Set() } = options;
  const operation = { ...createRevocation({ deployment, grant }), signature };
  const hash = userOperationHash(deployment, operation);
  const nonceKey = operation.nonce >> 64n;
  const isRevoked = () =>
    client.readContract({
      address: deployment.sessionLimitsEnforcer,
      abi: enforcerAbi,
      functionName: "isRevoked",
      args: [grant.delegator, grantHash(grant)],
    });
  if (await isRevoked()) return { status: "revoked" };
  await prepareAccounts({ client, deployment, sender, accounts: [account], known });
  const simulation = await simulateBundle({
    client,
    deployment,
    operations: [{ operation, hash, callGas: CALL_GAS }],
    sender: sender.address,
    withoutCode: [],
  });
  const reason = simulation.failed.get(hash);
  if (reason) return { status: "refused", reason };
  await sender.send({
    to: deployment.entryPoint,
    data: encodeHandleOps([operation], sender.address),
    gas: bundleGas([{ callGas: CALL_GAS }], 0),
  });
  if (await isRevoked()) return { status: "revoked" };
  const found = await findOperation({ client, deployment, sessionKey: grant.delegator, nonceKey });
  const unexplained = { name: "NoReason", detail: "The revocation reverted without a reason." };
  return { status: "refused", reason: found && !found.success ? found.reason : unexplained };
}

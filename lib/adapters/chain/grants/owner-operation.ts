import { type Address, encodeFunctionData, type Hex } from "viem";
import { smartAccountAbi } from "../abis.ts";
import { bundleGas, encodeHandleOps, readOutcomes } from "../bundler/handle-ops.ts";
import { simulateBundle } from "../bundler/simulate-bundle.ts";
import type { TransactionRequest } from "../bundler/transaction-sender.ts";
import {
  type AccountCall,
  BATCH_MODE,
  createUserOperation,
  encodeBatch,
  type UnsignedUserOperation,
  userOperationHash,
} from "../bundler/user-operation.ts";
import type { Operator } from "../operator.ts";
import { type CodeMemory, prepareAccounts } from "../prepare-accounts.ts";
import type { RevertReason } from "../revert-reason.ts";
import type { SmartAccount } from "../smart-account.ts";

/** Calls of an account, all or none, as a user operation that its owner signs. A nonce key is used once. */
export function createOwnerOperation(options: {
  account: Address;
  calls: AccountCall[];
  nonceKey: bigint;
  callGas: bigint;
}): UnsignedUserOperation {
  const { account: sender, calls, nonceKey, callGas } = options;
  const args = [BATCH_MODE, encodeBatch(calls)] as const;
  const callData = encodeFunctionData({ abi: smartAccountAbi, functionName: "execute", args });
  return createUserOperation({ sender, callData, nonceKey, callGas });
}

/**
 * Sends an owner's operation; the service pays the gas. Null when its calls were made, else why not.
 *
 * @throws when the outcome is unknown.
 */
export async function sendOwnerOperation(
  { client, deployment, sender }: Operator,
  options: {
    account: SmartAccount;
    unsigned: UnsignedUserOperation;
    signature: Hex;
    callGas: bigint;
    known?: CodeMemory;
    beforeSend?: TransactionRequest["beforeSend"];
  },
): Promise<RevertReason | null> {
  const { account, unsigned, signature, callGas, known = new Set(), beforeSend } = options;
  const operation = { ...unsigned, signature };
  const hash = userOperationHash(deployment, operation);
  await prepareAccounts({ client, deployment, sender, accounts: [account], known });
  const simulation = await simulateBundle({
    client,
    deployment,
    operations: [{ operation, hash, callGas }],
    sender: sender.address,
    withoutCode: [],
  });
  const objection = simulation.failed.get(hash);
  if (objection) return objection;
  const receipt = await sender.send({
    to: deployment.entryPoint,
    data: encodeHandleOps([operation], sender.address),
    gas: bundleGas([{ callGas }], 0),
    ...(beforeSend && { beforeSend }),
  });
  const outcome = readOutcomes(deployment, receipt.logs).get(hash);
  if (outcome?.success) return null;
  return outcome?.reason ?? { name: "BundleReverted", detail: "The transaction reverted." };
}

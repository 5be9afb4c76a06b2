import { type Address, encodeFunctionData, type Hex } from "viem";
import { smartAccountAbi } from "../abis.ts";
import { sendOperation } from "../bundler/send-operation.ts";
import type { TransactionRequest } from "../bundler/transaction-sender.ts";
import {
  type AccountCall,
  BATCH_MODE,
  createUserOperation,
  encodeBatch,
  type UnsignedUserOperation,
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
  operator: Operator,
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
  await prepareAccounts({ ...operator, accounts: [account], known });
  const own = { operation, callGas, ...(beforeSend && { beforeSend }) };
  const sent = await sendOperation(operator, own);
  return "reason" in sent ? sent.reason : null;
}

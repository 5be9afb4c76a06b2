import { encodeFunctionData, getAddress, type Hex, stringToHex, zeroAddress } from "viem";
import type { AccountPayment, AccountPaymentRecord } from "@/lib/domain/money/account-payments.ts";
import { entryPointAbi, tokenAbi } from "../abis.ts";
import {
  type AccountCall,
  userOperationHash,
  userOperationTypedData,
} from "../bundler/user-operation.ts";
import type { Deployment } from "../deployment.ts";
import { createOwnerOperation } from "./owner-operation.ts";
import { nonceKeyOf } from "./session-key.ts";

/** A transfer, also of tokens and to receivers that run code. */
export const PAYMENT_CALL_GAS = 250_000n;

export const nonceKeyOfPayment = (paymentId: string) =>
  nonceKeyOf(stringToHex(`payment:${paymentId}`));

/** What the owner of the account signs for a payment. */
export const paymentTypedData = (deployment: Deployment, payment: AccountPayment) =>
  userOperationTypedData(
    deployment,
    laidOut(payment, transferCalls(deployment, payment)),
    "HybridDeleGator",
  );

/** The hash of the operation that pays it. */
export const paymentHash = (
  deployment: Deployment,
  payment: AccountPayment,
  calls = transferCalls(deployment, payment),
): Hex => userOperationHash(deployment, { ...laidOut(payment, calls), signature: "0x" });

/**
 * Whether the release before began a payment in the chain's own coin. It is tried again as it was, so that both releases know
 * its operation, and decided by that operation's success, which is all that there is.
 */
export const isDirect = (deployment: Deployment, row: AccountPaymentRecord) =>
  row.token === zeroAddress && row.operationHash === paymentHash(deployment, row, directCalls(row));

const directCalls = ({ to, amount }: AccountPayment): AccountCall[] => [
  { target: getAddress(to), value: amount, callData: "0x" },
];

/** The operation of a payment that was begun. */
export const operationOf = (deployment: Deployment, row: AccountPaymentRecord) =>
  laidOut(row, isDirect(deployment, row) ? directCalls(row) : transferCalls(deployment, row));

function laidOut(payment: AccountPayment, calls: AccountCall[]) {
  return createOwnerOperation({
    account: getAddress(payment.account),
    calls,
    nonceKey: nonceKeyOfPayment(payment.paymentId),
    callGas: PAYMENT_CALL_GAS,
  });
}

/** The chain's own coin goes through EntryPoint, whose event proves that it arrived. */
function transferCalls({ entryPoint }: Deployment, payment: AccountPayment): AccountCall[] {
  const { account, token, to, amount } = payment;
  const args = [getAddress(to), amount] as const;
  if (token !== zeroAddress) {
    const callData = encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args });
    return [{ target: getAddress(token), value: 0n, callData }];
  }
  const [abi, target] = [entryPointAbi, entryPoint];
  const own = [getAddress(account)] as const;
  const deposit = encodeFunctionData({ abi, functionName: "depositTo", args: own });
  const withdraw = encodeFunctionData({ abi, functionName: "withdrawTo", args });
  return [
    { target, value: amount, callData: deposit },
    { target, value: 0n, callData: withdraw },
  ];
}

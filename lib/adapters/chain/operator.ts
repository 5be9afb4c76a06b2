import { type Address, encodeFunctionData, type Hex, keccak256, stringToHex } from "viem";
import type { TakeBackCause } from "@/lib/domain/chain-ports.ts";
import { plansAbi, tokenAbi } from "./abis.ts";
import type { TransactionSender } from "./bundler/transaction-sender.ts";
import type { OnChain } from "./deployment.ts";
import { findRevertData, readRevertReason } from "./revert-reason.ts";

/** A plan's terms in the contract, fixed at registration. Amounts are in the token's smallest unit. */
export type OnChainPlan = {
  planId: bigint;
  owner: Address;
  token: Address;
  amounts: bigint[];
  receivers: Address[];
  credits: bigint;
  minAmount: bigint;
  maxAmount: bigint;
  durationSecs: bigint;
  redemptionType: 0 | 1 | 2 | 4;
  proofRequired: boolean;
  isCrypto: boolean;
  timeBased: boolean;
  oncePerAccount: boolean;
};

/** The result of an operator action: `done` with its transaction, `already` done before, or `refused`. */
export type OperatorOutcome =
  | { status: "done"; transaction: Hex }
  | { status: "already" }
  | { status: "refused"; reason: string; detail: string };

/** The key that acts for the service, and where. */
export type Operator = OnChain & { sender: TransactionSender };

type TakeBack = { planId: bigint; account: Address; amount: bigint; cause: TakeBackCause };

/** Errors that mean the action was done before. */
const DONE_BEFORE = new Set(["PlanExists", "ReferenceUsed"]);
const BASE_GAS = 600_000n;
const GAS_PER_RECEIVER = 60_000n;

/**
 * Registers a builder's plan under the service's plan id, or later terms of the plan `versionOf`, which must be
 * registered. Registering it again changes nothing.
 */
export function registerPlanOnChain(
  operator: Operator,
  { planId, owner, ...terms }: OnChainPlan,
  versionOf?: bigint,
): Promise<OperatorOutcome> {
  const data =
    versionOf === undefined
      ? encodeFunctionData({
          abi: plansAbi,
          functionName: "registerPlanFor",
          args: [planId, owner, terms],
        })
      : encodeFunctionData({
          abi: plansAbi,
          functionName: "registerVersionFor",
          args: [planId, versionOf, terms],
        });
  const gas = BASE_GAS + GAS_PER_RECEIVER * BigInt(terms.receivers.length);
  return act(operator, operator.deployment.plans, data, gas);
}

/** Takes credits back that the ledger has taken, once per cause. */
export function takeBackCreditsOnChain(
  operator: Operator,
  { planId, account, amount, cause }: TakeBack,
): Promise<OperatorOutcome> {
  const args = [planId, account, amount, takeBackReference(cause)] as const;
  const data = encodeFunctionData({ abi: plansAbi, functionName: "takeBack", args });
  return act(operator, operator.deployment.plans, data, BASE_GAS);
}

/** Gives an account test dollars. Sandbox only: elsewhere there is no test dollar, and it throws. */
export function giveTestDollars(
  operator: Operator,
  gift: { account: Address; amount: bigint },
): Promise<OperatorOutcome> {
  const { usdc } = operator.deployment;
  if (!usdc) throw new Error(`Chain ${operator.deployment.chainId} has no test dollar.`);
  const data = encodeFunctionData({
    abi: tokenAbi,
    functionName: "faucet",
    args: [gift.account, gift.amount],
  });
  return act(operator, usdc, data, BASE_GAS);
}

/** Pauses or resumes orders on chain, with the administrator's key. Repeating it changes nothing. */
export async function setOrdersPaused(
  operator: Operator,
  isPaused: boolean,
): Promise<OperatorOutcome> {
  const { client, deployment } = operator;
  const isSo = await client.readContract({
    address: deployment.plans,
    abi: plansAbi,
    functionName: "paused",
  });
  if (isSo === isPaused) return { status: "already" };
  const functionName = isPaused ? "pause" : "unpause";
  const data = encodeFunctionData({ abi: plansAbi, functionName });
  return act(operator, deployment.plans, data, BASE_GAS);
}

/** The reference that a take-back carries on chain. */
export const takeBackReference = (cause: TakeBackCause): Hex =>
  keccak256(stringToHex(`take-back:${cause}`));

/** Sends the operator's transaction, unless the chain says beforehand why it would fail. */
export async function act(
  operator: Operator,
  to: Address,
  data: Hex,
  gas: bigint,
): Promise<OperatorOutcome> {
  const objection = await findObjection(operator, to, data);
  if (objection) return objection;
  const receipt = await operator.sender.send({ to, data, gas });
  if (receipt.status === "success") return { status: "done", transaction: receipt.transactionHash };
  // A concurrent attempt came between the check and the transaction; check again for the reason.
  const reason = await findObjection(operator, to, data);
  return (
    reason ?? {
      status: "refused",
      reason: "NoReason",
      detail: `Transaction ${receipt.transactionHash} reverted.`,
    }
  );
}

async function findObjection(
  { client, sender }: Operator,
  to: Address,
  data: Hex,
): Promise<OperatorOutcome | undefined> {
  try {
    await client.call({ account: sender.address, to, data });
    return undefined;
  } catch (error) {
    const revert = findRevertData(error);
    if (!revert) throw error;
    const { name, detail } = readRevertReason(revert);
    return DONE_BEFORE.has(name)
      ? { status: "already" }
      : { status: "refused", reason: name, detail };
  }
}

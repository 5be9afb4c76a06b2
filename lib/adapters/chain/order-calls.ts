import { type Address, encodeFunctionData, zeroAddress } from "viem";
import { plansAbi, tokenAbi } from "./abis.ts";
import type { AccountCall } from "./bundler/user-operation.ts";
import type { Deployment } from "./deployment.ts";

/** The calls that buy a plan once: `approve` exactly the price, then `order`; only `order` for the native coin. */
export function orderCalls(
  deployment: Deployment,
  order: { planId: bigint; token: Address; total: bigint },
): AccountCall[] {
  const { planId, token, total } = order;
  const isNative = token === zeroAddress;
  const buy = orderCall(deployment, { planId, value: isNative ? total : 0n });
  if (isNative || total === 0n) return [buy];
  const approve: AccountCall = {
    target: token,
    value: 0n,
    callData: encodeFunctionData({
      abi: tokenAbi,
      functionName: "approve",
      args: [deployment.plans, total],
    }),
  };
  return [approve, buy];
}

/** The call that orders, of which `value` is paid in the native coin. */
export const orderCall = (
  { plans: target }: Deployment,
  { planId, value }: { planId: bigint; value: bigint },
): AccountCall => ({
  target,
  value,
  callData: encodeFunctionData({ abi: plansAbi, functionName: "order", args: [planId] }),
});

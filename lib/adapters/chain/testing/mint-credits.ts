import { type Address, encodeFunctionData, keccak256, stringToHex } from "viem";
import { plansAbi } from "../abis.ts";
import { act, type Operator } from "../operator.ts";

/** Mints the credits of an order paid off chain, once per order id, as the contract lets a minter do. */
export function mintCreditsOnChain(
  operator: Operator,
  mint: { planId: bigint; account: Address; amount: bigint; orderId: string },
) {
  const reference = keccak256(stringToHex(`mint:${mint.orderId}`));
  const args = [mint.planId, mint.account, mint.amount, reference] as const;
  const data = encodeFunctionData({ abi: plansAbi, functionName: "mintFor", args });
  return act(operator, operator.deployment.plans, data, 600_000n);
}

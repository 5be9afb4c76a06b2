import { type Address, formatEther } from "viem";
import type { ChainClient } from "./chain-client.ts";
import { ORDER_GAS } from "./order-budget.ts";

/** The orders that the settler should be able to pay for. */
export const ENOUGH_ORDERS = 100n;

/** What the settler holds, in the chain's coin, and how many orders that pays for at the present price of gas. */
export type SettlerGas = Awaited<ReturnType<typeof readSettlerGas>>;

export async function readSettlerGas(client: ChainClient, address: Address) {
  const [balance, price] = await Promise.all([
    client.getBalance({ address }),
    client.getGasPrice(),
  ]);
  // Where gas is free, a settler without any is still a mistake.
  const perOrder = BigInt(ORDER_GAS) * (price || 1n);
  return {
    balance: formatEther(balance),
    orders: balance / perOrder,
    /** What {@link ENOUGH_ORDERS} take. */
    needed: formatEther(perOrder * ENOUGH_ORDERS),
  };
}

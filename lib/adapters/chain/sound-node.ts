import { type Address, isAddressEqual } from "viem";
import { plansAbi } from "./abis.ts";
import type { ChainClient } from "./chain-client.ts";
import type { Deployment, OnChain } from "./deployment.ts";

const CODE = /^0x[0-9a-f]*[1-9a-f][0-9a-f]*$/i;

/** Whether an address has code. Throws when the node's answer is none: unknown is not "no". */
export async function hasCode(client: ChainClient, address: Address): Promise<boolean> {
  const code: unknown = await client.getCode({ address });
  if (code === undefined) return false;
  if (typeof code === "string" && CODE.test(code)) return true;
  throw new Error(`The node gave no code and no absence of code for ${address}.`);
}

type OfChain = { client: ChainClient; deployment: Pick<Deployment, "chainId"> };

/** The node belongs to another chain than the contracts. */
export class WrongChain extends Error {
  override readonly name = "WrongChain";

  constructor(actual: number, expected: number) {
    super(`The node is of chain ${actual}, and the contracts are on chain ${expected}.`);
  }
}

/** @throws WrongChain when the node is of another chain. */
export async function requireChain({ client, deployment }: OfChain): Promise<void> {
  const chainId = await client.getChainId();
  if (chainId !== deployment.chainId) throw new WrongChain(chainId, deployment.chainId);
}

/** The latest block. Another chain's says nothing about what was read of this one. */
export async function readHead(of: OfChain): Promise<bigint> {
  // One request, so one node.
  const [head] = await Promise.all([of.client.getBlockNumber(), requireChain(of)]);
  return head;
}

/** The latest block with its time, which another node might not have. */
export async function readHeadBlock(of: OfChain): Promise<{ number: bigint; at: Date }> {
  const [{ number, timestamp }] = await Promise.all([of.client.getBlock(), requireChain(of)]);
  return { number, at: new Date(Number(timestamp) * 1000) };
}

/**
 * Asks the node what is known: that the contract has code, and which one holds the credits. Before an order is declined for
 * what a node said, because one that answers `null` or empty data to everything would permanently decline every order.
 *
 * @throws Error when an answer is missing or wrong: then the outcome is unknown.
 * @example await requireSoundNode({ client, deployment });
 */
export async function requireSoundNode({ client, deployment }: OnChain): Promise<void> {
  const [isThere, credits] = await Promise.all([
    hasCode(client, deployment.plans),
    client.readContract({ address: deployment.plans, abi: plansAbi, functionName: "credits" }),
  ]);
  if (!isThere || !isAddressEqual(credits, deployment.credits)) {
    throw new Error("The node answers wrongly about the contracts, so its refusal does not count.");
  }
}

import { BaseError, RpcRequestError } from "viem";
import type { ChainClient } from "./chain-client.ts";

/** How many blocks one request for events may span: nodes limit it. */
export const BLOCKS = 2_000n;

/** The blocks of one request, both included. */
export type BlockRange = { fromBlock: bigint; toBlock: bigint };

/**
 * Reads in one request what depends on a block, so from one node: behind one address there may be several, and one that lacks the
 * block lists no events of it.
 *
 * @throws when the node that answers does not have the block.
 */
export async function readAtOneNode<Answer>(
  client: Pick<ChainClient, "getBlock">,
  blockNumber: bigint,
  read: () => Promise<Answer>,
): Promise<Answer> {
  const [answer] = await Promise.all([read(), client.getBlock({ blockNumber })]);
  return answer;
}

/**
 * Looks through the blocks since one up to `head`, newest first, in ranges that nodes answer for. Undefined when none has it.
 *
 * @throws when a node that answers does not have the blocks.
 *
 * @example await findNewest(client, sinceBlock, async (range) => (await client.getLogs({ event, ...range }))[0]);
 */
export async function findNewest<Found>(
  client: Pick<ChainClient, "getBlockNumber" | "getBlock">,
  since: bigint,
  look: (range: BlockRange) => Promise<Found | undefined>,
  head?: bigint,
): Promise<Found | undefined> {
  for (let toBlock = head ?? (await client.getBlockNumber()); toBlock >= since; toBlock -= BLOCKS) {
    const first = toBlock - BLOCKS + 1n;
    const range = { fromBlock: first > since ? first : since, toBlock };
    const found = await readAtOneNode(client, toBlock, () => look(range));
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Reads a range at once; where the node refuses that, in halves: down to what nodes answer for, and on while the node itself says
 * no, because a range has more events than it lists.
 */
export async function readBlocks<Event>(
  { fromBlock, toBlock }: BlockRange,
  read: (range: BlockRange) => Promise<Event[]>,
): Promise<Event[]> {
  try {
    return await read({ fromBlock, toBlock });
  } catch (cause) {
    const isLong = toBlock - fromBlock >= BLOCKS;
    if (fromBlock === toBlock || !(isLong || isRefused(cause))) throw cause;
  }
  const middle = (fromBlock + toBlock) / 2n;
  const older = await readBlocks({ fromBlock, toBlock: middle }, read);
  return [...older, ...(await readBlocks({ fromBlock: middle + 1n, toBlock }, read))];
}

const isRefused = (cause: unknown): boolean =>
  cause instanceof BaseError && cause.walk((each) => each instanceof RpcRequestError) !== null;

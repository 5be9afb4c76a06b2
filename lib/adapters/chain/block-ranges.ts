import type { ChainClient } from "./chain-client.ts";

/** How many blocks one request for events may span: nodes limit it. */
export const BLOCKS = 2_000n;

/** The blocks of one request, both included. */
export type BlockRange = { fromBlock: bigint; toBlock: bigint };

/**
 * Looks through the blocks since one, newest first, in ranges that nodes answer for. Undefined when none has it.
 *
 * @example await findNewest(client, sinceBlock, async (range) => (await client.getLogs({ event, ...range }))[0]);
 */
export async function findNewest<Found>(
  client: Pick<ChainClient, "getBlockNumber">,
  since: bigint,
  look: (range: BlockRange) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  for (let toBlock = await client.getBlockNumber(); toBlock >= since; toBlock -= BLOCKS) {
    const first = toBlock - BLOCKS + 1n;
    const found = await look({ fromBlock: first > since ? first : since, toBlock });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reads a range at once; where the node refuses that, in halves, down to what nodes answer for. */
export async function readBlocks<Event>(
  { fromBlock, toBlock }: BlockRange,
  read: (range: BlockRange) => Promise<Event[]>,
): Promise<Event[]> {
  try {
    return await read({ fromBlock, toBlock });
  } catch (cause) {
    if (toBlock - fromBlock < BLOCKS) throw cause;
  }
  const middle = (fromBlock + toBlock) / 2n;
  const older = await readBlocks({ fromBlock, toBlock: middle }, read);
  return [...older, ...(await readBlocks({ fromBlock: middle + 1n, toBlock }, read))];
}

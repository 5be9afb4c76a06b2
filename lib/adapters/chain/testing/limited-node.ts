import type { ChainClient } from "../chain-client.ts";

const MOST_BLOCKS = 2_000n;

/** Mines more blocks than a limited node answers for at once. */
export async function mineBeyondLimit(client: ChainClient): Promise<void> {
  // A busy machine takes seconds for hundreds of blocks.
  const params = ["0x64"];
  for (let mined = 0n; mined < MOST_BLOCKS + 100n; mined += 100n) {
    await client.request({ method: "anvil_mine", params } as never);
  }
}

/** A client of a node that answers requests for events of at most so many blocks, as most nodes do. */
export function limited(client: ChainClient): ChainClient {
  type Query = { fromBlock?: bigint; toBlock?: bigint };
  const within =
    <Answer>(read: (query: never) => Promise<Answer>) =>
    async (query: Query): Promise<Answer> => {
      const { fromBlock = 0n, toBlock = await client.getBlockNumber() } = query;
      if (toBlock - fromBlock >= MOST_BLOCKS) throw new Error("block range too large");
      return read(query as never);
    };
  return {
    ...client,
    getLogs: within(client.getLogs as never) as ChainClient["getLogs"],
    getContractEvents: within(
      client.getContractEvents as never,
    ) as ChainClient["getContractEvents"],
  };
}

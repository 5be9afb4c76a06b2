import { getAddress, isAddressEqual, parseAbiItem } from "viem";
import type { Deposits, Stablecoin } from "@/lib/domain/money/balance-ports.ts";
import { balanceOf } from "./account-payments.ts";
import type { ChainClient } from "./chain-client.ts";
import type { Deployment } from "./deployment.ts";

const transferEvent = parseAbiItem(
  "event Transfer(address indexed from, address indexed to, uint256 value)",
);
/** How many blocks one request reads, as nodes limit it, and how many requests one look makes. */
const BLOCKS = 2_000n;
const MAX_REQUESTS = 50;
/** Blocks that are read again, because they may have been replaced. */
const REORG_BLOCKS = 64n;

/**
 * The deployment's stablecoin: what accounts hold, and the transfers that arrived, read from the token's events from
 * where the last look ended. Undefined where the deployment has none.
 */
export function openStablecoin(options: {
  client: ChainClient;
  deployment: Deployment;
  deposits: Deposits;
}): Stablecoin | undefined {
  const { client, deployment, deposits } = options;
  const { usdc: token } = deployment;
  if (!token) return undefined;
  const contracts = Object.values(deployment).filter(
    (value): value is `0x${string}` => typeof value === "string" && value.startsWith("0x"),
  );

  async function readRange(account: string, from: bigint, to: bigint): Promise<void> {
    const logs = await client.getLogs({
      address: token,
      event: transferEvent,
      args: { to: getAddress(account) },
      fromBlock: from,
      toBlock: to,
      strict: true,
    });
    const blocks = new Map<bigint, Date>();
    for (const { blockNumber } of logs) {
      if (blocks.has(blockNumber)) continue;
      const { timestamp } = await client.getBlock({ blockNumber });
      blocks.set(blockNumber, new Date(Number(timestamp) * 1000));
    }
    const rows = logs.map(({ args, transactionHash, logIndex, blockNumber }) => ({
      txHash: transactionHash,
      logIndex,
      account,
      token: token as string,
      sender: args.from as string,
      amount: args.value,
      block: blockNumber,
      createdAt: blocks.get(blockNumber) ?? new Date(0),
    }));
    await deposits.replace(
      { account, token: token as string, from, to },
      rows.filter(({ amount }) => amount > 0n),
    );
  }

  return {
    token,
    currency: "usdc",
    async balanceOf(account) {
      const block = await client.getBlockNumber();
      return { amount: await balanceOf(client, { account, token }), block };
    },
    async readDeposits(account) {
      const latest = await client.getBlockNumber();
      const cursor = await deposits.cursor(account, token);
      const first = BigInt(deployment.block ?? 0);
      const again = cursor === null ? first : cursor - REORG_BLOCKS + 1n;
      let from = again > first ? again : first;
      for (let request = 0; request < MAX_REQUESTS && from <= latest; request += 1) {
        const end = from + BLOCKS - 1n;
        const to = end < latest ? end : latest;
        await readRange(account, from, to);
        from = to + 1n;
      }
    },
    isOwnContract: (address) => contracts.some((own) => isAddressEqual(own, getAddress(address))),
  };
}

import {
  type Address,
  getAddress,
  type Hex,
  isAddressEqual,
  parseAbiItem,
  parseEventLogs,
  TransactionReceiptNotFoundError,
} from "viem";
import type {
  DepositRange,
  DepositRow,
  Deposits,
  Stablecoin,
} from "@/lib/domain/money/balance-ports.ts";
import { least } from "@/lib/domain/orders/money.ts";
import { balanceOf } from "./account-payments.ts";
import { BLOCKS, readAtOneNode } from "./block-ranges.ts";
import type { ChainClient } from "./chain-client.ts";
import type { Deployment } from "./deployment.ts";
import { readHead } from "./sound-node.ts";

const transferEvent = parseAbiItem(
  "event Transfer(address indexed from, address indexed to, uint256 value)",
);
/** How many requests for events one look makes. */
const MAX_REQUESTS = 50;
/** Blocks that are read again, because they may have been replaced. */
const REORG_BLOCKS = 64n;
/** Reads for many accounts, each of so many at once. */
const FOLLOWER = "followed";
const ACCOUNTS = 250;

/**
 * The deployment's stablecoin: what accounts hold, and the transfers that arrived, read from the token's events from
 * where the last look ended. Undefined where the deployment has none.
 */
export function openStablecoin(options: {
  client: ChainClient;
  deployment: Deployment;
  deposits: Deposits;
  withdrawals?: Stablecoin["withdrawals"];
}): Stablecoin | undefined {
  const { client, deployment, deposits, withdrawals } = options;
  const { usdc: token } = deployment;
  if (!token) return undefined;
  const contracts = Object.values(deployment).filter(
    (value): value is `0x${string}` => typeof value === "string" && value.startsWith("0x"),
  );

  const readAll = createTransferReader({ client, token, deposits });

  /** Reads on from a reader's cursor for these accounts; whether it came to the latest block. */
  async function readOn(reader: string, accounts: string[], since: bigint): Promise<boolean> {
    const latest = await readHead({ client, deployment });
    const cursor = await deposits.cursor(reader, token as string);
    if (cursor?.block === latest && reader === FOLLOWER) return true;
    const first = cursor?.first ?? latest;
    // No node is behind by as many blocks as one request reads: then it is unknown which were read.
    const isKnown = cursor !== null && cursor.block <= latest + BLOCKS;
    const again = isKnown ? least(cursor.block, latest) - REORG_BLOCKS + 1n : since;
    let from = again > since ? again : since;
    for (let request = 0; request < MAX_REQUESTS && from <= latest; request += 1) {
      const to = least(from + BLOCKS - 1n, latest);
      const range = { accounts, token: token as string, from, to };
      await deposits.replace({ ...range, reader, first }, await readAll(range));
      from = range.to + 1n;
    }
    return from > latest;
  }

  return {
    token,
    currency: "usdc",
    async balanceOf(account) {
      const block = await client.getBlockNumber();
      return { amount: await balanceOf(client, { account, token }), block };
    },
    async readDeposits(account) {
      const first = BigInt(deployment.block ?? 0);
      if (account !== null) return readOn(account, [account], first);
      const accounts = await deposits.listFollowed(token);
      const isComplete = accounts.length === 0 || (await readOn(FOLLOWER, accounts, first));
      const behind = await deposits.findBehind(token);
      if (behind !== null) await readOn(behind, [behind], first);
      return isComplete && behind === null;
    },
    ...(withdrawals && { withdrawals }),
    isOwnContract: (address) => contracts.some((own) => isAddressEqual(own, getAddress(address))),
  };
}

/** Reads the transfers of a range of blocks, with what is kept of it and the node did not list though the chain has it. */
function createTransferReader({
  client,
  token,
  deposits,
}: {
  client: ChainClient;
  token: Address;
  deposits: Deposits;
}): (range: DepositRange) => Promise<DepositRow[]> {
  async function readRange(accounts: string[], from: bigint, to: bigint): Promise<DepositRow[]> {
    const known = new Map(accounts.map((account) => [getAddress(account) as string, account]));
    const logs = await readAtOneNode(client, to, () =>
      client.getLogs({
        address: token,
        event: transferEvent,
        args: { to: [...known.keys()] as Address[] },
        fromBlock: from,
        toBlock: to,
        strict: true,
      }),
    );
    const blocks = new Map<bigint, Date>();
    for (const { blockNumber } of logs) {
      if (blocks.has(blockNumber)) continue;
      const { timestamp } = await client.getBlock({ blockNumber });
      blocks.set(blockNumber, new Date(Number(timestamp) * 1000));
    }
    const rows = logs.map(({ args, transactionHash, logIndex, blockNumber }) => ({
      txHash: transactionHash,
      logIndex,
      account: known.get(args.to) ?? args.to,
      token,
      sender: args.from as string,
      amount: args.value,
      block: blockNumber,
      createdAt: blocks.get(blockNumber) ?? new Date(0),
    }));
    return rows.filter(({ amount }) => amount > 0n);
  }

  /** Whether the chain has a transfer that the node did not list. */
  async function isThere({ txHash, account, amount }: DepositRow): Promise<boolean> {
    try {
      const { status, logs } = await client.getTransactionReceipt({ hash: txHash as Hex });
      const transfers = parseEventLogs({ abi: [transferEvent], logs });
      return (
        status === "success" &&
        transfers.some(
          ({ address, args }) =>
            isAddressEqual(address, token) &&
            isAddressEqual(args.to, getAddress(account)) &&
            args.value === amount,
        )
      );
    } catch (cause) {
      if (cause instanceof TransactionReceiptNotFoundError) return false;
      throw cause;
    }
  }

  return async (range) => {
    const { accounts, from, to } = range;
    const rows: DepositRow[] = [];
    for (let at = 0; at < accounts.length; at += ACCOUNTS) {
      rows.push(...(await readRange(accounts.slice(at, at + ACCOUNTS), from, to)));
    }
    const read = new Set(rows.map(({ txHash }) => txHash));
    for (const row of await deposits.list(range)) {
      if (!read.has(row.txHash) && (await isThere(row))) rows.push(row);
    }
    return rows;
  };
}

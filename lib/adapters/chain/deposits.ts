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
import { BLOCKS, readAtOneNode, readBlocks } from "./block-ranges.ts";
import type { ChainClient } from "./chain-client.ts";
import type { OnChain } from "./deployment.ts";
import { readHead, readHeadBlock } from "./sound-node.ts";

const transferEvent = parseAbiItem(
  "event Transfer(address indexed from, address indexed to, uint256 value)",
);
/** How many ranges of blocks one look reads. */
const MAX_RANGES = 50;
/** Blocks that are read again, because they may have been replaced. */
const REORG_BLOCKS = 64n;
/** Reads for many accounts, so many in one request, and with so many requests in one look. */
const FOLLOWER = "followed";
const ACCOUNTS = 250;
const MAX_REQUESTS = 8;
/** How many looks in a row may find a lower latest block than that of their round: one of several nodes may be behind. */
const MAX_LOWER = 60;

type Part = Parameters<Deposits["replace"]>[0];

/**
 * The deployment's stablecoin: what accounts hold, and the transfers that arrived, read from the token's events from
 * where the last look ended. Undefined where the deployment has none.
 */
export function openStablecoin(
  options: OnChain & { deposits: Deposits; withdrawals?: Stablecoin["withdrawals"] },
): Stablecoin | undefined {
  const { client, deployment, deposits, withdrawals } = options;
  const { usdc: token } = deployment;
  if (!token) return undefined;
  const contracts = Object.values(deployment).filter(
    (value): value is `0x${string}` => typeof value === "string" && value.startsWith("0x"),
  );

  const { readOn, follow } = createReader({ client, deployment, deposits, token });

  return {
    token,
    currency: "usdc",
    async balanceOf(account) {
      const block = await client.getBlockNumber();
      return { amount: await balanceOf(client, { account, token }), block };
    },
    readDeposits: readOn,
    async followDeposits() {
      const isComplete = await follow();
      const behind = await deposits.findBehind(token);
      if (behind !== null) await readOn(behind);
      return isComplete && behind === null;
    },
    ...(withdrawals && { withdrawals }),
    isOwnContract: (address) => contracts.some((own) => isAddressEqual(own, getAddress(address))),
  };
}

/** Reads on from where the last look ended: for one account, or for all that are followed. */
function createReader(of: OnChain & { deposits: Deposits; token: Address }) {
  const { deployment, deposits, token } = of;
  const since = BigInt(deployment.block ?? 0);
  const againFrom = (block: bigint) =>
    block - REORG_BLOCKS + 1n > since ? block - REORG_BLOCKS + 1n : since;
  const readRange = createTransferReader(of);
  const readPart = async (part: Part) => deposits.replace(part, await readRange(part));

  /** What a reader has to read, in requests. The last one of a range of blocks moves the reader's cursor. */
  async function plan(reader: string, accounts: string[], latest: bigint): Promise<Part[]> {
    const cursor = await deposits.cursor(reader, token);
    if (cursor?.block === latest && reader === FOLLOWER) return [];
    const first = cursor?.first ?? latest;
    // No node is behind by as many blocks as one request reads: then it is unknown which were read.
    const isKnown = cursor !== null && cursor.block <= latest + BLOCKS;
    let from = isKnown ? againFrom(least(cursor.block, latest)) : since;
    const parts: Part[] = [];
    for (let range = 0; range < MAX_RANGES && from <= latest; range += 1) {
      const to = least(from + BLOCKS - 1n, latest);
      for (let at = 0; at < accounts.length; at += ACCOUNTS) {
        const moves = at + ACCOUNTS >= accounts.length ? reader : null;
        const some = accounts.slice(at, at + ACCOUNTS);
        parts.push({ accounts: some, token, from, to, first, reader: moves });
      }
      from = to + 1n;
    }
    return parts;
  }

  /**
   * Whether the node that answered lacks so many of the blocks that were read that its head would begin all readings again. If no
   * node has a higher head for minutes, the follower begins again, and with it each account.
   */
  async function isFarBehind(latest: bigint): Promise<boolean> {
    const read = await deposits.cursor(FOLLOWER, token);
    return read !== null && read.block > latest + BLOCKS;
  }

  /** The time of the latest block; null if it was not come to. */
  async function readOn(account: string): Promise<Date | null> {
    const { number: latest, at } = await readHeadBlock(of);
    if (await isFarBehind(latest)) return null;
    const parts = await plan(account, [account], latest);
    for (const part of parts) await readPart(part);
    return (parts.at(-1)?.to ?? latest) === latest ? at : null;
  }

  /** What is left of the round through all followed accounts. */
  let round: Part[] = [];
  /** The accounts that are read in each of its looks, from where their last reading may have been replaced. */
  let foremost: Part | undefined;
  let lower = 0;

  async function look(): Promise<boolean> {
    const latest = await readHead(of);
    const isLower = round.some(({ to }) => to > latest) || (await isFarBehind(latest));
    lower = isLower ? lower + 1 : 0;
    if (lower > MAX_LOWER) round = [];
    else if (lower > 0) return false;
    if (round.length === 0) {
      round = await plan(FOLLOWER, await deposits.listFollowed(token), latest);
      foremost = round[0];
    } else if (foremost) {
      const [from, first] = [least(foremost.from, againFrom(latest)), latest - BLOCKS + 1n];
      await readPart({ ...foremost, reader: null, from: from > first ? from : first, to: latest });
      foremost = { ...foremost, from: againFrom(latest) };
    }
    for (let request = 0; request < MAX_REQUESTS && round[0]; request += 1) {
      await readPart(round[0]);
      round.shift();
    }
    return round.length === 0;
  }

  let underWay: Promise<boolean> | undefined;
  return {
    readOn,
    /** One look at a time; whether all were read. A round that breaks off begins again where the last one ended. */
    follow(): Promise<boolean> {
      underWay ??= look().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
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
  async function readLogs({ accounts, from, to }: DepositRange): Promise<DepositRow[]> {
    const known = new Map(accounts.map((account) => [getAddress(account) as string, account]));
    const logs = await readBlocks({ fromBlock: from, toBlock: to }, (range) =>
      readAtOneNode(client, to, () =>
        client.getLogs({
          address: token,
          event: transferEvent,
          args: { to: [...known.keys()] as Address[] },
          ...range,
          strict: true,
        }),
      ),
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
    const rows = await readLogs(range);
    const read = new Set(rows.map(({ txHash }) => txHash));
    for (const row of await deposits.list(range)) {
      if (!read.has(row.txHash) && (await isThere(row))) rows.push(row);
    }
    return rows;
  };
}

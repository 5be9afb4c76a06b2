import "server-only";
import type { Receipt } from "@turnpike/payments/protocol";
import { type Hex, isHex, parseAbi, parseEventLogs } from "viem";
import { createChainClient } from "@/lib/adapters/chain/chain-client.ts";
import { getRunning } from "../running.ts";

const ABI = parseAbi([
  "event CreditsBurned(address indexed account, uint256 indexed planId, bytes32 indexed root, uint256 amount, uint256 count, address redeemer)",
]);
/** A burn as its event says; amounts are decimal strings. */
export type Burn = { account: string; planId: string; root: string; amount: string; count: string };

const PATIENCE_MS = 5_000;
const HASH_LENGTH = 66;

/** Every burn that the receipt's transaction made at the credits' contract, asked of the chain just now. */
export async function readBurns({ chain, transaction }: Receipt): Promise<Burn[]> {
  const { rpcUrl, deployment } = (await getRunning()).chain;
  if (!chain || !isHash(transaction) || !rpcUrl) return [];
  const client = createChainClient({
    rpcUrl,
    chainId: deployment.chainId,
    timeoutMs: PATIENCE_MS,
  });
  const { logs } = await client.getTransactionReceipt({ hash: transaction });
  const own = logs.filter(({ address }) => address.toLowerCase() === chain.credits.toLowerCase());
  return parseEventLogs({ abi: ABI, logs: own }).map(({ args }) => ({
    account: args.account,
    planId: args.planId.toString(),
    root: args.root,
    amount: args.amount.toString(),
    count: args.count.toString(),
  }));
}

const isHash = (text: string): text is Hex => isHex(text) && text.length === HASH_LENGTH;

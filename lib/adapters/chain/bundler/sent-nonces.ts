import {
  type Address,
  getAddress,
  recoverTransactionAddress,
  type TransactionSerializedEIP1559,
} from "viem";
import type { ChainClient } from "../chain-client.ts";
import type { SignedTransaction } from "./transaction-sender.ts";

/** The nonce that a transaction has, and the key it is of: every key counts its own. */
export type SentNonce = { sender: string; nonce: number };

type At = { blockNumber: bigint } | { blockTag: "latest" | "pending" };

/** Whose key signed a stored transaction; the settler's key may have been changed since. */
export const senderOf = ({ raw }: SignedTransaction): Promise<Address> =>
  recoverTransactionAddress({ serializedTransaction: raw as TransactionSerializedEIP1559 });

/**
 * Asks the chain whether a nonce is taken by some transaction, each by the count of the key that signed it.
 *
 * @throws when the node does not know the block.
 */
export async function readTakenNonces(
  client: ChainClient,
  sent: readonly SentNonce[],
  at: At,
): Promise<(one: SentNonce) => boolean> {
  const senders = [...new Set(sent.map(({ sender }) => getAddress(sender)))];
  const counts = await Promise.all(
    senders.map((address) => client.getTransactionCount({ address, ...at })),
  );
  const next = new Map(senders.map((sender, index) => [sender, counts[index] ?? 0]));
  return ({ sender, nonce }) => nonce < (next.get(getAddress(sender)) ?? 0);
}

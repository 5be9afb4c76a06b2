import type { Address, Hex } from "viem";
import { verifyMessage } from "viem/actions";
import type { ChainClient } from "./chain-client.ts";

/** A text and its signature by a wallet (EIP-191). */
export type SignedMessage = { address: string; message: string; signature: string };

/**
 * Whether the wallet at the address signed the text: by its key, by its contract (ERC-1271), or by the contract it would
 * have once deployed (ERC-6492). Throws when the chain cannot be asked.
 *
 * @example await isSignedByWallet(client, { address, message, signature })
 */
export async function isSignedByWallet(
  client: ChainClient,
  { address, message, signature }: SignedMessage,
): Promise<boolean> {
  // Without an answer the check below says no.
  await client.getChainId();
  return verifyMessage(client, {
    address: address as Address,
    message,
    signature: signature as Hex,
  });
}

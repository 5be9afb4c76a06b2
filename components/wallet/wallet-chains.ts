import { custom, type Transport } from "viem";
import { arbitrum, base, baseSepolia, mainnet, optimism, polygon } from "viem/chains";

/** The networks that a wallet can be switched to: those whose USDC is known. The wallet library names no other to the wallet. */
export const WALLET_CHAINS = [baseSepolia, base, mainnet, optimism, polygon, arbitrum] as const;

type WalletChainId = (typeof WALLET_CHAINS)[number]["id"];

/**
 * They answer no request, so that none leaves the browser: the wallet only signs, and the service reads balances. RainbowKit would
 * look up each account's name on Ethereum.
 */
const noTransport = custom(
  { request: () => Promise.reject(new Error("Chains are not read from the browser.")) },
  { retryCount: 0 },
);

export const WALLET_TRANSPORTS = Object.fromEntries(
  WALLET_CHAINS.map(({ id }) => [id, noTransport]),
) as Record<WalletChainId, Transport>;

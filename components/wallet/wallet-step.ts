type WalletState = {
  isConnected: boolean;
  address?: string | undefined;
  chainId?: number | undefined;
};

/** What a wallet has to do next before it can sign for `signer` on a chain. */
export function walletStep(
  { isConnected, address, chainId }: WalletState,
  signer: string,
  signChainId: number,
): "connect" | "switch-account" | "switch-network" | "sign" {
  if (!isConnected) return "connect";
  if (address?.toLowerCase() !== signer.toLowerCase()) return "switch-account";
  return chainId === signChainId ? "sign" : "switch-network";
}

import { connectorsForWallets } from "@rainbow-me/rainbowkit";
import { injectedWallet } from "@rainbow-me/rainbowkit/wallets";
import { createConfig, http } from "wagmi";
import { base, baseSepolia } from "wagmi/chains";

/**
 * Wallets that announce themselves in the browser (EIP-6963). No request leaves the browser: the wallet
 * only signs, and the service reads balances.
 */
export function createWalletConfig() {
  const connectors = connectorsForWallets(
    [{ groupName: "In this browser", wallets: [injectedWallet] }],
    { appName: "Turnpike", projectId: "none" },
  );
  return createConfig({
    connectors,
    chains: [baseSepolia, base],
    transports: { [baseSepolia.id]: http(), [base.id]: http() },
    ssr: true,
  });
}

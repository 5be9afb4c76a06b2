import "@rainbow-me/rainbowkit/styles.css";
import "./wallet.css";
import { connectorsForWallets, RainbowKitProvider } from "@rainbow-me/rainbowkit";
import { injectedWallet } from "@rainbow-me/rainbowkit/wallets";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { createConfig, WagmiProvider } from "wagmi";
import { WALLET_CHAINS, WALLET_TRANSPORTS } from "./wallet-chains.ts";

type WalletProviderProps = {
  /** The wallet that was used last is not connected on its own: the person may want another one. */
  isChosenAnew?: boolean;
  children: ReactNode;
};

/** The context of wagmi and RainbowKit. It is large: load it only where a wallet is used. */
export function WalletProvider({ isChosenAnew = false, children }: WalletProviderProps) {
  const [config] = useState(createWalletConfig);
  const [queries] = useState(() => new QueryClient());
  return (
    <WagmiProvider config={config} reconnectOnMount={!isChosenAnew}>
      <QueryClientProvider client={queries}>
        <RainbowKitProvider theme={null} modalSize="compact">
          {children}
        </RainbowKitProvider>
      </QueryClientProvider>
    </WagmiProvider>
  );
}

/** Wallets that announce themselves in the browser (EIP-6963). */
function createWalletConfig() {
  const connectors = connectorsForWallets(
    [{ groupName: "In this browser", wallets: [injectedWallet] }],
    { appName: "Turnpike", projectId: "none" },
  );
  return createConfig({
    connectors,
    chains: WALLET_CHAINS,
    transports: WALLET_TRANSPORTS,
    ssr: true,
  });
}

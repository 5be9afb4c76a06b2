"use client";

import "@rainbow-me/rainbowkit/styles.css";
import "./wallet.css";
import { RainbowKitProvider } from "@rainbow-me/rainbowkit";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { WagmiProvider } from "wagmi";
import { createWalletConfig } from "./wallet-config.ts";

/** The context of wagmi and RainbowKit. It is large: load it only where a wallet is used. */
export function WalletProvider({ children }: { children: ReactNode }) {
  const [config] = useState(createWalletConfig);
  const [queries] = useState(() => new QueryClient());
  return (
    <WagmiProvider config={config}>
      <QueryClientProvider client={queries}>
        <RainbowKitProvider theme={null} modalSize="compact">
          {children}
        </RainbowKitProvider>
      </QueryClientProvider>
    </WagmiProvider>
  );
}

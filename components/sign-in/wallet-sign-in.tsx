"use client";

import { useConnectModal } from "@rainbow-me/rainbowkit";
import { useEffect, useRef } from "react";
import { createSiweMessage } from "viem/siwe";
import { useAccount, useSignMessage } from "wagmi";
import { WalletProvider } from "../wallet/wallet-provider.tsx";
import { type SignInActions, unwrap } from "./sign-in-actions.ts";

type WalletSignInProps = {
  actions: Pick<SignInActions, "askWallet" | "signInWithWallet">;
  onStage: (words: string) => void;
  onDone: () => void;
  onFailed: (words: string) => void;
};

/** Connects a wallet, has it sign this site's question, and hands the answer in. Shows nothing itself. */
export default function WalletSignIn(props: WalletSignInProps) {
  return (
    <WalletProvider>
      <Ladder {...props} />
    </WalletProvider>
  );
}

function Ladder({ actions, onStage, onDone, onFailed }: WalletSignInProps) {
  const { openConnectModal, connectModalOpen } = useConnectModal();
  const { address } = useAccount();
  const { mutateAsync: signMessage } = useSignMessage();
  const wasOpened = useRef(false);
  const wasAsked = useRef(false);

  useEffect(() => {
    if (address || wasOpened.current || !openConnectModal) return;
    wasOpened.current = true;
    onStage("Choose a wallet.");
    openConnectModal();
  }, [address, openConnectModal, onStage]);

  useEffect(() => {
    if (wasOpened.current && !connectModalOpen && !address) {
      const timer = setTimeout(() => onFailed("No wallet was connected. Nothing was signed."), 500);
      return () => clearTimeout(timer);
    }
  }, [connectModalOpen, address, onFailed]);

  useEffect(() => {
    if (!address || wasAsked.current) return;
    wasAsked.current = true;
    const sign = async () => {
      onStage("Sign the message in your wallet. It costs nothing and sends nothing.");
      const { nonce, chainId } = await unwrap(actions.askWallet());
      const message = createSiweMessage({
        address,
        nonce,
        chainId,
        domain: window.location.host,
        uri: window.location.origin,
        version: "1",
        statement: "Sign in to Turnpike.",
        issuedAt: new Date(),
      });
      const signature = await signMessage({ message });
      onStage("Checking the signature.");
      await unwrap(actions.signInWithWallet({ message, signature }));
      onDone();
    };
    sign().catch((cause) => onFailed(wordsOf(cause)));
  }, [address, actions, onStage, onDone, onFailed, signMessage]);

  return null;
}

const REJECTED = 4001;

function wordsOf(cause: unknown): string {
  const { code, cause: inner } = cause as { code?: number; cause?: { code?: number } };
  if (code === REJECTED || inner?.code === REJECTED) {
    return "You closed the request in your wallet. Nothing was sent.";
  }
  return cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
}

import { useConnectModal } from "@rainbow-me/rainbowkit";
import { useEffect, useRef } from "react";
import { useAccount, useSignMessage } from "wagmi";
import type { Failing } from "../forms/action-answer.ts";
import { WalletProvider } from "../wallet/wallet-provider.tsx";
import { ask, prove, type SignInActions } from "./sign-in-actions.ts";
import { signInMessage } from "./sign-in-message.ts";
import { walletFailure } from "./sign-in-state.ts";

type WalletSignInProps = {
  actions: Pick<SignInActions, "askWallet" | "signInWithWallet">;
  /** `sent`: the signature is, and can no longer be canceled. */
  onStep: (step: string, type?: "sent") => void;
  onDone: () => void;
  onFailed: (failing: Failing) => void;
};

/** Has the person choose a wallet, which signs the sign-in message. Renders nothing. */
export default function WalletSignIn(props: WalletSignInProps) {
  return (
    <WalletProvider isChosenAnew>
      <Ladder {...props} />
    </WalletProvider>
  );
}

function Ladder({ actions, onStep, onDone, onFailed }: WalletSignInProps) {
  const { openConnectModal, connectModalOpen } = useConnectModal();
  const { address } = useAccount();
  const { mutateAsync: signMessage } = useSignMessage();
  const wasOpened = useRef(false);
  const wasAsked = useRef(false);
  const isCanceled = useRef(false);

  useEffect(() => {
    isCanceled.current = false;
    return () => {
      isCanceled.current = true;
    };
  }, []);

  useEffect(() => {
    if (address || wasOpened.current || !openConnectModal) return;
    wasOpened.current = true;
    onStep("Choose a wallet.");
    openConnectModal();
  }, [address, openConnectModal, onStep]);

  useEffect(() => {
    if (wasOpened.current && !connectModalOpen && !address) {
      const timer = setTimeout(() => onFailed(NOT_CONNECTED), 500);
      return () => clearTimeout(timer);
    }
  }, [connectModalOpen, address, onFailed]);

  useEffect(() => {
    if (!address || wasAsked.current) return;
    wasAsked.current = true;
    const sign = async () => {
      onStep("Sign the message in your wallet. It’s free and sends nothing.");
      const message = signInMessage(address, await ask(actions.askWallet()), window.location);
      if (isCanceled.current) return;
      const signature = await signMessage({ message });
      if (isCanceled.current) return;
      onStep("Verifying the signature.", "sent");
      await prove(actions.signInWithWallet({ message, signature }));
      onDone();
    };
    sign().catch((cause) => onFailed(walletFailure(cause)));
  }, [address, actions, onStep, onDone, onFailed, signMessage]);

  return null;
}

const NOT_CONNECTED: Failing = {
  failure: "No wallet was connected. Nothing was signed.",
  isCertain: true,
};

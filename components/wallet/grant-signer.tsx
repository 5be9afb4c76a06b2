"use client";

import { useConnectModal } from "@rainbow-me/rainbowkit";
import type { GrantToSign } from "@turnpike/payments/protocol";
import { useEffect, useRef, useState } from "react";
import type { Hex, TypedDataDomain } from "viem";
import { useAccount, useDisconnect, useSignTypedData, useSwitchChain } from "wagmi";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { chainName } from "./chain-name.ts";
import { GrantTerms } from "./grant-terms.tsx";
import { readWalletFault, WALLET_WORDS, type WalletFault } from "./wallet-fault.ts";
import { WalletProvider } from "./wallet-provider.tsx";

export type GrantSignerProps = {
  grant: GrantToSign;
  /** What signing it does here: "Sign and pay 1.00 USDC". */
  verb: string;
  /** The signature is being handed in. */
  isPending?: boolean;
  onSigned: (signature: string) => void;
  onCancel: () => void;
};

/** After this long without an answer the person may say that the request was closed. */
const MAY_BE_CLOSED_AFTER_MS = 20_000;

/** Says what a grant allows, then has the person's wallet sign it. One button at a time: the next step. */
export default function GrantSigner(props: GrantSignerProps) {
  return (
    <WalletProvider>
      <section aria-labelledby="grant-title" className="grid gap-4">
        <GrantTerms grant={props.grant} />
        <Ladder {...props} />
      </section>
    </WalletProvider>
  );
}

function Ladder({ grant, verb, isPending, onSigned, onCancel }: GrantSignerProps) {
  const { openConnectModal } = useConnectModal();
  const { address, chainId, isConnected, status } = useAccount();
  const { mutate: disconnect } = useDisconnect();
  const { mutateAsync: signTypedData } = useSignTypedData();
  const { mutateAsync: switchChain, isPending: isSwitching } = useSwitchChain();
  const [isAsking, setAsking] = useState(false);
  const [mayBeClosed, setMayBeClosed] = useState(false);
  const [fault, setFault] = useState<WalletFault | null>(null);
  // An answer to a request that was given up is not taken.
  const round = useRef(0);

  useEffect(() => {
    if (!isAsking) return;
    const timer = setTimeout(() => setMayBeClosed(true), MAY_BE_CLOSED_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setMayBeClosed(false);
    };
  }, [isAsking]);

  const { domain, types, primaryType, message } = grant.typedData;
  const isSigner = address?.toLowerCase() === grant.signer.toLowerCase();
  const isOnChain = chainId === domain.chainId;

  const sign = async () => {
    round.current += 1;
    const own = round.current;
    setFault(null);
    setAsking(true);
    try {
      const signature = await signTypedData({
        domain: domain as TypedDataDomain & { verifyingContract: Hex },
        types,
        primaryType,
        message,
      });
      if (own === round.current) onSigned(signature);
    } catch (cause) {
      if (own === round.current) setFault(readWalletFault(cause));
    } finally {
      if (own === round.current) setAsking(false);
    }
  };
  const giveUp = () => {
    round.current += 1;
    setAsking(false);
    setFault("rejected");
  };
  const move = () => {
    setFault(null);
    switchChain({ chainId: domain.chainId }).catch((cause) => setFault(readWalletFault(cause)));
  };

  return (
    <div className="grid gap-3">
      {isConnected && !isSigner && (
        <Notice tone="unsettled" title="Your wallet shows another account." role="status">
          It shows <code>{shortenIdentifier(address ?? "")}</code>; this account belongs to{" "}
          <code>{shortenIdentifier(grant.signer)}</code>. Switch the account in your wallet.
        </Notice>
      )}
      {isConnected && isSigner && !isOnChain && (
        <Notice
          tone="unsettled"
          role="status"
          title={`Your wallet is on ${chainName(chainId)}; this plan uses ${chainName(domain.chainId)}.`}
        />
      )}
      {fault && (
        <div role="alert">
          <Notice
            tone={fault === "rejected" ? "neutral" : "unsettled"}
            title={WALLET_WORDS[fault]}
          />
        </div>
      )}
      <p role="status" className={isAsking ? "text-center font-medium" : "sr-only"}>
        {isAsking && "Confirm in your wallet. Nothing is sent yet."}
      </p>
      {!isConnected ? (
        <Button
          look="primary"
          size="big"
          isPending={status === "connecting" || status === "reconnecting"}
          onClick={() => openConnectModal?.()}
        >
          Connect wallet
        </Button>
      ) : !isSigner ? (
        <Button look="primary" size="big" onClick={() => disconnect({})}>
          Use another wallet
        </Button>
      ) : !isOnChain ? (
        <Button look="primary" size="big" isPending={isSwitching} onClick={move}>
          Switch network
        </Button>
      ) : (
        <Button look="primary" size="big" isPending={isAsking || isPending} onClick={sign}>
          {fault && !isAsking ? "Try again" : verb}
        </Button>
      )}
      {mayBeClosed ? (
        <Button look="quiet" onClick={giveUp}>
          I closed it
        </Button>
      ) : (
        !isAsking &&
        !isPending && (
          <Button look="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )
      )}
    </div>
  );
}

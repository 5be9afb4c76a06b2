"use client";

import { useConnectModal } from "@rainbow-me/rainbowkit";
import type { GrantToSign } from "@turnpike/payments/protocol";
import { useAccount, useDisconnect } from "wagmi";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { chainName } from "./chain-name.ts";
import { GrantTerms } from "./grant-terms.tsx";
import { useGrantSignature } from "./use-grant-signature.ts";
import { WALLET_WORDS } from "./wallet-fault.ts";
import { WalletProvider } from "./wallet-provider.tsx";
import { walletStep } from "./wallet-step.ts";

export type GrantSignerProps = {
  grant: GrantToSign;
  /** What signing does here: "Sign and pay 1.00 USDC". */
  verb: string;
  /** The signature is being handed in. */
  isPending: boolean;
  onSigned: (signature: string) => void;
  onCancel: () => void;
};

/** Explains a grant and has the wallet sign it, with one button for the next step. */
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
  const account = useAccount();
  const { mutate: disconnect } = useDisconnect();
  const signature = useGrantSignature(grant, onSigned);
  const { isAsking, fault } = signature;
  const needed = grant.typedData.domain.chainId;
  const step = walletStep(account, grant.signer, needed);
  const BUTTONS = {
    connect: {
      label: "Connect wallet",
      isPending: account.status === "connecting" || account.status === "reconnecting",
      onClick: () => openConnectModal?.(),
    },
    "switch-account": {
      label: "Use another wallet",
      isPending: false,
      onClick: () => disconnect({}),
    },
    "switch-network": {
      label: "Switch network",
      isPending: signature.isSwitching,
      onClick: signature.switchNetwork,
    },
    sign: {
      label: fault && !isAsking ? "Try again" : verb,
      isPending: isAsking || isPending,
      onClick: () => void signature.sign(),
    },
  };
  const { label, ...button } = BUTTONS[step];
  return (
    <div className="grid gap-3">
      {step === "switch-account" && (
        <Notice tone="unsettled" title="Your wallet uses another account." role="status">
          It uses <code>{shortenIdentifier(account.address ?? "")}</code>. This account belongs to{" "}
          <code>{shortenIdentifier(grant.signer)}</code>. Switch accounts in your wallet.
        </Notice>
      )}
      {step === "switch-network" && (
        <Notice
          tone="unsettled"
          role="status"
          title={`Your wallet is on ${chainName(account.chainId)}. This plan uses ${chainName(needed)}.`}
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
      <Button look="primary" size="big" {...button}>
        {label}
      </Button>
      {signature.mayBeClosed ? (
        <Button look="quiet" onClick={signature.close}>
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

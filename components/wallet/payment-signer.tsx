import { useConnectModal } from "@rainbow-me/rainbowkit";
import {
  type ExactPayload,
  type ForeignOffer,
  TRANSFER_WITH_AUTHORIZATION,
} from "@turnpike/payments/protocol";
import { useState } from "react";
import type { Hex } from "viem";
import { useAccount, useSignTypedData, useSwitchChain } from "wagmi";
import { StepButton } from "./step-button.tsx";
import { readWalletFault, type WalletFault } from "./wallet-fault.ts";
import { WalletFaultNotice } from "./wallet-fault-notice.tsx";
import { WalletProvider } from "./wallet-provider.tsx";

export type PaymentSignerProps = {
  offer: ForeignOffer;
  /** How long the seller has to collect the payment. */
  secs: number;
  /** "Sign and pay 0.01 USDC". */
  verb: string;
  onSigned: (payload: ExactPayload["payload"]) => void;
};

/** Has the person's own wallet sign one payment by `exact`, with one button for the next step. */
export default function PaymentSigner(props: PaymentSignerProps) {
  return (
    <WalletProvider>
      <Signer {...props} />
    </WalletProvider>
  );
}

/** Clocks of sellers and of the chain may be this far behind. */
const EARLIER_SECS = 600;

function transferOf({ payTo, amount }: ForeignOffer, from: Hex, secs: number) {
  const now = Math.floor(Date.now() / 1000);
  const random = crypto.getRandomValues(new Uint8Array(32));
  const nonce: Hex = `0x${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  return {
    from,
    to: payTo as Hex,
    value: BigInt(amount),
    validAfter: BigInt(now - EARLIER_SECS),
    validBefore: BigInt(now + secs),
    nonce,
  };
}

function Signer({ offer, secs, verb, onSigned }: PaymentSignerProps) {
  const { openConnectModal } = useConnectModal();
  const account = useAccount();
  const { mutateAsync: signTypedData, isPending } = useSignTypedData();
  const { mutateAsync: switchChain, isPending: isSwitching } = useSwitchChain();
  const [fault, setFault] = useState<WalletFault | null>(null);
  const chainId = Number(offer.network.slice("eip155:".length));
  const attempt = (work: () => Promise<unknown>) => {
    setFault(null);
    work().catch((cause: unknown) => setFault(readWalletFault(cause)));
  };

  async function sign() {
    const { address } = account;
    if (!address) return;
    const message = transferOf(offer, address, secs);
    const signature = await signTypedData({
      domain: {
        name: String(offer.extra?.name ?? ""),
        version: String(offer.extra?.version ?? ""),
        chainId,
        verifyingContract: offer.asset as Hex,
      },
      types: { TransferWithAuthorization: TRANSFER_WITH_AUTHORIZATION },
      primaryType: "TransferWithAuthorization",
      message,
    });
    const { validAfter, validBefore } = message;
    onSigned({
      signature,
      authorization: {
        ...message,
        value: offer.amount,
        validAfter: String(validAfter),
        validBefore: String(validBefore),
      },
    });
  }

  const BUTTONS = {
    connect: {
      label: "Connect wallet",
      isPending: false,
      onClick: () => openConnectModal?.(),
    },
    "switch-network": {
      label: "Switch network",
      isPending: isSwitching,
      onClick: () => attempt(() => switchChain({ chainId })),
    },
    sign: { label: verb, isPending, onClick: () => attempt(sign) },
  };
  // Any account of the wallet may pay.
  const step = !account.isConnected
    ? "connect"
    : account.chainId === chainId
      ? "sign"
      : "switch-network";
  const { label, ...button } = BUTTONS[step];
  return (
    <div className="grid gap-3">
      {fault && <WalletFaultNotice fault={fault} />}
      <StepButton step={step} look="primary" {...button}>
        {label}
      </StepButton>
    </div>
  );
}

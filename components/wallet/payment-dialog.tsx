import { useConnectModal } from "@rainbow-me/rainbowkit";
import type { RefundPayment } from "@turnpike/payments/protocol";
import type { ReactNode } from "react";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { Address } from "../ui/values/address.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { chainName } from "./chain-name.ts";
import { Ladder, type SigningProps } from "./grant-signer.tsx";
import { WalletProvider } from "./wallet-provider.tsx";

type PaymentDialogProps = SigningProps & {
  grant: RefundPayment;
  title: string;
  description: string;
  children: ReactNode;
};

/** Explains a payment out of the account, and has the wallet of its owner sign it. */
export default function PaymentDialog(props: PaymentDialogProps) {
  return (
    <WalletProvider>
      <Window {...props} />
    </WalletProvider>
  );
}

function Window({ title, description, children, ...signing }: PaymentDialogProps) {
  // A modal dialog takes the clicks and the focus of everything else: it closes while a wallet is chosen.
  const { connectModalOpen } = useConnectModal();
  const { grant, onCancel } = signing;
  return (
    <Dialog isOpen={!connectModalOpen} onClose={onCancel} title={title} description={description}>
      {children}
      <p className="text-ink-2">
        One payment out of your account. Signing is free: Turnpike sends it once and pays the
        network fee.
      </p>
      <DefinitionList
        look="split"
        items={{
          "Amount, smallest unit": groupDigits(grant.amount),
          Token: <Address value={grant.token} name="token" />,
          To: <Address value={grant.to} name="subscriber" />,
          Network: chainName(grant.typedData.domain.chainId),
        }}
      />
      <Ladder {...signing} />
    </Dialog>
  );
}

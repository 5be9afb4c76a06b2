import { useConnectModal } from "@rainbow-me/rainbowkit";
import type { GrantToSign, RefundPayment } from "@turnpike/payments/protocol";
import { useAccount, useDisconnect } from "wagmi";
import { plural } from "@/lib/text/plural.ts";
import { Button } from "../ui/button.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { JsonTree } from "../ui/data/json-tree.tsx";
import { Notice } from "../ui/notice.tsx";
import { takeFocus } from "../ui/take-focus.ts";
import { Address } from "../ui/values/address.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { PermissionSentence } from "../ui/values/permission-sentence.tsx";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { absoluteTime } from "../ui/values/time-text.ts";
import { chainName } from "./chain-name.ts";
import { grantLimitText } from "./grant-limit.ts";
import { StepButton } from "./step-button.tsx";
import { useGrantSignature } from "./use-grant-signature.ts";
import { WalletFaultNotice } from "./wallet-fault-notice.tsx";
import { WalletProvider } from "./wallet-provider.tsx";
import { walletStep } from "./wallet-step.ts";

export type SigningProps = {
  grant: GrantToSign | RefundPayment;
  /** What signing does here: "Sign and pay 1.00 USDC". */
  verb: string;
  /** The signature is being handed in. */
  isPending: boolean;
  onSigned: (signature: string) => void;
  onCancel: () => void;
};

/** Explains a grant and has the wallet sign it. */
export default function GrantSigner(props: SigningProps & { grant: GrantToSign }) {
  return (
    <WalletProvider>
      <section aria-labelledby="grant-title" className="grid gap-4">
        <GrantTerms grant={props.grant} />
        <Ladder {...props} />
      </section>
    </WalletProvider>
  );
}

/** One button for the next step to the wallet's signature. */
export function Ladder({ grant, verb, isPending, onSigned, onCancel }: SigningProps) {
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
      {fault && <WalletFaultNotice fault={fault} />}
      <p role="status" className={isAsking ? "text-center font-medium" : "sr-only"}>
        {isAsking && "Confirm in your wallet. Nothing is sent yet."}
      </p>
      <StepButton step={step} look="primary" size="big" {...button}>
        {label}
      </StepButton>
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

/** What a wallet is about to sign: a sentence, then the exact data. */
function GrantTerms({ grant }: { grant: GrantToSign }) {
  const { terms, typedData, signBefore } = grant;
  const { planIds } = terms;
  const plans =
    planIds.length === 0
      ? "any plan you choose"
      : planIds.length === 1
        ? "this plan"
        : plural(planIds.length, "plan");
  return (
    <div className="grid gap-3">
      <div>
        <h2 ref={takeFocus} id="grant-title" tabIndex={-1} className="text-h2 outline-none">
          What your wallet signs
        </h2>
        <p className="text-ink-2">
          Signing is free and sends nothing. You can revoke it at any time.
        </p>
      </div>
      <PermissionSentence>
        Turnpike may order {plans} from your account for up to <b>{grantLimitText(terms)}</b> in
        total, until <b>{absoluteTime(new Date(terms.validUntil))}</b>, and use the credits. It
        can’t move anything else.
      </PermissionSentence>
      <details className="rounded-card border border-line bg-surface px-4 py-2.5">
        <summary className="min-h-6 cursor-pointer text-label">All details</summary>
        <div className="mt-2 grid gap-3">
          <DefinitionList
            look="split"
            items={{
              Account: <Address value={terms.account} name="account" />,
              "Signed by": <Address value={grant.signer} name="signer" />,
              "Session key": <Address value={terms.sessionKeyAddress} name="session key" />,
              Permissions: terms.permissions.map((name) => PERMISSIONS[name]).join(", "),
              "Order limit, smallest unit": groupDigits(terms.orderLimit),
              ...Object.fromEntries(
                (terms.periodLimits ?? []).map(({ period, limit }) => [
                  `Limit per ${period}, smallest unit`,
                  groupDigits(limit),
                ]),
              ),
              "Payment token": <Address value={terms.orderToken} name="token" />,
              "Maximum calls on chain": groupDigits(terms.redemptionLimit),
              Network: chainName(typedData.domain.chainId),
              "Sign before": absoluteTime(new Date(signBefore)),
            }}
          />
          <JsonTree value={typedData} label="Typed data" openLevels={1} />
        </div>
      </details>
    </div>
  );
}

const PERMISSIONS = { order: "order the plan", burn: "use its credits" } as const;

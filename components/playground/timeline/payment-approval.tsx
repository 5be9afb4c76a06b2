import type { ExactPayload } from "@turnpike/payments/protocol";
import type { PaymentToApprove } from "@/lib/playground/ports.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { createLater } from "../../ui/later.ts";
import { Identifier } from "../../ui/values/identifier.tsx";

// Wallet code is large: it is fetched when a wallet is to sign.
const PaymentSigner = createLater(() => import("../../wallet/payment-signer.tsx"), "default");

/** Agreed, signed by a wallet of the person's own, or not agreed. */
export type ApprovalAnswer = boolean | ExactPayload["payload"];

export type PaymentApprovalProps = {
  payment: PaymentToApprove;
  /** Who signs: the person's test customer, their account, or a wallet in this browser. */
  payer: "test" | "mint" | "wallet";
  onAnswer: (answer: ApprovalAnswer) => void;
};

const PAYERS = {
  test: "Your test customer’s wallet",
  mint: "Your account",
  wallet: "Your wallet",
} as const;

/** What is about to be signed, in one sentence and its checks, with the button that signs. */
export function PaymentApproval({ payment, payer, onAnswer }: PaymentApprovalProps) {
  const { offer, price, network, host, secs, checks } = payment;
  const verb = `Sign and pay ${price}`;
  return (
    <section
      aria-label="Payment to sign"
      data-testid="pg-approval"
      className="grid gap-3 rounded-card border border-line bg-surface p-4"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <span className="font-medium text-h2 tabular-nums">{price}</span>
        <span className="text-note">{host}</span>
      </div>
      <p className="text-body">
        {PAYERS[payer]} lets <Identifier value={offer.payTo} name="recipient" /> collect exactly{" "}
        <strong>{price}</strong> on <strong>{network}</strong>, <strong>once</strong>, within {secs}{" "}
        seconds. You pay no network fee. If the seller doesn’t collect it in time, nothing is
        charged.
      </p>
      <ul className="grid gap-1.5 border-line border-t pt-3 text-note sm:grid-cols-2">
        {checks.map(({ name, note, holds }) => (
          <li key={name} className="flex items-start gap-1.5">
            <Icon
              name={holds === true ? "tick" : holds === false ? "cross" : "info"}
              className={`mt-px size-4 ${holds === true ? "text-settled" : ""}`}
            />
            {note}
          </li>
        ))}
      </ul>
      <p className="text-ink-2 text-note">
        This seller may not be on Turnpike: it can collect the payment even if its response is poor.
        Turnpike checks the transfer but can’t refund it.
      </p>
      <div className="flex flex-wrap items-start gap-2">
        {payer === "wallet" ? (
          <PaymentSigner.Part {...{ offer, secs, verb }} onSigned={onAnswer} />
        ) : (
          <Button look="primary" onClick={() => onAnswer(true)} data-testid="pg-approve">
            {verb}
          </Button>
        )}
        <Button onClick={() => onAnswer(false)}>Cancel</Button>
      </div>
    </section>
  );
}

import type { CardConfirmation } from "@turnpike/payments/protocol";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { buttonLook } from "../ui/button-look.ts";
import { Notice } from "../ui/notice.tsx";

type ConfirmPaymentProps = { confirmation: CardConfirmation; onDone: () => void };

/** Has the cardholder confirm: on the processor's page where it has one, else in its frame here. */
export default function ConfirmPayment({ confirmation, onDone }: ConfirmPaymentProps) {
  const { clientSecret, publishableKey, paymentMethodId, confirmationUrl } = confirmation;
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState("");
  if (confirmationUrl) {
    return (
      <div>
        <a
          href={confirmationUrl}
          target="_blank"
          rel="noreferrer"
          className={buttonLook({ look: "primary", size: "big" })}
        >
          Confirm with your bank
          <span className="sr-only">, opens in a new tab</span>
        </a>
      </div>
    );
  }
  const confirm = async () => {
    setPending(true);
    setFailure("");
    try {
      const { loadStripe } = await import("@stripe/stripe-js");
      const stripe = await loadStripe(publishableKey);
      const answer = await stripe?.confirmCardPayment(clientSecret, {
        payment_method: paymentMethodId,
      });
      if (answer?.error)
        setFailure(answer.error.message ?? "Your bank did not confirm the payment.");
    } catch {
      setFailure("Your bank’s page could not be loaded. Try again.");
    }
    setPending(false);
    onDone();
  };
  return (
    <div className="grid gap-3">
      {failure && <Notice tone="refused" title={failure} role="alert" />}
      <div>
        <Button look="primary" size="big" isPending={isPending} onClick={confirm}>
          Confirm with your bank
        </Button>
      </div>
    </div>
  );
}

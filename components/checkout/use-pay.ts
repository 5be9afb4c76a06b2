import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import type { Limits } from "../delegations/read-limits.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";

/** What is charged: a card or a delegation, else the account; with limits, agents may order again. */
export type PayWith = {
  providerPaymentMethodId?: string;
  delegationId?: string;
  limits?: Limits & { currency: string };
};

type Quote = { planId: string; follows: string; quoted: string };

/** The order once there is one, or the price when it has changed. */
type Paid = { orderId: string } | { price: string };
export type PayOutcome = Paid | { isLost: true };
export type Pay = (payment: Quote & PayWith) => Promise<ActionAnswer<Paid>>;

/**
 * Orders a plan once: from the click on, the address says which order may have been made, also after a
 * reload. `send` and `done` are for an operation or a form to run.
 */
export function usePay(quote: Quote, pay: Pay) {
  const router = useRouter();
  const [isLeaving, leave] = useTransition();
  const [isLost, setLost] = useState(false);
  const [newPrice, setNewPrice] = useState<string | null>(null);
  const here = `/checkout/${quote.planId}`;
  const checkHref = `${here}?follows=${quote.follows}`;

  return {
    /** Paying while a new price is shown accepts that price. */
    send(payWith: PayWith): Promise<ActionAnswer<PayOutcome>> {
      const quoted = newPrice ?? quote.quoted;
      setNewPrice(null);
      window.history.replaceState(null, "", checkHref);
      return pay({ ...quote, ...payWith, quoted }).catch(() => ({
        ok: true,
        data: { isLost: true },
      }));
    },
    done(paid: PayOutcome) {
      if ("isLost" in paid) setLost(true);
      else if ("price" in paid) setNewPrice(paid.price);
      else leave(() => router.replace(`${here}/${paid.orderId}`));
    },
    isLeaving,
    /** The answer never arrived: paying again is blocked until the outcome is known. */
    isLost,
    newPrice,
    forgetNewPrice: () => setNewPrice(null),
    checkHref,
  };
}

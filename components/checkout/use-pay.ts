import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import type { Limits } from "../delegations/read-limits.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { type CheckoutLink, checkoutHref, orderHref } from "./order-href.ts";
import type { Offer } from "./plan-price.ts";
import { type Paid, type PayOutcome, readPayAnswer } from "./read-pay-answer.ts";

/** What is charged: a card or a delegation, else the account; with limits, agents may order again. */
export type PayWith = {
  providerPaymentMethodId?: string;
  delegationId?: string;
  limits?: Limits & { currency: string };
};

type Quote = CheckoutLink & { planId: string; follows: string; version: number };

export type Pay = (payment: Quote & PayWith) => Promise<ActionAnswer<Paid>>;

/**
 * Orders a plan once: from the click on, the address says which order may have been made, also after a
 * reload. `send` and `done` are for an operation or a form to run.
 */
export function usePay({ offer, ...order }: Omit<Quote, "version"> & { offer: Offer }, pay: Pay) {
  const router = useRouter();
  const [isLeaving, leave] = useTransition();
  const [isLost, setLost] = useState(false);
  const [newOffer, setNewOffer] = useState<Offer | null>(null);
  const { planId, follows, session, ends } = order;
  const checkHref = checkoutHref(planId, { follows, session, ends });

  return {
    /** Paying while new terms are shown accepts them. */
    send(payWith: PayWith): Promise<ActionAnswer<PayOutcome>> {
      const { version } = newOffer ?? offer;
      setNewOffer(null);
      window.history.replaceState(null, "", checkHref);
      return readPayAnswer(pay({ ...order, ...payWith, version }));
    },
    done(paid: PayOutcome) {
      if ("isLost" in paid) setLost(true);
      else if ("changed" in paid) setNewOffer(paid.changed);
      else leave(() => router.replace(orderHref(planId, paid.orderId, session)));
    },
    isLeaving,
    /** It is unknown whether an order was made: paying again is blocked until the outcome is known. */
    isLost,
    offer,
    newOffer,
    /** Reads the page again, with the terms that are offered now. */
    showNewOffer() {
      setNewOffer(null);
      leave(() => router.refresh());
    },
    checkHref,
  };
}

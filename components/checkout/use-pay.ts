"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";

export type Payment = {
  planId: string;
  follows: string;
  quoted: string;
  providerPaymentMethodId?: string;
  delegationId?: string;
  limits?: {
    spendingLimitCents: string;
    durationSecs: number;
    maxTransactions?: number;
    currency: string;
  };
};

export type Failure = { code: string; message: string; hint: string };
export type Answer<T> = { ok: true; data: T } | ({ ok: false } & Failure);
export type Pay = (payment: Payment) => Promise<Answer<{ orderId: string } | { price: string }>>;

type Quote = Pick<Payment, "planId" | "follows" | "quoted">;

/** Orders once: from the click on the page knows, also after a reload, which order it may have made. */
export function usePay(quote: Quote, pay: Pay) {
  const router = useRouter();
  const [isAsking, setAsking] = useState(false);
  const [isLeaving, leave] = useTransition();
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isLost, setLost] = useState(false);
  const [newPrice, setNewPrice] = useState<string | null>(null);
  const here = `/checkout/${quote.planId}`;

  async function order(more: Omit<Payment, keyof Quote>, quoted = quote.quoted): Promise<void> {
    if (isAsking) return;
    setAsking(true);
    setFailure(null);
    setNewPrice(null);
    window.history.replaceState(null, "", `${here}?follows=${quote.follows}`);
    const paid = await pay({ ...quote, ...more, quoted }).catch(() => null);
    if (paid?.ok && "orderId" in paid.data) {
      const { orderId } = paid.data;
      leave(() => router.replace(`${here}/${orderId}`));
      return;
    }
    setAsking(false);
    if (!paid) return setLost(true);
    if (!paid.ok) return setFailure(paid);
    if ("price" in paid.data) setNewPrice(paid.data.price);
  }

  return {
    order,
    isPending: isAsking || isLeaving,
    failure,
    setFailure,
    /** The answer never came: nobody may pay again before it is known what became of it. */
    isLost,
    newPrice,
    forgetNewPrice: () => setNewPrice(null),
    checkHref: `${here}?follows=${quote.follows}`,
  };
}

"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { CopyButton } from "../ui/values/copy-button.tsx";
import { moneyText } from "../ui/values/money-text.ts";
import type { PlanPrice } from "./plan-price.ts";
import type { Failure, usePay } from "./use-pay.ts";

/** What was refused before there was an order. */
export function Refused({ failure, title }: { failure: Failure; title: string }) {
  return (
    <div role="alert">
      <Notice tone="refused" title={title} code={failure.code}>
        {failure.message} {failure.hint}
      </Notice>
    </div>
  );
}

/** The answer to paying was lost on its way. Asking where it stands replaces paying. */
export function Lost({ checkHref, planId }: { checkHref: string; planId: string }) {
  // A whole page load, so that nothing this page remembers stands in for what the service knows.
  const check = () => window.location.assign(checkHref);
  useEffect(() => {
    const back = () => window.location.assign(checkHref);
    window.addEventListener("online", back);
    return () => window.removeEventListener("online", back);
  }, [checkHref]);
  return (
    <Unknown
      details={`plan ${planId}`}
      action={
        <Button look="primary" onClick={check}>
          Check status
        </Button>
      }
    />
  );
}

/** Nobody knows what became of a payment; there is no way to pay from here. */
export function Unknown({ details, action }: { details: string; action: React.ReactNode }) {
  return (
    <div role="alert" className="grid gap-3">
      <Notice
        tone="unknown"
        title="We do not know yet whether this went through. Do not pay again."
        code="outcome_unknown"
      >
        It is looked up until it is known, also while you are away. Nothing is paid twice.
      </Notice>
      <div className="flex flex-wrap items-center gap-2">
        {action}
        <span className="flex items-center gap-1 text-ink-2 text-note">
          Copy details <CopyButton text={details} label="Copy details" />
        </span>
      </div>
    </div>
  );
}

type PriceChangedProps = {
  price: PlanPrice;
  paying: Pick<ReturnType<typeof usePay>, "isPending" | "newPrice" | "forgetNewPrice">;
  onAccept: (price: string) => void;
};

/** The price moved between looking and paying: both are said, and the safe answer has the focus. */
export function PriceChanged({ price, paying, onAccept }: PriceChangedProps) {
  const router = useRouter();
  const { newPrice, isPending } = paying;
  if (newPrice === null) return null;
  const cancel = () => {
    paying.forgetNewPrice();
    router.refresh();
  };
  const text = (amount: string | bigint) =>
    moneyText(amount, price.decimals, price.currency, { withCode: true });
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && cancel()}
      title="The price has changed"
      description={`You saw ${text(price.total)}. It is ${text(newPrice)} now. Nothing was paid.`}
      footer={
        <>
          <Button data-safe onClick={cancel}>
            Cancel
          </Button>
          <Button look="primary" isPending={isPending} onClick={() => onAccept(newPrice)}>
            Pay {text(newPrice)}
          </Button>
        </>
      }
    />
  );
}

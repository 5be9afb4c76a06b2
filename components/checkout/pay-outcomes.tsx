import { useEffect } from "react";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { CopyButton } from "../ui/values/copy-button.tsx";
import { offerChange } from "./offer-change.ts";
import type { usePay } from "./use-pay.ts";

/** It is unknown whether a payment was made. Its status can be checked; paying again is not offered. */
export function Lost({ checkHref, planId }: { checkHref: string; planId: string }) {
  // A full page load, so that the service answers and not this page's cache.
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

/** A payment whose outcome is unknown. There is no way to pay from here. */
export function Unknown({ details, action }: { details: string; action: React.ReactNode }) {
  return (
    <div role="alert" className="grid gap-3">
      <Notice
        tone="unknown"
        title="We don’t know yet whether this payment went through. Don’t pay again."
        code="outcome_unknown"
      >
        We keep checking, even after you leave this page. You won’t be charged twice.
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

type OfferChangedProps = {
  paying: Pick<ReturnType<typeof usePay>, "offer" | "newOffer" | "showNewOffer">;
  /** A wallet signs the price before it is paid. */
  mustSign?: boolean;
  isPending: boolean;
  onAccept: () => void;
};

/** The plan changed before the payment: the dialog shows both terms, and Cancel has the focus. */
export function OfferChanged({ paying, mustSign = false, ...props }: OfferChangedProps) {
  const { offer, newOffer, showNewOffer } = paying;
  if (newOffer === null) return null;
  const { isPayable, ...text } = offerChange({ offer, newOffer }, mustSign);
  return (
    <ConfirmDialog
      onClose={showNewOffer}
      {...text}
      safe="Cancel"
      look="primary"
      isPending={props.isPending}
      onConfirm={isPayable ? props.onAccept : showNewOffer}
    />
  );
}

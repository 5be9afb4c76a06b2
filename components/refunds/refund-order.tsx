"use client";

import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { type RefundActions, RefundDialog } from "./refund-dialog.tsx";

type RefundOrderProps = {
  orderId: string;
  actions: RefundActions;
  /** Among the texts of a list, rather than in a page's head. */
  isInList?: boolean;
};

/** The button beside a paid order of a builder's plan. */
export function RefundOrder({ orderId, actions, isInList }: RefundOrderProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...(isInList && { size: "small" })} onClick={() => setOpen(true)}>
        Refund
      </Button>
      {isOpen && (
        <RefundDialog orderId={orderId} actions={actions} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

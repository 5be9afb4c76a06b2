"use client";

import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { type RefundActions, RefundDialog } from "./refund-dialog.tsx";

/** The button beside a paid order of a builder's plan. */
export function RefundOrder({ orderId, actions }: { orderId: string; actions: RefundActions }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" look="quiet" onClick={() => setOpen(true)}>
        Refund
      </Button>
      {isOpen && (
        <RefundDialog orderId={orderId} actions={actions} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

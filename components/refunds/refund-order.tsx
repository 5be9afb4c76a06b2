"use client";

import { DialogButton } from "../ui/overlays/dialog-button.tsx";
import { type RefundActions, RefundDialog } from "./refund-dialog.tsx";

type RefundOrderProps = {
  orderId: string;
  actions: RefundActions;
  /** Among the texts of a list, rather than in a page's head. */
  isInList?: boolean;
};

/** The button beside a paid order of a builder's plan. */
export function RefundOrder({ orderId, actions, isInList }: RefundOrderProps) {
  return (
    <DialogButton
      {...(isInList && { size: "small" })}
      dialog={(onClose) => <RefundDialog orderId={orderId} actions={actions} onClose={onClose} />}
    >
      Refund
    </DialogButton>
  );
}

"use client";

import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";

type PayingDialogProps = { cost: string; onAnswer: (isSure: boolean) => void };

/** Asks for confirmation before a live run pays. */
export function PayingDialog({ cost, onAnswer }: PayingDialogProps) {
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={() => onAnswer(false)}
      title="Pay for this call?"
      description={`This is live mode: the run sends a token and uses real credits. ${cost}`}
      safe="Stop run"
      verb="Retry with payment"
      look="primary"
      onConfirm={() => onAnswer(true)}
    />
  );
}

"use client";

import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";

type PayingDialogProps = { cost: string; onAnswer: (isSure: boolean) => void };

/** Asked in live before the step that pays. */
export function PayingDialog({ cost, onAnswer }: PayingDialogProps) {
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={() => onAnswer(false)}
      title="Pay for this call?"
      description={`This is live: the run now sends a token and uses real credits. ${cost}`}
      safe="Stop here"
      verb="Pay and ask again"
      look="primary"
      onConfirm={() => onAnswer(true)}
    />
  );
}

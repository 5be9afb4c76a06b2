"use client";

import { plural } from "@/lib/text/plural.ts";
import type { OperationAction } from "../forms/action-answer.ts";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";
import { toast } from "../ui/overlays/toast-store.ts";

type RefundCallProps = {
  agentRequestId: string;
  credits: string;
  createRefund: OperationAction<"createRefund">;
};

/** The builder gives a settled call's credits back. */
export function RefundCall({ agentRequestId, credits, createRefund }: RefundCallProps) {
  const what = plural(Number(credits), "credit");
  return (
    <DialogButton
      look="quiet"
      dialog={(onClose) => (
        <OperationDialog
          title={`Refund ${what}?`}
          effects={[
            {
              icon: "wallet",
              title: `The subscriber gets ${what}`,
              detail: "They can use them for another call.",
            },
            { icon: "info", title: "A call is refunded once", detail: "You can’t undo this." },
          ]}
          safe="Keep it"
          verb="Refund credits"
          look="primary"
          failed="The credits were not refunded."
          run={() => createRefund({ agentRequestId, idempotencyKey: `call_${agentRequestId}` })}
          onDone={() => toast(`${what} refunded`)}
          onClose={onClose}
        />
      )}
    >
      Refund credits
    </DialogButton>
  );
}

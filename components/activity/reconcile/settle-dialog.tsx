"use client";

import type { InputOf, Settlement, UnsettledRequest } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import type { ActionAnswer } from "../../forms/action-answer.ts";
import { useOperationForm } from "../../forms/use-operation-form.ts";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";

type SettleDialogProps = {
  request: UnsettledRequest;
  settleRequest: (input: InputOf<"settleRequest">) => Promise<ActionAnswer<Settlement>>;
  onClose: () => void;
  /** Called with what happened. */
  onDone: (text: string) => void;
};

/** Settles a request by its reservation. */
export function SettleDialog({ request, settleRequest, onClose, onDone }: SettleDialogProps) {
  const { agentRequestId, creditsDue } = request;
  const form = useOperationForm({
    defaultValues: {},
    run: () => settleRequest({ agentRequestId, ...(creditsDue && { maxAmount: creditsDue }) }),
    onDone: (settlement) => {
      if (settlement.success) {
        return onDone(`Settled. ${plural(BigInt(settlement.creditsRedeemed), "credit")} charged.`);
      }
      const reason = settlement.errorMessage ?? settlement.errorReason;
      form.setError("root", {
        message: `Payment was declined: ${reason} The service reports no credits used.`,
      });
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="Settle this request?"
      verb={`Settle up to ${plural(BigInt(creditsDue ?? "0"), "credit")}`}
      safe="Cancel"
      look="primary"
      isPending={form.isPending}
      onConfirm={form.submit}
      effects={[
        {
          icon: "check",
          title: "The credits are charged once",
          detail:
            "Both use the same request ID: if the gate settles first, nothing more is charged.",
        },
      ]}
    >
      {form.failure && <p role="alert">{form.failure}</p>}
    </ConfirmDialog>
  );
}

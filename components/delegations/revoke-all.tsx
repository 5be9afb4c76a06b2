"use client";

import type { Renewal } from "@turnpike/payments/protocol";
import type { DelegationTotals } from "@/lib/console/delegation-totals.ts";
import type { OperationAction } from "../forms/action-answer.ts";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { revokeAllEffects, revokedText } from "./effects-text.ts";

type RevokeAllProps = {
  totals: DelegationTotals;
  renewals: Renewal[];
  revokeAll: OperationAction<"revokeAllDelegations">;
};

/** Revokes every delegation of the account, after one question. */
export function RevokeAll({ totals, renewals, revokeAll }: RevokeAllProps) {
  if (totals.open === 0) return null;
  return (
    <DialogButton
      dialog={(onClose) => (
        <OperationDialog
          title="Revoke every delegation?"
          description="They stop immediately. You can’t undo this."
          effects={revokeAllEffects(totals, renewals)}
          safe="Keep them"
          verb="Revoke all delegations"
          failed="Nothing was revoked."
          unknown="Revoke them again: you can repeat this safely."
          run={() => revokeAll({})}
          onDone={(revoked) => toast(revokedText(revoked))}
          onClose={onClose}
        />
      )}
    >
      Revoke all
    </DialogButton>
  );
}

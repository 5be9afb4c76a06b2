"use client";

import { plural, pluralWord } from "@/lib/text/plural.ts";
import type { OperationAction } from "../forms/action-answer.ts";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { revokedText } from "./effects-text.ts";

type RevokeAllProps = {
  /** Delegations and tokens of the whole account that still work. */
  open: number;
  activeTokens: number;
  revokeAll: OperationAction<"revokeAllDelegations">;
};

/** Revokes every delegation of the account, after one question. */
export function RevokeAll({ open: delegations, activeTokens: tokens, revokeAll }: RevokeAllProps) {
  if (delegations === 0) return null;
  return (
    <DialogButton
      dialog={(onClose) => (
        <OperationDialog
          title="Revoke every delegation?"
          description="They stop immediately. You can’t undo this."
          effects={[
            {
              icon: "gauge",
              title: `${plural(delegations, "delegation")} ${pluralWord(delegations, "stops", "stop")} working`,
              detail:
                "An agent can create new ones with its API key. To stop an agent, revoke its key as well.",
            },
            {
              icon: "key",
              title: `${plural(tokens, "access token")} ${pluralWord(tokens, "stops", "stop")} working`,
              detail: "Calls in progress may still settle.",
            },
            { icon: "check", title: "You keep your credits" },
          ]}
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

import type { WebhookEndpoint } from "@turnpike/payments/protocol";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";
import { STOP_EARLIER, type WebhookActions } from "./webhook-text.ts";

type StopEarlierSecretsProps = {
  endpoint: WebhookEndpoint;
  actions: Pick<WebhookActions, "rotateWebhookSecret">;
  onRotated: (secret: string) => void;
};

/** Rotates without an overlap: after a leak no earlier secret may sign on. */
export function StopEarlierSecrets({ endpoint, actions, onRotated }: StopEarlierSecretsProps) {
  const { endpointId } = endpoint;
  return (
    <DialogButton
      size="small"
      look="quiet"
      dialog={(onClose) => (
        <OperationDialog
          title="Stop all earlier secrets?"
          description="You get a new secret, and no overlap. You can’t undo this."
          effects={[
            {
              icon: "cross",
              title: "Deliveries are signed with the new secret only",
              detail:
                "Your server rejects them until it has the new secret. Failed deliveries are sent again.",
            },
          ]}
          safe="Keep them"
          verb={STOP_EARLIER}
          failed="No secret was stopped."
          unknown="Try again here to get a secret that you can copy."
          run={() => actions.rotateWebhookSecret({ endpointId, overlapSecs: 0 })}
          onDone={({ secret }) => onRotated(secret)}
          onClose={onClose}
        />
      )}
    >
      {STOP_EARLIER}
    </DialogButton>
  );
}

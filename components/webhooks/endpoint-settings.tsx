import type { WebhookEndpoint } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { StopEarlierSecrets } from "./stop-earlier-secrets.tsx";
import type { WebhookActions } from "./webhook-text.ts";

type EndpointSettingsProps = {
  endpoint: WebhookEndpoint;
  actions: WebhookActions;
  onRotated: (secret: string) => void;
};

/** What is sent, what signs it, when it is tried again; and the endpoint's end. */
export function EndpointSettings({ endpoint, actions, onRotated }: EndpointSettingsProps) {
  const router = useRouter();
  const { secret, previousSecret, olderSecrets = [] } = endpoint;
  return (
    <DefinitionList
      items={[
        { term: "Events", value: <code>{endpoint.events.join(" ")}</code> },
        {
          term: "Signing secret",
          value: (
            <>
              <code>whsec_…{secret.hint}</code> since <TimeAgo at={secret.createdAt} />
            </>
          ),
        },
        ...[...(previousSecret ? [previousSecret] : []), ...olderSecrets].map(
          ({ hint, expiresAt }) => ({
            term: "Also signs",
            value: (
              <>
                <code>whsec_…{hint}</code> until <TimeAgo at={expiresAt} form="full" />
              </>
            ),
          }),
        ),
        {
          term: "Leaked secret",
          value: <StopEarlierSecrets {...{ endpoint, actions, onRotated }} />,
        },
        { term: "Retries", value: "9 tries over 3 days, then the endpoint is disabled" },
        {
          term: "Endpoint",
          value: (
            <DialogButton
              size="small"
              look="quiet"
              dialog={(onClose) => (
                <OperationDialog
                  title="Remove this endpoint?"
                  description="Its delivery log is removed too. You can’t undo this."
                  effects={[{ icon: "cross", title: "No more events are sent to it" }]}
                  safe="Keep it"
                  verb="Remove endpoint"
                  failed="The endpoint was not removed."
                  run={() => actions.deleteWebhookEndpoint({ endpointId: endpoint.endpointId })}
                  onDone={() => {
                    toast("Endpoint removed");
                    router.replace("/settings/webhooks");
                  }}
                  onClose={onClose}
                />
              )}
            >
              Remove endpoint
            </DialogButton>
          ),
        },
      ]}
    />
  );
}

import type { WebhookEndpoint } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { type Confirmation, useConfirmed } from "../sign-in/use-confirmed.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { endpointChange, STOP_EARLIER, type WebhookActions } from "./webhook-text.ts";

type EndpointSettingsProps = {
  endpoint: WebhookEndpoint;
  actions: WebhookActions;
  confirmation: Confirmation;
  onRotated: (secret: string) => void;
};

/** What is sent, what signs it, when it is tried again; and the endpoint's end. */
export function EndpointSettings(props: EndpointSettingsProps) {
  const { endpoint, actions, confirmation } = props;
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
          value: <StopEarlierSecrets {...props} />,
        },
        { term: "Retries", value: "9 attempts over 3 days, then the endpoint is disabled" },
        {
          term: "Endpoint",
          value: (
            <span className="flex flex-wrap gap-1">
              <EditEndpoint {...{ endpoint, actions, confirmation }} />
              <RemoveEndpoint endpoint={endpoint} actions={actions} />
            </span>
          ),
        },
      ]}
    />
  );
}

type EndpointProps = Pick<EndpointSettingsProps, "endpoint" | "actions">;
type EditProps = EndpointProps & Pick<EndpointSettingsProps, "confirmation">;

function EditEndpoint({ endpoint, actions, confirmation }: EditProps) {
  const { endpointId, url, events } = endpoint;
  return (
    <DialogButton
      size="small"
      look="quiet"
      dialog={(onClose) => (
        <EndpointDialog
          title="Edit endpoint"
          verb="Save endpoint"
          confirmation={confirmation}
          what="Changing an endpoint"
          failed="The endpoint was not saved."
          defaultValues={{ url, events: events.join(" ") }}
          run={async (values, opened) => {
            const change = endpointChange(opened, values);
            const isChanged = Object.keys(change).length > 0;
            return isChanged
              ? actions.updateWebhookEndpoint({ endpointId, ...change })
              : { ok: true, data: endpoint };
          }}
          onDone={() => {
            toast("Endpoint saved");
            onClose();
          }}
          onClose={onClose}
        />
      )}
    >
      Edit endpoint
    </DialogButton>
  );
}

function RemoveEndpoint({ endpoint, actions }: EndpointProps) {
  const router = useRouter();
  return (
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
  );
}

/** Rotates without an overlap: after a leak no earlier secret may sign on. */
function StopEarlierSecrets({ endpoint, actions, confirmation, onRotated }: EndpointSettingsProps) {
  const { endpointId } = endpoint;
  const confirming = useConfirmed(confirmation, "Rotating a secret");
  return (
    <DialogButton
      size="small"
      look="quiet"
      dialog={(onClose) => (
        <>
          <OperationDialog
            isOpen={!confirming.dialog}
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
            run={() =>
              confirming.confirm(() => actions.rotateWebhookSecret({ endpointId, overlapSecs: 0 }))
            }
            onDone={({ secret }) => onRotated(secret)}
            onClose={onClose}
          />
          {confirming.dialog}
        </>
      )}
    >
      {STOP_EARLIER}
    </DialogButton>
  );
}

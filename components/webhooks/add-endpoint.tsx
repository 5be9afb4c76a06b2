import { useRouter } from "next/navigation";
import type { Confirmation } from "../sign-in/use-confirmed.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { typesOf, type WebhookActions } from "./webhook-text.ts";

type AddEndpointProps = Pick<WebhookActions, "createWebhookEndpoint"> & {
  confirmation: Confirmation;
  onAdded: (secret: string) => void;
  onClose: () => void;
};

/** The signing secret is shown once, in the answer that was lost. */
const UNKNOWN =
  "Reload the page before you add it again. If the endpoint is in the list, rotate its secret to get one that you can copy.";

/** The dialog that adds an endpoint and opens it. */
export function AddEndpoint(props: AddEndpointProps) {
  const { confirmation, createWebhookEndpoint, onAdded, onClose } = props;
  const router = useRouter();
  return (
    <EndpointDialog
      title="Add endpoint"
      verb="Add endpoint"
      confirmation={confirmation}
      what="Adding an endpoint"
      failed="The endpoint was not added."
      unknown={UNKNOWN}
      defaultValues={{ url: "", events: "*" }}
      run={({ url, events }) => createWebhookEndpoint({ url: url.trim(), events: typesOf(events) })}
      onDone={({ secret, endpointId }) => {
        onAdded(secret);
        router.replace(`/settings/webhooks?endpoint=${endpointId}`);
      }}
      onClose={onClose}
    />
  );
}

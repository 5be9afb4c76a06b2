import { useRouter } from "next/navigation";
import { useId } from "react";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperationForm } from "../forms/use-operation-form.ts";
import { TextField } from "../ui/fields/text-field.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { ActionDialog } from "../ui/overlays/dialog.tsx";
import { typesOf, type WebhookActions } from "./webhook-text.ts";

type AddEndpointProps = Pick<WebhookActions, "createWebhookEndpoint"> & {
  onAdded: (secret: string) => void;
  onClose: () => void;
};

/** The signing secret is shown once, in the answer that was lost. */
const UNKNOWN =
  "Reload the page before you add it again. If the endpoint is in the list, rotate its secret to get one that you can copy.";

/** The dialog that adds an endpoint and opens it. */
export function AddEndpoint({ createWebhookEndpoint, onAdded, onClose }: AddEndpointProps) {
  const router = useRouter();
  const formId = useId();
  const form = useOperationForm({
    defaultValues: { url: "", events: "*" },
    fieldOf: (path) => (path.startsWith("events") ? "events" : undefined),
    run: ({ url, events }) => createWebhookEndpoint({ url: url.trim(), events: typesOf(events) }),
    onDone: ({ secret, endpointId }) => {
      onAdded(secret);
      router.replace(`/settings/webhooks?endpoint=${endpointId}`);
      router.refresh();
    },
  });
  const { errors } = form.formState;
  return (
    <ActionDialog
      onClose={onClose}
      title="Add endpoint"
      verb="Add endpoint"
      action={{ form: formId, isPending: form.isPending }}
    >
      <form id={formId} noValidate onSubmit={form.submit} className="grid gap-3.5">
        <TextField
          label="URL"
          isMono
          type="url"
          placeholder="https://example.com/turnpike"
          error={errors.url?.message}
          {...form.register("url", { required: "Enter a URL." })}
        />
        <TextField
          label="Events"
          hint={
            <>
              Types such as order.completed, groups such as order.*, or * for all.{" "}
              <NearLink href="/docs/webhooks#choose-the-types" target="_blank" className="link">
                All types
              </NearLink>
            </>
          }
          isMono
          error={errors.events?.message}
          {...form.register("events", { required: "Enter a type, or * for all." })}
        />
        <FailureNotice title="The endpoint was not added." unknown={UNKNOWN} of={form} />
      </form>
    </ActionDialog>
  );
}

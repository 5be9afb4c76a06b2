import Link from "next/link";
import { useRouter } from "next/navigation";
import { useId } from "react";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperationForm } from "../forms/use-operation-form.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { typesOf, type WebhookActions } from "./webhook-text.ts";

type AddEndpointProps = Pick<WebhookActions, "createWebhookEndpoint"> & {
  onAdded: (secret: string) => void;
  onClose: () => void;
};

/** The dialog that adds an endpoint and opens it. */
export function AddEndpoint({ createWebhookEndpoint, onAdded, onClose }: AddEndpointProps) {
  const router = useRouter();
  const formId = useId();
  const form = useOperationForm({
    defaultValues: { url: "", events: "*" },
    mode: "onSubmit",
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
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="Add endpoint"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={formId} isPending={form.isPending}>
            Add endpoint
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={form.submit} className="grid gap-3.5">
        <TextField
          label="URL"
          isMono
          type="url"
          autoComplete="off"
          placeholder="https://example.com/turnpike"
          error={errors.url?.message}
          {...form.register("url", { required: "Enter a URL." })}
        />
        <TextField
          label="Events"
          hint={
            <>
              Types such as order.completed, groups such as order.*, or * for all.{" "}
              <Link href="/docs/webhooks#choose-the-types" target="_blank" className="link">
                All types
              </Link>
            </>
          }
          isMono
          autoComplete="off"
          error={errors.events?.message}
          {...form.register("events", { required: "Enter a type, or * for all." })}
        />
        <FailureNotice title="The endpoint was not added." of={form} />
      </form>
    </Dialog>
  );
}

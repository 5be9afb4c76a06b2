import { type ReactNode, useId, useState } from "react";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperationForm } from "../forms/use-operation-form.ts";
import { type Confirmation, useConfirmed } from "../sign-in/use-confirmed.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { ActionDialog } from "../ui/overlays/dialog.tsx";

export type EndpointValues = { url: string; events: string };

type EndpointDialogProps<Data> = {
  title: string;
  verb: string;
  confirmation: Confirmation;
  /** What needs a fresh sign-in: "Adding an endpoint". */
  what: string;
  defaultValues: EndpointValues;
  /** `opened` are the values that the dialog opened with: the page beneath may have been read again since. */
  run: (values: EndpointValues, opened: EndpointValues) => Promise<ActionAnswer<Data>>;
  onDone: (data: Data) => void;
  onClose: () => void;
  /** What did not happen, and what to do when it may have. */
  failed: string;
  unknown?: ReactNode;
};

/** Where an endpoint is and what is sent to it, to add one or to change it. */
export function EndpointDialog<Data>(props: EndpointDialogProps<Data>) {
  const { title, verb, defaultValues, run, onDone, onClose, failed, unknown } = props;
  const formId = useId();
  const confirming = useConfirmed(props.confirmation, props.what);
  const [opened] = useState(defaultValues);
  const form = useOperationForm<EndpointValues, EndpointValues, Data>({
    defaultValues: opened,
    fieldOf: (path) => (path.startsWith("events") ? "events" : undefined),
    run: (values) => confirming.confirm(() => run(values, opened)),
    onDone,
  });
  const { errors } = form.formState;
  return (
    <>
      <ActionDialog
        isOpen={!confirming.dialog}
        onClose={onClose}
        title={title}
        verb={verb}
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
          <FailureNotice title={failed} unknown={unknown} of={form} />
        </form>
      </ActionDialog>
      {confirming.dialog}
    </>
  );
}

"use client";

import type { UnsettledRequest } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import type { OperationAction } from "../../forms/action-answer.ts";
import { useOperationForm } from "../../forms/use-operation-form.ts";
import { TextField } from "../../ui/fields/text-field.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";

type WriteOffDialogProps = {
  request: UnsettledRequest;
  writeOffRequest: OperationAction<"writeOffRequest">;
  onClose: () => void;
  /** Called with what happened. */
  onDone: (text: string) => void;
};

const MOST = 200;

/** Writes a request off, with a note. */
export function WriteOffDialog({ request, writeOffRequest, onClose, onDone }: WriteOffDialogProps) {
  const { agentRequestId, creditsDue } = request;
  const form = useOperationForm({
    defaultValues: { note: "" },
    run: ({ note }) =>
      writeOffRequest({ agentRequestId, ...(note.trim() && { note: note.trim() }) }),
    onDone: () => onDone("Written off. No credits were charged."),
  });
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="Write off this request?"
      verb="Write off"
      safe="Keep it"
      isPending={form.isPending}
      onConfirm={form.submit}
      effects={[
        {
          icon: "minus",
          title:
            creditsDue === undefined
              ? "You won’t be paid for this request"
              : `You won’t be paid up to ${plural(BigInt(creditsDue), "credit")} for this request`,
          detail: "Reserved credits are released to the subscriber. You can’t settle it later.",
        },
      ]}
    >
      <TextField
        label="Note"
        isOptional
        hint="Why you wrote it off. Shown with the request."
        error={form.formState.errors.note?.message ?? form.failure}
        maxLength={MOST}
        {...form.register("note")}
      />
    </ConfirmDialog>
  );
}

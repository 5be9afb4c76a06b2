"use client";

import type { UnsettledRequest } from "@turnpike/payments/protocol";
import { useState } from "react";
import { Field } from "../ui/fields/field.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { groupDigits } from "../ui/values/money-text.ts";

type WriteOffDialogProps = {
  request: UnsettledRequest;
  isPending: boolean;
  fault: string;
  onClose: () => void;
  onConfirm: (note: string) => void;
};

const MOST = 200;

/** Asks before money is given up, and why. */
export function WriteOffDialog(props: WriteOffDialogProps) {
  const { request, isPending, fault, onClose, onConfirm } = props;
  const [note, setNote] = useState("");
  const { creditsDue } = request;
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="Write off this call?"
      verb="Write off"
      safe="Keep it"
      isPending={isPending}
      onConfirm={() => onConfirm(note.trim())}
      effects={[
        {
          icon: "minus",
          title:
            creditsDue === undefined
              ? "You give its credits up"
              : `You give up to ${groupDigits(creditsDue)} ${creditsDue === "1" ? "credit" : "credits"} up`,
          detail: "What is still on hold goes back to the subscriber. It cannot be settled later.",
        },
      ]}
    >
      <Field
        label="Note"
        isOptional
        hint="Why; it stays with the request."
        error={fault || undefined}
      >
        <TextInput maxLength={MOST} value={note} onChange={({ target }) => setNote(target.value)} />
      </Field>
    </ConfirmDialog>
  );
}

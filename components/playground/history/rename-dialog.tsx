"use client";

import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { TextInput } from "../../ui/fields/text-input.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";

const MAX_NAME = 80;

type RenameDialogProps = {
  name: string;
  onRename: (name: string | null) => void;
  onClose: () => void;
};

/** Names a kept run; an empty name restores the default, its request. */
export function RenameDialog({ name, onRename, onClose }: RenameDialogProps) {
  const [text, setText] = useState(name);
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title="Rename run"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="rename-run">
            Rename run
          </Button>
        </>
      }
    >
      <form
        id="rename-run"
        onSubmit={(event) => {
          event.preventDefault();
          // React events of a portal bubble to the page's own form.
          event.stopPropagation();
          onRename(text.trim() || null);
          onClose();
        }}
      >
        <Field label="Name" isOptional hint="Kept in this browser with the run.">
          <TextInput
            data-safe
            maxLength={MAX_NAME}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
      </form>
    </Dialog>
  );
}

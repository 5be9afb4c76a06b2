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

/** A name of one's own for a kept run; empty gives it back its request's. */
export function RenameDialog({ name, onRename, onClose }: RenameDialogProps) {
  const [text, setText] = useState(name);
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title="Rename run"
      footer={
        <>
          <Button onClick={onClose}>Keep its name</Button>
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
          // Portals pass events on to the page's own form around them.
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

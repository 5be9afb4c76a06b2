import { type FormEvent, useId, useState } from "react";
import { TextField } from "../../ui/fields/text-field.tsx";
import { ActionDialog } from "../../ui/overlays/dialog.tsx";

type ViewDialogProps = { onName: (name: string) => void; onClose: () => void };

/** Asks for the name of a view. */
export function ViewDialog({ onName, onClose }: ViewDialogProps) {
  const formId = useId();
  const [name, setName] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) onName(name.trim());
  };
  return (
    <ActionDialog
      onClose={onClose}
      title="Save view"
      verb="Save view"
      action={{ form: formId, disabled: !name.trim() }}
    >
      <form id={formId} onSubmit={submit}>
        <TextField
          label="Name"
          hint="Kept in this browser."
          data-safe
          maxLength={40}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </form>
    </ActionDialog>
  );
}

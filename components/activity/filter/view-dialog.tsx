import { type FormEvent, useId, useState } from "react";
import { lengthFault } from "../../forms/form-words.ts";
import { showFaults } from "../../forms/show-faults.ts";
import { TextField } from "../../ui/fields/text-field.tsx";
import { ActionDialog } from "../../ui/overlays/dialog.tsx";

type ViewDialogProps = {
  /** Why a name can't be saved. */
  faultOf: (name: string) => string | undefined;
  onName: (name: string) => void;
  onClose: () => void;
};

export function ViewDialog({ faultOf, onName, onClose }: ViewDialogProps) {
  const formId = useId();
  const [name, setName] = useState("");
  const [fault, setFault] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = name.trim();
    if (!given) return;
    const found = lengthFault(given, 40) ?? faultOf(given);
    if (found) showFaults(event.currentTarget, () => setFault(found));
    else onName(given);
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
          error={fault}
          value={name}
          onChange={({ target }) => {
            setName(target.value);
            setFault(undefined);
          }}
        />
      </form>
    </ActionDialog>
  );
}

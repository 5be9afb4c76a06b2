"use client";

import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { atMost } from "../forms/form-words.ts";
import { useOperationForm } from "../forms/use-operation-form.ts";
import { UnsavedGuard } from "../shell/leave-guard.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { changedNameText } from "./changed-name-text.ts";

type Values = { name: string };

type ProfileFormProps = {
  name: string;
  saveName: (name: string) => Promise<ActionAnswer<unknown>>;
};

export function ProfileForm({ name, saveName }: ProfileFormProps) {
  const form = useOperationForm<Values>({
    defaultValues: { name },
    run: (values) => saveName(values.name),
    onDone: (_, values) => {
      const changed = changedNameText(name, values.name);
      if (changed) toast(changed);
    },
  });
  return (
    <form onSubmit={form.submit} className="grid gap-4" noValidate>
      {form.formState.isDirty && <UnsavedGuard />}
      <TextField
        label="Name"
        isOptional
        hint="Shown next to your address."
        error={form.formState.errors.name?.message}
        autoComplete="organization"
        {...form.register("name", { maxLength: atMost(80) })}
      />
      <FailureNotice
        title="The name was not saved."
        unknown="Reload the page to see the current name, or save it again."
        of={form}
      />
      <div>
        <Button type="submit" look="primary" isPending={form.isPending}>
          Save name
        </Button>
      </div>
    </form>
  );
}

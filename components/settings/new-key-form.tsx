"use client";

import { Controller } from "react-hook-form";
import { YEAR_SECS } from "@/lib/text/durations.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperationForm } from "../forms/use-operation-form.ts";
import { Button } from "../ui/button.tsx";
import { DurationInput } from "../ui/fields/duration-input.tsx";
import { Field } from "../ui/fields/field.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";

type KeyInput = { name: string; durationSecs: number };
type CreatedKey = { apiKey: string; expiresAt: string };

export type CreateApiKey = (input: KeyInput) => Promise<ActionAnswer<CreatedKey>>;

type NewKeyFormProps = {
  createApiKey: CreateApiKey;
  onCreated: (apiKey: string) => void;
  onCancel: () => void;
};

/** Asks what a key is for and how long it stays valid. */
export function NewKeyForm({ createApiKey, onCreated, onCancel }: NewKeyFormProps) {
  const form = useOperationForm<Partial<KeyInput>, KeyInput, CreatedKey>({
    defaultValues: { name: "", durationSecs: YEAR_SECS },
    mode: "onSubmit",
    run: createApiKey,
    onDone: ({ apiKey }) => onCreated(apiKey),
  });
  const { errors } = form.formState;
  return (
    <form onSubmit={form.submit} noValidate className="grid gap-4">
      <Field label="Name" error={errors.name?.message}>
        <TextInput
          autoComplete="off"
          maxLength={80}
          {...form.register("name", { required: "Enter a name." })}
        />
      </Field>
      <Controller
        name="durationSecs"
        control={form.control}
        rules={{ required: "Enter a whole number of hours, days or years." }}
        render={({ field }) => (
          <Field
            label="Expires after"
            hint="You can’t extend a key. To replace it, create another one."
            error={errors.durationSecs?.message}
          >
            <DurationInput
              durationSecs={field.value}
              onDurationChange={field.onChange}
              onBlur={field.onBlur}
            />
          </Field>
        )}
      />
      <FailureNotice title="The key was not created." of={form} />
      <div className="flex justify-end gap-2 max-sm:flex-col-reverse">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" isPending={form.isPending}>
          Create key
        </Button>
      </div>
    </form>
  );
}

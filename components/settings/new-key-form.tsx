"use client";

import { Controller, useForm } from "react-hook-form";
import { Button } from "../ui/button.tsx";
import { DurationInput } from "../ui/fields/duration-input.tsx";
import { Field } from "../ui/fields/field.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { Notice } from "../ui/notice.tsx";
import type { NewApiKeyProps } from "./new-api-key.tsx";

type Values = { name: string; durationSecs: number | undefined };

const YEAR_SECS = 365 * 86_400;

type NewKeyFormProps = NewApiKeyProps & {
  onCreated: (apiKey: string) => void;
  onCancel: () => void;
};

/** Asks what a key is for and how long it works. */
export function NewKeyForm({ createApiKey, onCreated, onCancel }: NewKeyFormProps) {
  const { register, control, handleSubmit, setError, formState } = useForm<Values>({
    defaultValues: { name: "", durationSecs: YEAR_SECS },
  });
  const { errors, isSubmitting } = formState;
  const create = handleSubmit(async ({ name, durationSecs }) => {
    if (durationSecs === undefined) return;
    const created = await createApiKey({ name, durationSecs });
    if (created.ok) return onCreated(created.data.apiKey);
    const [fault] = created.details;
    const field = fault?.path === "name" || fault?.path === "durationSecs" ? fault.path : "root";
    setError(field, { message: fault?.message ?? `${created.message} ${created.hint}` });
  });
  return (
    <form onSubmit={create} noValidate className="grid gap-4">
      <Field label="Name" error={errors.name?.message}>
        <TextInput
          autoComplete="off"
          maxLength={80}
          {...register("name", { required: "Say what the key is for." })}
        />
      </Field>
      <Controller
        name="durationSecs"
        control={control}
        rules={{ required: "Give a whole number of hours, days or years." }}
        render={({ field }) => (
          <Field
            label="Ends after"
            hint="A key cannot be made longer later; make a second one and swap."
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
      {errors.root && (
        <Notice tone="refused" title="No key was made.">
          {errors.root.message}
        </Notice>
      )}
      <div className="flex justify-end gap-2 max-sm:flex-col-reverse">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" isPending={isSubmitting}>
          Create key
        </Button>
      </div>
    </form>
  );
}

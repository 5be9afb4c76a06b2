"use client";

import { useState } from "react";
import { Controller, useForm } from "react-hook-form";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { DurationInput } from "../ui/duration-input.tsx";
import { Field } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { TextInput } from "../ui/text-input.tsx";

type Created =
  | { ok: true; data: { apiKey: string; expiresAt: string } }
  | { ok: false; message: string; hint: string; details: { path: string; message: string }[] };
type NewApiKeyProps = {
  createApiKey: (input: { name: string; durationSecs: number }) => Promise<Created>;
};
type Values = { name: string; durationSecs: number | undefined };

const YEAR_SECS = 365 * 86_400;

/** Makes a key and shows it once. */
export function NewApiKey({ createApiKey }: NewApiKeyProps) {
  const [isOpen, setOpen] = useState(false);
  const [apiKey, setApiKey] = useState<string | null>(null);
  const close = () => {
    setOpen(false);
    setApiKey(null);
  };
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        New API key
      </Button>
      <Dialog
        isOpen={isOpen}
        onOpenChange={(open) => !open && close()}
        title={apiKey ? "Your new API key" : "New API key"}
        description={
          apiKey
            ? "Copy it now: it is shown this once. Whoever has it can act for you."
            : "Name it after what will use it, so that you can tell later what stops without it."
        }
        footer={apiKey && <Button onClick={close}>I have copied it</Button>}
      >
        {apiKey ? (
          <ShownOnce apiKey={apiKey} />
        ) : (
          <NewKeyForm createApiKey={createApiKey} onCreated={setApiKey} onCancel={close} />
        )}
      </Dialog>
    </>
  );
}

function ShownOnce({ apiKey }: { apiKey: string }) {
  return (
    <div className="grid gap-2">
      <div className="flex items-start gap-2 rounded-control border border-line bg-sunken p-3">
        <code data-api-key className="wrap-anywhere min-w-0 flex-1 text-small">
          {apiKey}
        </code>
        <CopyButton text={apiKey} label="Copy API key" />
      </div>
      <div className="flex items-center gap-2 text-ink-2 text-note">
        <span>As a line of a .env file</span>
        <CopyButton text={`TURNPIKE_API_KEY=${apiKey}`} label="Copy as .env line" />
      </div>
    </div>
  );
}

type NewKeyFormProps = NewApiKeyProps & {
  onCreated: (apiKey: string) => void;
  onCancel: () => void;
};

function NewKeyForm({ createApiKey, onCreated, onCancel }: NewKeyFormProps) {
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

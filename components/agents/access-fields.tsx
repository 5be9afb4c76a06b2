import { Controller, useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { FormText } from "../forms/form-text.tsx";
import { Button } from "../ui/button.tsx";
import { RadioGroup } from "../ui/fields/radio-group.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { type AccessDraft, AUTH_TYPE_LABELS } from "./agent-types.ts";

export type AccessValues = { access: AccessDraft };

const AUTH_TYPES = [
  { value: "NONE", label: "None", detail: "Callers only need to pay." },
  { value: "BASIC", label: AUTH_TYPE_LABELS.BASIC, detail: "A username and password." },
  {
    value: "BEARER",
    label: AUTH_TYPE_LABELS.BEARER,
    detail: "A token in the Authorization header.",
  },
];

const SEALED = "Encrypted, and never shown again.";

type AccessFieldsProps = {
  /** Placeholder of a secret that is already saved. */
  savedNote?: string;
};

/** The credentials the agent expects besides payment. */
export function AccessFields({ savedNote }: AccessFieldsProps) {
  const { control } = useFormContext<AccessValues>();
  const authType = useWatch({ control, name: "access.authType" });
  return (
    <div className="grid max-w-160 gap-4">
      <Controller
        control={control}
        name="access.authType"
        render={({ field }) => (
          <RadioGroup
            label="Authentication"
            options={AUTH_TYPES}
            value={field.value}
            onValueChange={field.onChange}
          />
        )}
      />
      {authType !== "NONE" && <CredentialFields authType={authType} savedNote={savedNote} />}
      <HeaderFields />
    </div>
  );
}

type CredentialFieldsProps = AccessFieldsProps & { authType: "BASIC" | "BEARER" };

function CredentialFields({ authType, savedNote }: CredentialFieldsProps) {
  const secret = {
    type: "password",
    autoComplete: "new-password",
    placeholder: savedNote,
  } as const;
  if (authType === "BEARER") {
    return (
      <FormText<AccessValues>
        name="access.token"
        label="Token"
        hint={SEALED}
        {...secret}
        maxLength={8192}
      />
    );
  }
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormText<AccessValues> name="access.username" label="Username" maxLength={256} />
      <FormText<AccessValues>
        name="access.password"
        label="Password"
        hint={SEALED}
        {...secret}
        maxLength={1024}
      />
    </div>
  );
}

function HeaderFields() {
  const { control, register, formState } = useFormContext<AccessValues>();
  const { fields, append, remove } = useFieldArray({ control, name: "access.headers" });
  const faults = formState.errors.access?.headers;
  const wrong = faults?.message ?? fields.map((_, at) => faults?.[at]?.name?.message).find(Boolean);
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-label">
        Extra headers <span className="font-normal text-ink-2">(optional)</span>
      </legend>
      {fields.map(({ id }, at) => (
        <div key={id} className="flex items-center gap-2">
          <TextInput
            aria-label={`Name of header ${at + 1}`}
            isMono
            placeholder="x-tenant"
            maxLength={128}
            {...register(`access.headers.${at}.name`)}
          />
          <TextInput
            aria-label={`Value of header ${at + 1}`}
            type="password"
            autoComplete="new-password"
            maxLength={8192}
            {...register(`access.headers.${at}.value`)}
          />
          <IconButton icon="close" label={`Remove header ${at + 1}`} onClick={() => remove(at)} />
        </div>
      ))}
      {wrong && <p className="text-note">{wrong}</p>}
      <Button
        size="small"
        className="justify-self-start"
        onClick={() => append({ name: "", value: "" })}
      >
        <Icon name="plus" className="size-3.5" />
        Add header
      </Button>
    </fieldset>
  );
}

"use client";

import { useRouter } from "next/navigation";
import { useForm } from "react-hook-form";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { toast } from "../ui/overlays/toast-store.ts";

type Saved = { ok: true } | { ok: false; message: string; details: { message: string }[] };

type ProfileFormProps = { name: string; saveName: (name: string) => Promise<Saved> };

/** The name shown beside the account's address. */
export function ProfileForm({ name, saveName }: ProfileFormProps) {
  const router = useRouter();
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { name } });
  const save = handleSubmit(async (values) => {
    const saved = await saveName(values.name);
    if (!saved.ok) {
      setError("name", { message: saved.details[0]?.message ?? saved.message });
      return;
    }
    toast(values.name.trim() ? "Name saved" : "Name removed");
    router.refresh();
  });
  return (
    <form onSubmit={save} className="grid gap-4" noValidate>
      <Field
        label="Name"
        isOptional
        hint="Shown beside your address, never in its place."
        error={formState.errors.name?.message}
      >
        <TextInput autoComplete="organization" maxLength={80} {...register("name")} />
      </Field>
      <div>
        <Button type="submit" look="primary" isPending={formState.isSubmitting}>
          Save name
        </Button>
      </div>
    </form>
  );
}

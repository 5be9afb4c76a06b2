"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { PlanMetadata } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useForm } from "react-hook-form";
import { z } from "zod";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { TextArea } from "../../ui/fields/text-area.tsx";
import { TextInput } from "../../ui/fields/text-input.tsx";
import { Notice } from "../../ui/notice.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import type { PlanTexts } from "../plan-overview.tsx";
import type { UpdatePlan } from "../plan-settings.tsx";
import { readTags } from "./payload-of-draft.ts";

const { name, description, author, license, tags, sampleLink } = PlanMetadata.shape;

/** The protocol's own rules, over what stands in the fields. */
const rulesFor = (hadLink: boolean) =>
  z.object({
    name,
    description,
    author,
    license,
    tags: z
      .string()
      .transform((text): string[] | undefined => readTags(text))
      .pipe(tags),
    sampleLink: z
      .string()
      .transform((link) => link.trim() || undefined)
      .pipe(sampleLink)
      .refine(
        (link) => link !== undefined || !hadLink,
        "A sample link can be replaced, not taken away.",
      ),
  });

type Rules = ReturnType<typeof rulesFor>;
const FIELDS = ["name", "description", "author", "license", "tags", "sampleLink"] as const;
type FieldName = (typeof FIELDS)[number];

type MetadataFormProps = { planId: string; texts: PlanTexts; updatePlan: UpdatePlan };

/** Changes what people read about a plan; nothing of it touches price or credits. */
export function MetadataForm({ planId, texts, updatePlan }: MetadataFormProps) {
  const router = useRouter();
  const form = useForm<z.input<Rules>, unknown, z.output<Rules>>({
    resolver: zodResolver(rulesFor(Boolean(texts.sampleLink))),
    mode: "onTouched",
    defaultValues: {
      name: texts.name,
      description: texts.description ?? "",
      author: texts.author ?? "",
      license: texts.license ?? "",
      tags: texts.tags?.join(", ") ?? "",
      sampleLink: texts.sampleLink ?? "",
    },
  });
  const { register, handleSubmit, setError, formState } = form;
  const { errors, isSubmitting } = formState;
  const save = handleSubmit(async ({ sampleLink: link, ...rest }) => {
    const metadataAttributes = { ...rest, ...(link && { sampleLink: link }) };
    const updated = await updatePlan({ planId, metadataAttributes }).catch(() => null);
    if (updated?.ok) {
      toast("Plan saved");
      router.refresh();
      return;
    }
    const [fault] = updated?.details ?? [];
    const field = FIELDS.find((one) => fault?.path.split(".")[1] === one);
    const message = updated
      ? `${updated.message} ${updated.hint}`
      : "The service cannot be reached.";
    if (field && fault) setError(field, { message: fault.message }, { shouldFocus: true });
    else setError("root", { message });
  });
  return (
    <form onSubmit={save} noValidate className="grid gap-4">
      <Field label="Name" isRequired error={errors.name?.message}>
        <TextInput autoComplete="off" maxLength={120} {...register("name")} />
      </Field>
      <Field label="Description" isOptional error={errors.description?.message}>
        <TextArea maxLength={4000} {...register("description")} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        {(
          [
            ["author", "Sold by"],
            ["tags", "Tags"],
            ["license", "Licence"],
            ["sampleLink", "Sample link"],
          ] as [FieldName, string][]
        ).map(([field, label]) => (
          <Field key={field} label={label} isOptional error={errors[field]?.message}>
            <TextInput autoComplete="off" {...register(field)} />
          </Field>
        ))}
      </div>
      {errors.root && (
        <Notice tone="refused" role="alert" title="The plan stays as it was.">
          {errors.root.message}
        </Notice>
      )}
      <div>
        <Button type="submit" look="primary" isPending={isSubmitting}>
          Save plan
        </Button>
      </div>
    </form>
  );
}

"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { PlanMetadata } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { z } from "zod";
import { readTags } from "@/lib/text/read-tags.ts";
import { useOperationForm } from "../../forms/use-operation-form.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { TextArea } from "../../ui/fields/text-area.tsx";
import { TextInput } from "../../ui/fields/text-input.tsx";
import { Notice } from "../../ui/notice.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import type { PlanTexts, UpdatePlan } from "../plan-types.ts";

const { name, description, author, license, tags, sampleLink } = PlanMetadata.shape;

/** The protocol's own rules, applied to the text of the fields. */
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
        "You can replace the sample link, but not remove it.",
      ),
  });

type Rules = ReturnType<typeof rulesFor>;

type MetadataFormProps = { planId: string; texts: PlanTexts; updatePlan: UpdatePlan };

/** Changes what people read about a plan, never its price or credits. */
export function MetadataForm({ planId, texts, updatePlan }: MetadataFormProps) {
  const router = useRouter();
  const form = useOperationForm<z.input<Rules>, z.output<Rules>>({
    resolver: zodResolver(rulesFor(Boolean(texts.sampleLink))),
    defaultValues: {
      name: texts.name,
      description: texts.description ?? "",
      author: texts.author ?? "",
      license: texts.license ?? "",
      tags: texts.tags?.join(", ") ?? "",
      sampleLink: texts.sampleLink ?? "",
    },
    run: ({ sampleLink: link, ...rest }) =>
      updatePlan({ planId, metadataAttributes: { ...rest, ...(link && { sampleLink: link }) } }),
    onDone: () => {
      toast("Plan saved");
      router.refresh();
    },
  });
  const { register, formState, failure } = form;
  const { errors } = formState;
  return (
    <form onSubmit={form.submit} noValidate className="grid gap-4">
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
            ["license", "License"],
            ["sampleLink", "Sample link"],
          ] as const
        ).map(([field, label]) => (
          <Field key={field} label={label} isOptional error={errors[field]?.message}>
            <TextInput autoComplete="off" {...register(field)} />
          </Field>
        ))}
      </div>
      {failure && (
        <Notice tone="refused" role="alert" title="The plan was not saved.">
          {failure}
        </Notice>
      )}
      <div>
        <Button type="submit" look="primary" isPending={form.isPending}>
          Save plan
        </Button>
      </div>
    </form>
  );
}

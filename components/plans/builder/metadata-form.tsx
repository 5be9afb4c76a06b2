import { zodResolver } from "@hookform/resolvers/zod";
import { PlanMetadata } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { FormProvider } from "react-hook-form";
import { z } from "zod";
import { readTags } from "@/lib/text/read-tags.ts";
import { FailureNotice } from "../../forms/failure-notice.tsx";
import { useOperationForm } from "../../forms/use-operation-form.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import type { PlanTexts, UpdatePlan } from "../plan-types.ts";
import { MetadataFields } from "./metadata-fields.tsx";

const { name, description, author, license, tags, sampleLink } = PlanMetadata.shape;

/** The protocol's own rules, applied to the text of the fields. */
const Rules = z.object({
  name,
  description,
  author,
  license,
  tags: z
    .string()
    .transform((text): string[] | undefined => readTags(text))
    .pipe(tags),
  sampleLink,
  refundUnusedDays: z
    .string()
    .transform((days) => Number(days.trim() || "0"))
    .pipe(z.int("Enter whole days.").min(0, "Enter 0 or more.").max(365, "Up to 365 days.")),
  refundFailedCalls: z.boolean(),
});
type Rules = typeof Rules;

type MetadataFormProps = { planId: string; texts: PlanTexts; updatePlan: UpdatePlan };

/** Changes what people read about a plan, never its price or credits. */
export function MetadataForm({ planId, texts, updatePlan }: MetadataFormProps) {
  const router = useRouter();
  const form = useOperationForm<z.input<Rules>, z.output<Rules>>({
    resolver: zodResolver(Rules),
    defaultValues: {
      name: texts.name,
      description: texts.description ?? "",
      author: texts.author ?? "",
      license: texts.license ?? "",
      tags: texts.tags?.join(", ") ?? "",
      sampleLink: texts.sampleLink ?? "",
      refundUnusedDays: texts.refundUnusedDays ? String(texts.refundUnusedDays) : "",
      refundFailedCalls: texts.refundFailedCalls ?? false,
    },
    run: (metadataAttributes) => updatePlan({ planId, metadataAttributes }),
    onDone: () => {
      toast("Plan saved");
      router.refresh();
    },
  });
  return (
    <FormProvider {...form}>
      <form onSubmit={form.submit} noValidate className="grid gap-4">
        <MetadataFields />
        <FailureNotice title="The plan was not saved." of={form} />
        <div>
          <Button type="submit" look="primary" isPending={form.isPending}>
            Save plan
          </Button>
        </div>
      </form>
    </FormProvider>
  );
}

import { zodResolver } from "@hookform/resolvers/zod";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { FormProvider } from "react-hook-form";
import { changedFields } from "../../forms/changes.ts";
import { FailureNotice } from "../../forms/failure-notice.tsx";
import { useOperationForm } from "../../forms/use-operation-form.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import type { DescribePlan, PlanTexts } from "../plan-types.ts";
import { MetadataFields } from "./metadata-fields.tsx";
import {
  type Metadata,
  MetadataRules,
  type MetadataValues,
  metadataOf,
  valuesOf,
} from "./metadata-values.ts";

type MetadataFormProps = { planId: string; texts: PlanTexts; describePlan: DescribePlan };

/** Changes what people read about a plan, never its price or credits. */
export function MetadataForm({ planId, texts, describePlan }: MetadataFormProps) {
  const router = useRouter();
  const [saved, setSaved] = useState(() => metadataOf(texts));
  const form = useOperationForm<MetadataValues, Metadata>({
    resolver: zodResolver(MetadataRules),
    defaultValues: valuesOf(saved),
    run: (metadata) => describePlan(planId, changedFields(saved, metadata)),
    onDone: (_, metadata) => {
      setSaved(metadata);
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

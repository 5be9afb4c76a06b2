import { useFormContext } from "react-hook-form";
import { FormText } from "../../forms/form-text.tsx";
import { Checkbox } from "../../ui/fields/checkbox.tsx";
import type { PlanDraft } from "./plan-draft.ts";

type PlanTextValues = Pick<
  PlanDraft,
  | "name"
  | "description"
  | "author"
  | "tags"
  | "license"
  | "sampleLink"
  | "refundUnusedDays"
  | "refundFailedCalls"
>;

export function MetadataFields() {
  const { register } = useFormContext<PlanTextValues>();
  return (
    <>
      <FormText<PlanTextValues> name="name" label="Name" isRequired />
      <FormText<PlanTextValues> name="description" label="Description" isOptional isLong />
      <div className="grid gap-4 sm:grid-cols-2">
        <FormText<PlanTextValues> name="author" label="Sold by" isOptional />
        <FormText<PlanTextValues> name="tags" label="Tags" isOptional hint="Separated by commas." />
        <FormText<PlanTextValues> name="license" label="License" isOptional />
        <FormText<PlanTextValues>
          name="sampleLink"
          label="Sample link"
          isOptional
          type="url"
          placeholder="https://…"
        />
      </div>
      <FormText<PlanTextValues>
        name="refundUnusedDays"
        label="Refund window for unused credits (days)"
        isOptional
        inputMode="numeric"
        hint="Refund requests made within this many days of the order are approved automatically. Maximum: 365."
      />
      <Checkbox
        label="Refund failed calls"
        hint="Refund requests made within 30 days of a call that fails with a server error are approved automatically. Subscribers keep the refund rules of the version they bought."
        {...register("refundFailedCalls")}
      />
    </>
  );
}

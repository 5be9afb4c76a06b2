import { FormText } from "../../forms/form-text.tsx";
import type { PlanDraft } from "./plan-draft.ts";

type PlanTextValues = Pick<
  PlanDraft,
  "name" | "description" | "author" | "tags" | "license" | "sampleLink"
>;

/** The description of the plan. */
export function MetadataFields() {
  return (
    <>
      <FormText<PlanTextValues> name="name" label="Name" isRequired maxLength={120} />
      <FormText<PlanTextValues>
        name="description"
        label="Description"
        isOptional
        isLong
        maxLength={4000}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <FormText<PlanTextValues> name="author" label="Sold by" isOptional maxLength={120} />
        <FormText<PlanTextValues> name="tags" label="Tags" isOptional hint="Separated by commas." />
        <FormText<PlanTextValues> name="license" label="License" isOptional maxLength={120} />
        <FormText<PlanTextValues>
          name="sampleLink"
          label="Sample link"
          isOptional
          type="url"
          placeholder="https://…"
        />
      </div>
    </>
  );
}

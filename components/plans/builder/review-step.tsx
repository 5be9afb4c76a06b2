import { Controller, useFormContext } from "react-hook-form";
import { Button } from "../../ui/button.tsx";
import { DefinitionList } from "../../ui/data/definition-list.tsx";
import { RadioGroup } from "../../ui/fields/radio-group.tsx";
import { describeTerms } from "../describe-plan.ts";
import { FactText } from "../fact-text.tsx";
import type { Market } from "../market.ts";
import type { PlanTerms } from "../plan-terms.ts";
import type { Step } from "./draft-faults.ts";
import { MetadataFields } from "./metadata-fields.tsx";
import type { PlanDraft } from "./plan-draft.ts";

const STATE_CHOICES = [
  {
    value: "listed",
    label: "Listed",
    detail: "Visible to everyone on Explore once an agent accepts it.",
  },
  { value: "unlisted", label: "Unlisted", detail: "Only people with the link can see it." },
  {
    value: "draft",
    label: "Draft",
    detail:
      "In no list, and it can’t be ordered. Anyone who knows its ID can read it through the API.",
  },
];

type ReviewStepProps = {
  /** Undefined while the fields have faults. */
  terms: PlanTerms | undefined;
  market: Market;
  onEdit: (step: Step) => void;
};

export function ReviewStep({ terms, market, onEdit }: ReviewStepProps) {
  const { control } = useFormContext<PlanDraft>();
  return (
    <>
      <MetadataFields />
      <Controller
        name="state"
        control={control}
        render={({ field }) => (
          <RadioGroup
            label="Visibility"
            options={STATE_CHOICES}
            value={field.value}
            onValueChange={field.onChange}
          />
        )}
      />
      {terms && <Review terms={terms} market={market} onEdit={onEdit} />}
    </>
  );
}

const TITLES = { kind: "Type", price: "Price", credits: "Credits" } as const;

function Review({ terms, market, onEdit }: ReviewStepProps & { terms: PlanTerms }) {
  const facts = describeTerms(terms, market);
  return (
    <section aria-labelledby="review" data-testid="plan-review" className="grid gap-3">
      <h3 id="review" className="text-h3">
        Review
      </h3>
      {(["kind", "price", "credits"] as const).map((step) => (
        <div key={step} className="grid gap-1">
          <div className="flex items-baseline justify-between">
            <h4 className="text-ink-2 text-label">{TITLES[step]}</h4>
            <EditStep title={TITLES[step]} onEdit={() => onEdit(step)} />
          </div>
          <DefinitionList
            className="grid-cols-[9rem_minmax(0,1fr)] border-line border-y"
            items={facts
              .filter((fact) => fact.step === step)
              .map(({ term, text }) => ({ term, value: <FactText text={text} /> }))}
          />
        </div>
      ))}
    </section>
  );
}

export function EditStep({ title, onEdit }: { title: string; onEdit: () => void }) {
  return (
    <Button size="small" look="quiet" aria-label={`Edit ${title.toLowerCase()}`} onClick={onEdit}>
      Edit
    </Button>
  );
}

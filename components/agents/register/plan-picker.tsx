import { Button } from "../../ui/button.tsx";
import { ButtonLink } from "../../ui/button-link.tsx";
import { Empty } from "../../ui/empty.tsx";
import { NearLink } from "../../ui/links/near-link.tsx";
import { Tag } from "../../ui/values/tag.tsx";
import type { PlanChoice } from "../agent-types.ts";
import { usesText } from "../plan-choice.ts";
import { PlanCombobox } from "../plan-combobox.tsx";

type PlanPickerProps = {
  plans: readonly PlanChoice[];
  chosen: readonly string[];
  onToggle: (planId: string) => void;
  fault?: string | undefined;
};

/** Selects the plans that callers can buy to pay for the agent. */
export function PlanPicker({ plans, chosen, onToggle, fault }: PlanPickerProps) {
  if (plans.length === 0) {
    return (
      <Empty
        kind="first"
        title="No plans yet"
        actions={<ButtonLink href="/plans/new">New plan</ButtonLink>}
      >
        Callers buy a plan to pay for this agent. Your draft is kept while you create one.
      </Empty>
    );
  }
  const isChosen = ({ planId }: PlanChoice) => chosen.includes(planId);
  const others = plans.filter((plan) => !isChosen(plan));
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="mb-1.5 text-label">Plans that pay for this agent</legend>
      {plans.filter(isChosen).map((plan) => (
        <ChosenPlan key={plan.planId} plan={plan} onRemove={() => onToggle(plan.planId)} />
      ))}
      {others.length > 0 && (
        <PlanCombobox
          label="Add a plan"
          plans={others}
          onChoose={({ planId }) => onToggle(planId)}
        />
      )}
      {fault && (
        <p role="alert" className="text-note">
          {fault}
        </p>
      )}
      <p className="mt-1 text-note">
        <NearLink className="link inline-flex min-h-6 items-center" href="/plans/new">
          New plan
        </NearLink>{" "}
        <span className="text-ink-2">Your draft is kept while you create one.</span>
      </p>
    </fieldset>
  );
}

function ChosenPlan({ plan, onRemove }: { plan: PlanChoice; onRemove: () => void }) {
  const { name, price, credits, isDraft } = plan;
  return (
    <div className="flex items-center gap-3 rounded-card border border-line px-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere flex flex-wrap items-center gap-x-2 font-medium">
          {name}
          {isDraft && <Tag>Draft</Tag>}
        </p>
        <p className="text-ink-2 text-note">{`${price}. ${usesText({ credits })}`}</p>
      </div>
      <Button size="small" look="quiet" aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </Button>
    </div>
  );
}

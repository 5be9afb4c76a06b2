"use client";

import { useState } from "react";
import { FormProvider } from "react-hook-form";
import { DiscardDraft } from "../../forms/discard-draft.tsx";
import { Button } from "../../ui/button.tsx";
import { ButtonLink } from "../../ui/button-link.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Checkbox } from "../../ui/fields/checkbox.tsx";
import { NearLink } from "../../ui/links/near-link.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Stepper, type StepperStep } from "../../ui/stepper.tsx";
import { Tag } from "../../ui/values/tag.tsx";
import { AccessFields } from "../access-fields.tsx";
import type { PlanChoice } from "../agent-types.ts";
import { EndpointsStep } from "../endpoints-step.tsx";
import { usesText } from "../plan-choice.ts";
import { DefinitionStep } from "./definition-step.tsx";
import { errorsOf, togglePlan } from "./registration-draft.ts";
import { stepSummary } from "./registration-input.ts";
import { STEPS, type StepName } from "./registration-steps.ts";
import { ReviewStep } from "./review-step.tsx";
import { type RegistrationProps, useRegistration } from "./use-registration.ts";

type RegisterAgentProps = RegistrationProps & { isSandbox: boolean };
type Registration = ReturnType<typeof useRegistration>;

export function RegisterAgent({ isSandbox, ...props }: RegisterAgentProps) {
  const registration = useRegistration(props);
  const { form, draft, step, open, advance, discard, discovery } = registration;
  const [isAccepted, setAccepted] = useState(false);
  const at = STEPS.findIndex(({ name }) => name === step);
  const previous = STEPS[at - 1];
  const isBlocked = errorsOf(draft).length > 0 && !(isSandbox && isAccepted);
  const isRegistering = form.isPending || form.formState.isSubmitSuccessful;
  const steps = STEPS.map(({ name, title }, index): StepperStep => {
    const isOpen = name === step;
    const isDone = index < at && draft.tookMs !== null;
    return {
      value: name,
      title,
      state: isOpen ? "current" : isDone ? "done" : "todo",
      summary: stepSummary(name, draft, props.plans),
      content: isOpen && (
        <StepContent
          {...registration}
          plans={props.plans}
          isSandbox={isSandbox}
          isAccepted={isAccepted}
          onAccept={setAccepted}
        />
      ),
      edit: !isOpen && draft.tookMs !== null && (
        <Button size="small" look="quiet" aria-label={`Open ${title}`} onClick={() => open(name)}>
          {isDone ? "Edit" : "Open"}
        </Button>
      ),
    };
  });
  return (
    <FormProvider {...form}>
      <PageHeader
        title="Register an agent"
        actions={
          (draft.url !== "" || draft.tookMs !== null) && <DiscardDraft onDiscard={discard} />
        }
      >
        Start with a URL. Registering sends no access token, so nothing is charged.
      </PageHeader>
      <p role="status" className="sr-only">
        {discovery.isLooking && "Looking for the agent’s definition."}
        {draft.definition && `Found: ${draft.definition.label}.`}
      </p>
      <Stepper
        steps={steps}
        footer={
          <>
            {previous ? (
              <Button onClick={() => open(previous.name)}>
                Back to {previous.title.toLowerCase()}
              </Button>
            ) : (
              <span />
            )}
            <Button
              look="primary"
              isPending={isRegistering || (step === "definition" && discovery.isLooking)}
              aria-disabled={(step === "review" && isBlocked) || undefined}
              onClick={advance}
            >
              {STEPS[at]?.next}
            </Button>
          </>
        }
      />
    </FormProvider>
  );
}

type StepContentProps = Registration & {
  plans: readonly PlanChoice[];
  isSandbox: boolean;
  isAccepted: boolean;
  onAccept: (isAccepted: boolean) => void;
};

function StepContent(props: StepContentProps) {
  const { form, draft, step, open, plans, isSandbox } = props;
  const contents: Record<StepName, () => React.ReactNode> = {
    definition: () => (
      <DefinitionStep draft={draft} discovery={props.discovery} onCheck={props.check} />
    ),
    endpoints: () => (
      <EndpointsStep
        rows={draft.rows}
        onRows={(rows) => form.setValue("rows", rows)}
        plans={plans.filter(({ planId }) => draft.planIds.includes(planId))}
        probing={props.probing}
        onProbe={props.probeRows}
        agent={{ name: draft.about.name, planIds: draft.planIds }}
        isSandbox={isSandbox}
        fault={form.formState.errors.rows?.message}
      />
    ),
    access: () => <AccessFields />,
    plans: () => (
      <PlanPicker
        plans={plans}
        chosen={draft.planIds}
        fault={form.formState.errors.planIds?.message}
        onToggle={(planId) => form.setValue("planIds", togglePlan(draft.planIds, planId))}
      />
    ),
    review: () => (
      <ReviewStep
        draft={draft}
        plans={plans}
        isSandbox={isSandbox}
        isAccepted={props.isAccepted}
        onAccept={props.onAccept}
        onEdit={open}
        failure={form.failure}
        failureCode={form.failureCode}
      />
    ),
  };
  return contents[step]();
}

/** Selects the plans that callers can buy to pay for the agent. */
function PlanPicker({
  plans,
  chosen,
  onToggle,
  fault,
}: {
  plans: readonly PlanChoice[];
  chosen: readonly string[];
  onToggle: (planId: string) => void;
  fault?: string | undefined;
}) {
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
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="mb-1.5 text-label">Plans that pay for this agent</legend>
      {plans.map(({ planId, name, price, credits, isDraft }) => (
        <Checkbox
          key={planId}
          className="rounded-card border border-line px-3 py-2.5 has-checked:border-accent has-checked:bg-tint-accent"
          checked={chosen.includes(planId)}
          onChange={() => onToggle(planId)}
          label={
            <span className="wrap-anywhere flex flex-wrap items-center gap-x-2 font-medium">
              {name}
              {isDraft && <Tag>Draft</Tag>}
            </span>
          }
          hint={`${price}. ${usesText({ credits })}`}
        />
      ))}
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

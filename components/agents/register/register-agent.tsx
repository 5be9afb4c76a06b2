"use client";

import { useState } from "react";
import { FormProvider } from "react-hook-form";
import { DiscardDraft } from "../../forms/discard-draft.tsx";
import { Button } from "../../ui/button.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Stepper, type StepperStep } from "../../ui/stepper.tsx";
import { AccessFields } from "../access-fields.tsx";
import type { PlanChoice } from "../agent-types.ts";
import { EndpointsStep } from "../endpoints-step.tsx";
import { DefinitionStep } from "./definition-step.tsx";
import { PlanPicker } from "./plan-picker.tsx";
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

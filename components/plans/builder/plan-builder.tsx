"use client";

import { type FormEvent, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { FormProvider } from "react-hook-form";
import { DiscardDraft } from "../../forms/discard-draft.tsx";
import { FailureNotice } from "../../forms/failure-notice.tsx";
import { Button } from "../../ui/button.tsx";
import { ButtonLink } from "../../ui/button-link.tsx";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { SidePanel } from "../../ui/overlays/side-panel.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Stepper } from "../../ui/stepper.tsx";
import { CopyButton } from "../../ui/values/copy-button.tsx";
import { priceWords } from "../describe-plan.ts";
import type { Market } from "../market.ts";
import { builderSteps, NEXT_WORDS } from "./builder-steps.tsx";
import { STEPS, type Step } from "./draft-faults.ts";
import type { PlanToCreate } from "./payload-of-draft.ts";
import { PlanPreview } from "./plan-preview.tsx";
import { type PlanBuilderProps, usePlanBuilder } from "./use-plan-builder.ts";

export function PlanBuilder(props: PlanBuilderProps) {
  const { market } = props;
  const builder = usePlanBuilder(props);
  const { form, created, plan, missing, startOver } = builder;
  const preview = (
    <PlanPreview
      plan={created?.plan ?? plan}
      market={market}
      missing={created ? undefined : missing}
    />
  );
  return (
    <FormProvider {...form}>
      <PageHeader
        title="New plan"
        actions={
          !created && <DiscardDraft look="quiet" className="max-sm:-ms-3" onDiscard={startOver} />
        }
      >
        {!created && "Your draft stays in this browser until you create the plan."}
      </PageHeader>
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,560px)_minmax(0,1fr)]">
        {created ? (
          <PlanCreated {...created} onAnother={startOver} />
        ) : (
          <BuilderForm {...builder} market={market} preview={preview} />
        )}
        {/* Hydrated after the form: phones hide it, and the form should not wait for it. */}
        <div className="min-w-0 max-lg:hidden">
          <Suspense>{preview}</Suspense>
        </div>
      </div>
      {builder.dialog}
    </FormProvider>
  );
}

type BuilderFormProps = ReturnType<typeof usePlanBuilder> &
  Pick<PlanBuilderProps, "market"> & { preview: React.ReactNode };

function BuilderForm(props: BuilderFormProps) {
  const { form, plan, missing, step, goTo, filledAt, advance, market, preview } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!form.isPending) void advance();
  };
  return (
    <form onSubmit={submit} noValidate className="grid min-w-0 gap-4">
      <BuilderSummary plan={plan} market={market}>
        {preview}
      </BuilderSummary>
      <Stepper
        steps={builderSteps({ ...props, setValue: form.setValue })}
        footer={
          <>
            <BackButton step={step} goTo={goTo} />
            <Button
              type="submit"
              look="primary"
              isPending={form.isPending}
              aria-disabled={filledAt === 0 || undefined}
            >
              {NEXT_WORDS[step]}
            </Button>
          </>
        }
      />
      <FailureNotice
        title="The plan was not created."
        unknown="Choose Create plan again: the same terms are never created twice."
        of={form}
      />
      <p role="status" className="sr-only">
        {form.formState.isSubmitted && missing}
      </p>
    </form>
  );
}

function BackButton({ step, goTo }: { step: Step; goTo: (step: Step) => void }) {
  const previous = STEPS[STEPS.indexOf(step) - 1];
  if (!previous) return <span />;
  return (
    <Button onClick={() => goTo(previous)}>
      Back to {previous === "kind" ? "type" : previous}
    </Button>
  );
}

type BuilderSummaryProps = { plan: PlanToCreate | null; market: Market; children: ReactNode };

/** On narrow screens: one line about the plan, and a sheet with its preview. */
function BuilderSummary({ plan, market, children }: BuilderSummaryProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div
      data-sticks
      className="sticky top-12 z-5 -mx-(--gutter) flex min-w-0 items-center gap-3 border-line border-y bg-bg px-(--gutter) py-1.5 lg:hidden"
    >
      <p className="min-w-0 flex-1 truncate text-note">
        {plan ? (
          <>
            <span className="font-medium">{plan.payload.metadataAttributes.name}</span>{" "}
            <span className="text-ink-2 tabular-nums">{priceWords(plan.terms.price, market)}</span>
          </>
        ) : (
          <span className="text-ink-2">Incomplete</span>
        )}
      </p>
      <Button size="small" onClick={() => setOpen(true)}>
        Preview
      </Button>
      <SidePanel isOpen={isOpen} onClose={() => setOpen(false)} title="Preview">
        <div className="p-4">{children}</div>
      </SidePanel>
    </div>
  );
}

type PlanCreatedProps = {
  planId: string;
  name: string;
  state: "listed" | "unlisted" | "draft";
  onAnother: () => void;
};

const FOUND = {
  listed: "It appears on Explore once an agent accepts it.",
  unlisted: "Only people with the link can see it.",
  draft: "It is a draft: it isn’t in any list and can’t be ordered until you list it.",
};

function PlanCreated({ planId, name, state, onAnother }: PlanCreatedProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Card className="grid gap-4" data-testid="plan-created">
      <div className="grid grid-cols-[20px_minmax(0,1fr)] gap-x-3 gap-y-1">
        <Icon name="check" className="mt-0.5 size-5 text-settled" />
        <h2 ref={heading} tabIndex={-1} className="wrap-anywhere text-h2 outline-none">
          Plan “{name}” is ready.
        </h2>
        <p className="col-start-2 text-ink-2">
          {FOUND[state]} Next, register the agent it pays for.
        </p>
      </div>
      <div className="flex min-w-0 items-center gap-2 rounded-control border border-line bg-sunken px-3 py-2">
        <span className="shrink-0 text-ink-2 text-label">Plan ID</span>
        <code data-plan-id className="wrap-anywhere min-w-0 flex-1 text-small">
          {planId}
        </code>
        <CopyButton text={planId} label="Copy plan ID" />
      </div>
      <div className="flex flex-wrap gap-2">
        <ButtonLink look="primary" href={`/agents/new?plan=${planId}`}>
          Register an agent
        </ButtonLink>
        <ButtonLink href={`/plans/${planId}`}>Open plan page</ButtonLink>
        <ButtonLink href={`/playground?plan=${planId}`}>Test in playground</ButtonLink>
        <Button look="quiet" onClick={onAnother}>
          Create another
        </Button>
      </div>
    </Card>
  );
}

"use client";

import type { UseFormSetValue } from "react-hook-form";
import type { StepperStep } from "../../ui/stepper.tsx";
import { grantWords, priceWords } from "../describe-plan.ts";
import type { Market } from "../market.ts";
import { KIND_WORDS } from "../plan-words.ts";
import { CreditsStep } from "./credits-step.tsx";
import { STEPS, type Step } from "./draft-faults.ts";
import { KindStep } from "./kind-step.tsx";
import type { PlanToCreate } from "./payload-of-draft.ts";
import { CREDITS_KINDS, type PlanDraft } from "./plan-draft.ts";
import { PriceReadout } from "./price-readout.tsx";
import { PriceStep } from "./price-step.tsx";
import { EditStep, ReviewStep } from "./review-step.tsx";

/** The label of the button that leaves each step. */
export const NEXT_WORDS: Record<Step, string> = {
  kind: "Continue to price",
  price: "Continue to credits",
  credits: "Continue to name",
  review: "Create plan",
};

const TITLES: Record<Step, string> = {
  kind: "Type",
  price: "Price",
  credits: "Credits",
  review: "Name and review",
};

type BuilderStepsProps = {
  step: Step;
  draft: PlanDraft;
  usual: PlanDraft;
  market: Market;
  plan: PlanToCreate | null;
  filledAt: number;
  goTo: (step: Step) => void;
  setValue: UseFormSetValue<PlanDraft>;
};

/** The four steps. The price stays open beside the credits, which divide it. */
export function builderSteps(props: BuilderStepsProps): StepperStep[] {
  const { step, goTo } = props;
  const at = STEPS.indexOf(step);
  return STEPS.map((value, index) => {
    const state = index < at ? "done" : index === at ? "current" : "todo";
    const isOpen = value === step || (value === "price" && step === "credits");
    return {
      value,
      title: TITLES[value],
      state,
      summary: isOpen && value !== "credits" ? undefined : summaryOf(value, state, props),
      edit: state === "done" && !isOpen && (
        <EditStep title={TITLES[value]} onEdit={() => goTo(value)} />
      ),
      content: isOpen && contentOf(value, props),
    };
  });
}

function summaryOf(
  step: Step,
  state: StepperStep["state"],
  { draft, plan, market }: BuilderStepsProps,
): string {
  if (step === "review") return draft.name ? `Draft name: ${draft.name}` : "";
  if (state === "todo") return "";
  if (step === "kind") return KIND_WORDS[draft.kind];
  if (step === "credits" && state === "current") return "What a call uses";
  if (!plan) return "";
  return step === "price" ? priceWords(plan.terms.price, market) : grantWords(plan.terms);
}

function contentOf(step: Step, props: BuilderStepsProps) {
  const { draft, usual, market, plan, filledAt, goTo, setValue } = props;
  switch (step) {
    case "kind":
      return (
        <KindStep
          draft={draft}
          usual={usual}
          market={market}
          onChoose={(kind) => {
            setValue("kind", kind);
            goTo("price");
          }}
        />
      );
    case "price":
      return <PriceStep draft={draft} market={market} />;
    case "credits":
      return (
        <CreditsStep
          draft={draft}
          filledAt={filledAt}
          counts={draft.kind === "trial" ? CREDITS_KINDS : []}
          readout={plan && <PriceReadout terms={plan.terms} market={market} />}
        />
      );
    case "review":
      return <ReviewStep terms={plan?.terms} market={market} onEdit={goTo} />;
  }
}

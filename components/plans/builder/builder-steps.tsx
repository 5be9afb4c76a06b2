import type { UseFormSetValue } from "react-hook-form";
import { cn } from "../../ui/cn.ts";
import { Icon } from "../../ui/icon.tsx";
import { LiveButton } from "../../ui/live-button.tsx";
import type { StepperStep } from "../../ui/stepper.tsx";
import { grantWords, priceWords, readoutSentences } from "../describe-plan.ts";
import type { Market } from "../market.ts";
import { KIND_WORDS } from "../plan-words.ts";
import { CreditsStep } from "./credits-step.tsx";
import { STEPS, type Step } from "./draft-faults.ts";
import { type PlanToCreate, payloadSoFar } from "./payload-of-draft.ts";
import { CREDITS_KINDS, KINDS, type PlanDraft, type PlanKind } from "./plan-draft.ts";
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
  const { draft, market, plan, filledAt, goTo, setValue } = props;
  switch (step) {
    case "kind":
      return (
        <KindStep
          draft={draft}
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

const MEANINGS: Record<PlanKind, string> = {
  perCall: "Every call uses the same number of credits.",
  flexible: "Your agent decides how many credits a call uses, within limits you set.",
  timePass: "Unlimited calls for a set time.",
  trial: "Free. Each account can order it once.",
};

type KindStepProps = {
  draft: PlanDraft;
  market: Market;
  onChoose: (kind: PlanKind) => void;
};

/** Four ways to sell, each with its terms. Choosing one opens the price step. */
function KindStep({ draft, market, onChoose }: KindStepProps) {
  return (
    <ul className="grid gap-2">
      {KINDS.map((kind) => {
        const plan = payloadSoFar({ ...draft, kind }, market);
        const sum = plan ? readoutSentences(plan.terms, market).join(" ") : "";
        const isChosen = kind === draft.kind;
        return (
          <li key={kind}>
            <LiveButton
              aria-current={isChosen || undefined}
              aria-labelledby={`kind-${kind}`}
              aria-describedby={`kind-${kind}-meaning`}
              onClick={() => onChoose(kind)}
              className={cn(
                "grid w-full grid-cols-[minmax(0,1fr)_16px] items-center gap-x-3 gap-y-0.5 rounded-card border border-line bg-surface p-3 text-start hover:border-line-control",
                isChosen && "border-accent bg-tint-accent",
              )}
            >
              <span id={`kind-${kind}`} className="font-medium">
                {KIND_WORDS[kind]}
              </span>
              <Icon name="right" className="row-span-2 size-4 text-ink-2" />
              <span id={`kind-${kind}-meaning`} className="text-note">
                {MEANINGS[kind]} <span className="text-ink-2 tabular-nums">{sum}</span>
              </span>
            </LiveButton>
          </li>
        );
      })}
    </ul>
  );
}

"use client";

import { useSearchParams } from "next/navigation";
import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { FormProvider, useForm, useWatch } from "react-hook-form";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Stepper } from "../../ui/stepper.tsx";
import type { Market } from "../market.ts";
import { builderSteps, NEXT_WORDS } from "./builder-steps.tsx";
import { BuilderSummary } from "./builder-summary.tsx";
import { STEPS, type Step, stepOf } from "./draft-faults.ts";
import { draftPathOf } from "./draft-path.ts";
import { dropDraft, loadDraft, saveDraft } from "./draft-store.ts";
import { loadServiceRules, useServiceRules } from "./load-service-rules.ts";
import {
  type PlanPayload,
  type PlanToCreate,
  payloadOfDraft,
  payloadSoFar,
} from "./payload-of-draft.ts";
import { PlanCreated } from "./plan-created.tsx";
import { newDraft, type PlanDraft } from "./plan-draft.ts";
import { draftResolver, newNonce, pathsOf } from "./plan-form.ts";
import { PlanPreview } from "./plan-preview.tsx";

export type Created =
  | { ok: true; data: { planId: string } }
  | {
      ok: false;
      code: string;
      message: string;
      hint: string;
      details: { path: string; message: string }[];
      requestId: string;
    };

type PlanBuilderProps = {
  market: Market;
  createPlan: (payload: PlanPayload) => Promise<Created>;
};

type Refusal = { title: string; text: string; code?: string };
type Made = { planId: string; name: string; state: PlanDraft["state"]; plan: PlanToCreate };

const isStep = (value: string | null): value is Step => STEPS.includes(value as Step);

/** Four steps to a plan. The draft stays in this browser; only Create sends anything. */
export function PlanBuilder({ market, createPlan }: PlanBuilderProps) {
  const usual = useMemo(() => newDraft(market, ""), [market]);
  const form = useForm<PlanDraft>({
    defaultValues: usual,
    resolver: draftResolver(market),
    mode: "onTouched",
  });
  const { control, reset, setValue, setError, setFocus, trigger, formState } = form;
  const draft = useWatch({ control }) as PlanDraft;
  const [filledAt, setFilledAt] = useState(0);
  const [made, setMade] = useState<Made>();
  const [refusal, setRefusal] = useState<Refusal>();
  const [isPending, setPending] = useState(false);
  const [isDiscarding, setDiscarding] = useState(false);
  const { step, goTo } = useStep();
  const attempted = useRef<string>(undefined);

  const { ownAddress } = market;
  useEffect(() => {
    reset(loadDraft(ownAddress, newDraft(market, newNonce())));
    setFilledAt(1);
  }, [market, ownAddress, reset]);
  useEffect(() => {
    if (filledAt > 0 && !made) saveDraft(ownAddress, draft);
  }, [draft, filledAt, made, ownAddress]);

  // What was sent once keeps its nonce; other terms are another plan and get their own.
  const sent = JSON.stringify({ ...draft, nonce: "" });
  useEffect(() => {
    if (attempted.current === undefined || attempted.current === sent) return;
    attempted.current = undefined;
    setValue("nonce", newNonce());
  }, [sent, setValue]);

  const rules = useServiceRules();
  const reading = payloadOfDraft(draft, market, rules);
  const plan = reading.isPayload ? reading : payloadSoFar(draft, market, usual, rules);
  const missing = reading.isPayload ? undefined : reading.faults[0]?.message;

  const advance = async () => {
    if (await trigger(pathsOf(step, draft), { shouldFocus: true })) {
      goTo(STEPS[STEPS.indexOf(step) + 1] ?? step);
    }
  };

  const showFault = (path: string) => {
    goTo(stepOf(path));
    // The field stands there only when its step is open.
    requestAnimationFrame(() => setFocus(path as "name"));
  };

  const create = async () => {
    const checked = payloadOfDraft(draft, market, await loadServiceRules());
    if (!checked.isPayload) {
      await trigger();
      const [fault] = checked.faults;
      if (fault) showFault(fault.path);
      return;
    }
    setRefusal(undefined);
    attempted.current = sent;
    const answer = await createPlan(checked.payload).catch(() => null);
    if (answer?.ok) {
      const { name, state } = draft;
      dropDraft(ownAddress);
      setMade({ planId: answer.data.planId, name: name.trim(), state, plan: checked });
      return;
    }
    setRefusal(refusalOf(answer));
    const [fault] = answer?.details ?? [];
    if (!fault) return;
    const path = draftPathOf(fault.path);
    setError(path as "name", { type: "service", message: fault.message });
    showFault(path);
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    if (step !== "review") return advance();
    setPending(true);
    await create().finally(() => setPending(false));
  };

  const startOver = () => {
    dropDraft(ownAddress);
    attempted.current = undefined;
    reset(newDraft(market, newNonce()));
    setFilledAt((count) => count + 1);
    setMade(undefined);
    setRefusal(undefined);
    setDiscarding(false);
    goTo("kind");
  };

  const preview = <PlanPreview plan={made?.plan ?? plan} market={market} missing={missing} />;
  return (
    <FormProvider {...form}>
      <PageHeader
        title="New plan"
        actions={
          !made && (
            <Button look="quiet" onClick={() => setDiscarding(true)}>
              Discard draft
            </Button>
          )
        }
      >
        The draft stays in this browser. No amount leaves it before you create the plan.
      </PageHeader>
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,560px)_minmax(0,1fr)]">
        {made ? (
          <PlanCreated {...made} onAnother={startOver} />
        ) : (
          <form onSubmit={submit} noValidate className="grid min-w-0 gap-4">
            <BuilderSummary plan={plan} market={market}>
              {preview}
            </BuilderSummary>
            <Stepper
              steps={builderSteps({
                step,
                draft,
                usual,
                market,
                plan,
                filledAt,
                goTo,
                setValue,
              })}
              footer={
                <>
                  <BackButton step={step} goTo={goTo} />
                  <Button
                    type="submit"
                    look="primary"
                    isPending={isPending}
                    aria-disabled={filledAt === 0 || undefined}
                  >
                    {NEXT_WORDS[step]}
                  </Button>
                </>
              }
            />
            {refusal && (
              <Notice tone="refused" role="alert" title={refusal.title} code={refusal.code}>
                {refusal.text}
              </Notice>
            )}
            <p role="status" className="sr-only">
              {formState.isSubmitted && missing}
            </p>
          </form>
        )}
        <div className="min-w-0 max-lg:hidden">{preview}</div>
      </div>
      <ConfirmDialog
        isOpen={isDiscarding}
        onOpenChange={setDiscarding}
        title="Discard this draft?"
        description="What you typed is removed from this browser. Nothing was sent."
        safe="Keep it"
        verb="Discard draft"
        onConfirm={startOver}
      />
    </FormProvider>
  );
}

function BackButton({ step, goTo }: { step: Step; goTo: (step: Step) => void }) {
  const before = STEPS[STEPS.indexOf(step) - 1];
  if (!before) return <span />;
  return <Button onClick={() => goTo(before)}>Back to {before}</Button>;
}

function refusalOf(answer: Extract<Created, { ok: false }> | null): Refusal {
  if (!answer) {
    return {
      title: "We do not know whether the plan was created.",
      text: "Press Create plan again: the same terms sent twice are one plan.",
    };
  }
  const { message, hint, code } = answer;
  return { title: "No plan was created.", text: `${message} ${hint}`.trim(), code };
}

/** The step in the URL; Back of the browser goes a step back. The heading of a new step takes the focus. */
function useStep() {
  const param = useSearchParams().get("step");
  const step = isStep(param) ? param : "kind";
  const before = useRef(step);
  useEffect(() => {
    if (before.current === step) return;
    before.current = step;
    document.querySelector<HTMLElement>(`[data-step-heading="${step}"]`)?.focus();
  }, [step]);
  const goTo = (next: Step) => {
    if (next === step) return;
    const url = new URL(window.location.href);
    url.searchParams.set("step", next);
    window.history.pushState(null, "", url);
  };
  return { step, goTo };
}

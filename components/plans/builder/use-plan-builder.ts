import { useEffect, useMemo, useState } from "react";
import { useWatch } from "react-hook-form";
import type { ActionAnswer } from "../../forms/action-answer.ts";
import { keep, readKept } from "../../forms/kept-json.ts";
import { newNonce } from "../../forms/new-nonce.ts";
import { type OperationForm, useOperationForm } from "../../forms/use-operation-form.ts";
import { useStep } from "../../forms/use-step.ts";
import { type Confirmation, useConfirmed } from "../../sign-in/use-confirmed.tsx";
import type { Market } from "../market.ts";
import { PAYEES_CHANGE } from "../plan-words.ts";
import { missingText, STEPS, stepOf } from "./draft-faults.ts";
import { useServiceRules } from "./load-service-rules.ts";
import {
  type PlanPayload,
  type PlanToCreate,
  payloadOfDraft,
  payloadSoFar,
  type ServiceRules,
} from "./payload-of-draft.ts";
import { newDraft, type PlanDraft, restoreDraft } from "./plan-draft.ts";
import { draftResolver, pathsOf, shownField } from "./plan-form.ts";

export type PlanBuilderProps = {
  market: Market;
  confirmation: Confirmation;
  createPlan: (payload: PlanPayload) => Promise<ActionAnswer<{ planId: string }>>;
};

type CreatedPlan = {
  planId: string;
  name: string;
  state: PlanDraft["state"];
  plan: PlanToCreate;
};

/** The plan form with its open step and its kept draft. Only `submit` on the last step sends anything. */
export function usePlanBuilder({ market, confirmation, createPlan }: PlanBuilderProps) {
  const { ownAddress } = market;
  const usual = useMemo(() => newDraft(market, ""), [market]);
  const [filledAt, setFilledAt] = useState(0);
  const { confirm, dialog } = useConfirmed(confirmation, PAYEES_CHANGE);
  const [created, setCreated] = useState<CreatedPlan>();
  const { step, goTo } = useStep(STEPS, "kind");
  const form: OperationForm<PlanDraft, PlanToCreate> = useOperationForm<
    PlanDraft,
    PlanToCreate,
    { planId: string }
  >({
    defaultValues: usual,
    resolver: draftResolver(market),
    // What the terms mean is shown next to the fields while they are filled in.
    mode: "onTouched",
    run: ({ payload }) => confirm(() => createPlan(payload)),
    onDone: ({ planId }, plan) => {
      const { name, state } = form.getValues();
      keep(keyOf(ownAddress), null);
      setCreated({ planId, name: name.trim(), state, plan });
    },
    onInvalid: (path) => goTo(stepOf(path), () => setFocus(path)),
    fieldOf: (path) => shownField(path, { draft: form.getValues() }),
  });
  const { control, reset, setFocus } = form;
  const draft = useWatch({ control }) as PlanDraft;

  // Once: a page that is read again brings a new market, and keeps what was typed and why nothing was created.
  useEffect(() => {
    if (filledAt > 0) return;
    reset(restoreDraft(readKept(keyOf(ownAddress)), newDraft(market, newNonce())));
    setFilledAt(1);
  }, [filledAt, market, ownAddress, reset]);
  useEffect(() => {
    if (filledAt > 0 && !created) keep(keyOf(ownAddress), draft);
  }, [draft, filledAt, created, ownAddress]);

  const rules = useServiceRules(step !== "kind" || termsKey(draft) !== termsKey(usual));
  const { reading, plan } = useReading(draft, market, rules);
  const missing = reading.isPayload ? undefined : missingText(reading.faults, step);

  const advance = async () => {
    if (step === "review") return form.submit();
    const isSound = await form.trigger(pathsOf(step, draft), { shouldFocus: true });
    if (isSound) goTo(STEPS[STEPS.indexOf(step) + 1] ?? step);
  };
  const startOver = () => {
    keep(keyOf(ownAddress), null);
    reset(newDraft(market, newNonce()));
    setFilledAt((count) => count + 1);
    setCreated(undefined);
    goTo("kind");
  };

  return { form, draft, filledAt, created, plan, missing, step, goTo, advance, startOver, dialog };
}

/** What the draft would create, read again only when it changed: a reading hashes addresses. */
function useReading(draft: PlanDraft, market: Market, rules?: ServiceRules) {
  const reading = useMemo(() => payloadOfDraft(draft, market, rules), [draft, market, rules]);
  // Without its rules a plan without a name looks complete.
  const whole = reading.isPayload && rules ? reading : null;
  const plan = useMemo(
    () => whole ?? payloadSoFar(draft, market, rules),
    [whole, draft, market, rules],
  );
  return { reading, plan };
}

const termsKey = (draft: PlanDraft): string => JSON.stringify({ ...draft, nonce: "" });

/** Drafts are kept in this browser only, one per account. */
const keyOf = (account: string | undefined) => `turnpike.plan-draft.${account ?? "visitor"}`;

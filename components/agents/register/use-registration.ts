import { WebUrl } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { type FieldPath, useWatch } from "react-hook-form";
import { HOSTED_DEFINITION } from "@/lib/console/hosted-definition.ts";
import type { ActionAnswer } from "../../forms/action-answer.ts";
import { createNonces } from "../../forms/new-nonce.ts";
import { useOperationForm } from "../../forms/use-operation-form.ts";
import { useStep } from "../../forms/use-step.ts";
import { accessInput, type PlanChoice } from "../agent-types.ts";
import { useProbes } from "../use-probes.ts";
import {
  dropDraft,
  EMPTY_DRAFT,
  loadDraft,
  probeRequestOf,
  type RegistrationDraft,
  type Row,
  saveDraft,
  whileChecking,
  withFound,
  withProbe,
} from "./registration-draft.ts";
import {
  draftFieldOf,
  type RegistrationInput,
  registrationResolver,
} from "./registration-input.ts";
import {
  STEP_FIELDS,
  STEP_NAMES,
  STEPS,
  type StepName,
  stepOfField,
} from "./registration-steps.ts";
import { useDiscovery } from "./use-discovery.ts";

export type RegistrationProps = {
  account: string;
  plans: PlanChoice[];
  /** Selected when the page opens: the plan the builder comes from. */
  planId?: string;
  registerAgent: (input: RegistrationInput) => Promise<ActionAnswer<{ agentId: string }>>;
};

/** The registration form with its open step, its kept draft, and what discovery and probes add to it. */
export function useRegistration({ account, plans, planId, registerAgent }: RegistrationProps) {
  const router = useRouter();
  const [first, setFirst] = useState<StepName>("definition");
  const { step: asked, goTo } = useStep(STEP_NAMES, first);
  const nonceOf = useRef(createNonces());
  const form = useOperationForm<RegistrationDraft, RegistrationInput, { agentId: string }>({
    defaultValues: EMPTY_DRAFT,
    resolver: registrationResolver,
    run: (input) => registerAgent({ ...input, nonce: nonceOf.current(input) }),
    onDone: ({ agentId }) => {
      dropDraft(account);
      router.push(`/agents/${agentId}/code?registered=1`);
    },
    onInvalid: (field) => open(stepOfField(field), field),
    fieldOf: draftFieldOf,
  });
  const draft = useWatch({ control: form.control }) as RegistrationDraft;
  // A link to a later step, where the draft is gone.
  const step = draft.tookMs === null ? "definition" : asked;

  function open(next: StepName, field?: FieldPath<RegistrationDraft>) {
    form.clearErrors("root");
    goTo(next, field && (() => form.setFocus(field)));
  }

  useKeptDraft({ form, draft, account, plans, planId, open: setFirst });

  const { discovery, look } = useDiscovery(({ definition, endpoint, looks, ms }) => {
    form.setValues(withFound({ ...form.getValues(), looks }, definition, endpoint, ms));
    // Also from a later step that the URL still names after a registration.
    const isFound = endpoint || (definition?.endpoints.length ?? 0) > 0;
    open(isFound ? "endpoints" : "definition");
  });
  const check = (text: string) => {
    const url = text.trim();
    if (!WebUrl.safeParse(url).success) {
      const message = "Enter the full URL, such as https://agent.example/ask.";
      return form.setError("url", { message }, { shouldFocus: true });
    }
    form.clearErrors("url");
    const hosted = window.location.origin + HOSTED_DEFINITION;
    form.setValues(whileChecking(form.getValues(), { url, hosted }));
    look(url);
  };

  const { probing, probe } = useProbes((asked, seen) => {
    const ownPlanIds = plans.map((plan) => plan.planId);
    form.setValues(withProbe(form.getValues(), { asked, probe: seen, ownPlanIds }));
  });
  const probeRows = (rows: readonly Row[]) =>
    probe(rows.map(probeRequestOf), { access: accessInput(draft.access) });

  const advance = async () => {
    if (step === "review") return form.submit();
    if (step === "definition" && draft.tookMs === null) return check(draft.url);
    const next = STEPS[STEPS.findIndex(({ name }) => name === step) + 1];
    const isSound = await form.trigger([...STEP_FIELDS[step]], { shouldFocus: true });
    if (isSound && next) open(next.name);
  };
  const discard = () => {
    dropDraft(account);
    nonceOf.current = createNonces();
    form.reset(EMPTY_DRAFT);
    open("definition");
  };

  return { form, draft, step, open, advance, discard, discovery, check, probing, probeRows };
}

type KeptDraftOptions = Pick<RegistrationProps, "account" | "plans" | "planId"> & {
  form: Pick<ReturnType<typeof useOperationForm<RegistrationDraft>>, "getValues" | "reset">;
  draft: RegistrationDraft;
  open: (step: StepName) => void;
};

/**
 * Restores the draft when the page opens and saves every change, so that a visit elsewhere loses nothing. It is restored
 * once: a refreshed page brings new plans, and what was typed since includes credentials, which are never stored.
 */
function useKeptDraft({ form, draft, account, plans, planId, open }: KeptDraftOptions) {
  const { getValues, reset } = form;
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    if (isLoaded) return;
    const kept = loadDraft(account);
    const start = kept ?? getValues();
    const planIds = [...new Set([...start.planIds, ...(planId ? [planId] : [])])];
    const known = planIds.filter((id) => plans.some((plan) => plan.planId === id));
    reset({ ...start, planIds: known });
    // Where the address names a step, one without is an earlier page, which Back leads to.
    const isNamed = new URLSearchParams(window.location.search).has("step");
    if (kept && kept.rows.length > 0 && !isNamed) open(planId ? "plans" : "endpoints");
    setLoaded(true);
  }, [isLoaded, account, plans, planId, getValues, reset, open]);
  useEffect(() => {
    if (isLoaded) saveDraft(account, draft);
  }, [account, draft, isLoaded]);
}

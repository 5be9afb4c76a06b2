"use client";

import { type InputOf, WebUrl } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Stepper, type StepperStep } from "../ui/stepper.tsx";
import { type AccessFaults, AccessFields, accessFaults } from "./access-fields.tsx";
import { accessInput, type Changed, type PlanChoice } from "./agent-types.ts";
import { type DefinitionFaults, DefinitionStep } from "./definition-step.tsx";
import { EndpointsStep } from "./endpoints-step.tsx";
import { PlanPicker } from "./plan-picker.tsx";
import {
  dropDraft,
  EMPTY_DRAFT,
  errorsOf,
  loadDraft,
  type RegistrationDraft,
  type Row,
  saveDraft,
  withFound,
} from "./registration-draft.ts";
import {
  askedOf,
  definitionFaultsOf,
  endpointsFaultOf,
  inputOf,
  ownPlansIn,
  summaryOf,
} from "./registration-input.ts";
import { ReviewStep, type StepName } from "./review-step.tsx";
import { useDiscovery } from "./use-discovery.ts";
import { useProbes } from "./use-probes.ts";

const STEPS: { name: StepName; title: string; next: string }[] = [
  { name: "definition", title: "Definition", next: "Continue to endpoints" },
  { name: "endpoints", title: "Endpoints", next: "Continue to access" },
  { name: "access", title: "Access", next: "Continue to plans" },
  { name: "plans", title: "Plans", next: "Continue to review" },
  { name: "review", title: "Review and register", next: "Register agent" },
];

type RegisterAgentProps = {
  plans: PlanChoice[];
  /** Chosen when the page opens: the plan one comes from. */
  planId?: string;
  isSandbox: boolean;
  registerAgent: (input: InputOf<"registerAgent">) => Promise<Changed<{ agentId: string }>>;
};

/** Registers an agent from one URL: what it is, what it answers, who pays. */
export function RegisterAgent({ plans, planId, isSandbox, registerAgent }: RegisterAgentProps) {
  const router = useRouter();
  const [draft, setDraft] = useState<RegistrationDraft>(EMPTY_DRAFT);
  const [step, setStep] = useState<StepName>("definition");
  const [isAccepted, setAccepted] = useState(false);
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<{ message: string; hint: string; code: string } | null>(
    null,
  );
  const [definitionFaults, setDefinitionFaults] = useState<DefinitionFaults>({});
  const [endpointsFault, setEndpointsFault] = useState<string>();
  const [accessFault, setAccessFault] = useState<AccessFaults>({});
  const nonce = useRef<string>(undefined);
  const isLoaded = useRef(false);
  const patch = (change: Partial<RegistrationDraft>) => setDraft((now) => ({ ...now, ...change }));

  useEffect(() => {
    const kept = loadDraft();
    const known = (id: string) => plans.some((plan) => plan.planId === id);
    setDraft((now) => {
      const next = kept ?? now;
      const planIds = [...new Set([...next.planIds, ...(planId ? [planId] : [])])].filter(known);
      return { ...next, planIds };
    });
    if (kept && kept.rows.length > 0) setStep(planId ? "plans" : "endpoints");
    isLoaded.current = true;
  }, [plans, planId]);
  useEffect(() => {
    if (isLoaded.current && draft !== EMPTY_DRAFT) saveDraft(draft);
  }, [draft]);

  const open = (next: StepName) => {
    setStep(next);
    setFailure(null);
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`[data-step-heading="${next}"]`)?.focus(),
    );
  };

  const { discovery, look } = useDiscovery(({ definition, endpoint, looks, ms }) => {
    setDraft((now) => ({ ...withFound({ ...now, looks }, definition, endpoint, ms), looks }));
    const hasRows = (definition?.endpoints.length ?? 0) > 0 || endpoint !== null;
    if (hasRows) open("endpoints");
  });
  const check = (text: string) => {
    const url = text.trim();
    if (!WebUrl.safeParse(url).success) {
      return setDefinitionFaults({ url: "Give a whole URL: https://agent.example/…" });
    }
    setDefinitionFaults({});
    patch({ url, looks: [], tookMs: null, definition: null });
    look(url);
  };

  const { probing, probe } = useProbes((key, seen) =>
    setDraft((now) => ({
      ...now,
      rows: now.rows.map((row) => (row.key === key ? { ...row, probe: seen } : row)),
      // A plan the agent offers already is one that pays for it.
      planIds: [...new Set([...now.planIds, ...ownPlansIn(seen.offers, plans)])],
    })),
  );
  const probeRows = (rows: readonly Row[]) =>
    probe(rows.map(askedOf), { access: accessInput(draft.access) });

  /** What is wrong with a step, put to its fields; true when nothing is. */
  const isSound = (name: StepName): boolean => {
    if (name === "definition") {
      const faults = definitionFaultsOf(draft);
      setDefinitionFaults(faults);
      return Object.keys(faults).length === 0;
    }
    if (name === "endpoints") {
      const fault = endpointsFaultOf(draft.rows);
      setEndpointsFault(fault);
      return fault === undefined;
    }
    if (name === "access") {
      const faults = accessFaults(draft.access);
      setAccessFault(faults);
      return Object.keys(faults).length === 0;
    }
    return true;
  };

  const errors = errorsOf(draft);
  const isBlocked = errors.length > 0 && !(isSandbox && isAccepted);
  const register = async () => {
    const wrong = STEPS.find(({ name }) => !isSound(name));
    if (wrong) return open(wrong.name);
    setPending(true);
    setFailure(null);
    nonce.current ??= String(BigInt(`0x${crypto.randomUUID().replaceAll("-", "")}`));
    const answer = await registerAgent({ ...inputOf(draft), nonce: nonce.current }).catch(() => ({
      ok: false as const,
      code: "network_error",
      message: "The service did not answer.",
      hint: "Press again: the same agent is not registered twice.",
    }));
    if (!answer.ok) {
      setPending(false);
      return setFailure(answer);
    }
    dropDraft();
    router.push(`/agents/${answer.data.agentId}/code?registered=1`);
  };

  const at = STEPS.findIndex(({ name }) => name === step);
  const before = STEPS[at - 1];
  const current = STEPS[at] as (typeof STEPS)[number];
  const goOn = () => {
    if (step === "review") return register();
    const after = STEPS[at + 1];
    if (step === "definition" && draft.tookMs === null) return check(draft.url);
    if (isSound(step) && after) open(after.name);
  };
  const discard = () => {
    dropDraft();
    nonce.current = undefined;
    setDraft(EMPTY_DRAFT);
    setDefinitionFaults({});
    open("definition");
  };

  const contents: Record<StepName, () => React.ReactNode> = {
    definition: () => (
      <DefinitionStep
        draft={draft}
        discovery={discovery}
        faults={definitionFaults}
        onChange={patch}
        onCheck={check}
      />
    ),
    endpoints: () => (
      <EndpointsStep
        rows={draft.rows}
        onRows={(rows) => patch({ rows })}
        plans={plans.filter(({ planId: id }) => draft.planIds.includes(id))}
        probing={probing}
        onProbe={probeRows}
        agent={{ name: draft.about.name, planIds: draft.planIds }}
        isSandbox={isSandbox}
        fault={endpointsFault}
      />
    ),
    access: () => (
      <AccessFields
        access={draft.access}
        onChange={(access) => patch({ access })}
        faults={accessFault}
      />
    ),
    plans: () => (
      <PlanPicker
        plans={plans}
        chosen={draft.planIds}
        newPlanHref="/plans/new?next=/agents/new"
        onToggle={(id) =>
          patch({
            planIds: draft.planIds.includes(id)
              ? draft.planIds.filter((one) => one !== id)
              : [...draft.planIds, id],
          })
        }
      />
    ),
    review: () => (
      <ReviewStep
        draft={draft}
        plans={plans}
        isSandbox={isSandbox}
        isAccepted={isAccepted}
        onAccept={setAccepted}
        onEdit={open}
        failure={failure}
      />
    ),
  };
  const steps = STEPS.map(({ name, title }, index): StepperStep => {
    const isOpen = name === step;
    const isDone = index < at && draft.tookMs !== null;
    return {
      value: name,
      title,
      state: isOpen ? "current" : isDone ? "done" : "todo",
      summary: summaryOf(name, draft, plans),
      ...(isOpen
        ? { content: contents[name]() }
        : draft.tookMs !== null && {
            edit: (
              <Button
                size="small"
                look="quiet"
                aria-label={`Open ${title}`}
                onClick={() => open(name)}
              >
                {isDone ? "Edit" : "Open"}
              </Button>
            ),
          }),
    };
  });

  return (
    <>
      <PageHeader
        title="Register an agent"
        actions={
          <Button look="quiet" onClick={discard}>
            Discard draft
          </Button>
        }
      >
        Paste one URL. Nothing is called with a token, so nothing can be charged.
      </PageHeader>
      <p role="status" className="sr-only">
        {discovery.isLooking && "Looking for the agent’s definition."}
        {draft.definition && `Found: ${draft.definition.label}.`}
      </p>
      <Stepper
        steps={steps}
        footer={
          <>
            {before ? (
              <Button onClick={() => open(before.name)}>
                Back to {before.title.toLowerCase()}
              </Button>
            ) : (
              <span />
            )}
            <Button
              look="primary"
              isPending={isPending || (step === "definition" && discovery.isLooking)}
              aria-disabled={(step === "review" && isBlocked) || undefined}
              onClick={goOn}
            >
              {current.next}
            </Button>
          </>
        }
      />
    </>
  );
}

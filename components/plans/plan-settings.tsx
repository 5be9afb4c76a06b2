"use client";

import { type InputOf, PlanRedemptionType } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { Notice } from "../ui/notice.tsx";
import { ConfirmDialog, type Effect } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Section } from "../ui/page-header.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { MetadataForm } from "./builder/metadata-form.tsx";
import { RedeemersForm } from "./builder/redeemers-form.tsx";
import type { PlanTexts } from "./plan-overview.tsx";
import { redemptionWords } from "./plan-words.ts";

export type Updated =
  | { ok: true }
  | {
      ok: false;
      message: string;
      hint: string;
      code: string;
      details: { path: string; message: string }[];
    };
export type UpdatePlan = (changes: InputOf<"updatePlan">) => Promise<Updated>;

type State = "listed" | "unlisted" | "draft";

type PlanSettingsProps = {
  planId: string;
  texts: PlanTexts;
  state: State;
  version: number;
  subscribers: number;
  agents: number;
  redemptionType: PlanRedemptionType;
  redeemers: string[];
  updatePlan: UpdatePlan;
};

/** What can be changed of a plan, each with what follows from it. */
export function PlanSettings(props: PlanSettingsProps) {
  const { planId, texts, redemptionType, redeemers, updatePlan } = props;
  return (
    <div className="max-w-[720px]">
      <Section id="settings-about" title="What people read">
        <MetadataForm planId={planId} texts={texts} updatePlan={updatePlan} />
      </Section>
      <Section id="settings-state" title="Who can find it">
        <StateSetting {...props} />
      </Section>
      <Section id="settings-version" title="Price and credits" meta={`Version ${props.version}`}>
        <p className="text-ink-2">
          Price and credits of sold plans never change in place: a new version holds for later
          orders, and those who ordered keep what they bought.
        </p>
        <p className="mt-3">
          <ButtonLink href={`/plans/${planId}/new-version`}>New version</ButtonLink>
        </p>
      </Section>
      <Section id="settings-redeemers" title="Who may use credits">
        {redemptionType === PlanRedemptionType.ONLY_PLAN_ROLE ? (
          <RedeemersForm planId={planId} redeemers={redeemers} updatePlan={updatePlan} />
        ) : (
          <p className="text-ink-2">
            {redemptionWords(redemptionType)}. Accounts can be named when a version says “Accounts
            you name”.
          </p>
        )}
      </Section>
    </div>
  );
}

function StateSetting({
  planId,
  texts,
  state,
  subscribers,
  agents,
  updatePlan,
}: PlanSettingsProps) {
  const router = useRouter();
  const [asked, setAsked] = useState<State>();
  const [isPending, setPending] = useState(false);
  const [fault, setFault] = useState<string>();
  const change = async (next: State) => {
    setPending(true);
    setFault(undefined);
    const updated = await updatePlan({ planId, state: next }).catch(() => null);
    setPending(false);
    setAsked(undefined);
    if (!updated?.ok) {
      setFault(updated ? `${updated.message} ${updated.hint}` : "The service cannot be reached.");
      return;
    }
    toast(next === "listed" ? `‘${texts.name}’ is listed` : `‘${texts.name}’ is unlisted`);
    router.refresh();
  };
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <StatePill state={state} />
        <span className="min-w-0 flex-1 text-ink-2">{MEANS[state]}</span>
        {state === "listed" ? (
          <Button onClick={() => setAsked("unlisted")}>Unlist plan</Button>
        ) : (
          <Button onClick={() => setAsked("listed")}>List plan</Button>
        )}
      </div>
      {fault && (
        <Notice tone="refused" role="alert" title="The plan stays as it was.">
          {fault}
        </Notice>
      )}
      <ConfirmDialog
        isOpen={asked !== undefined}
        onOpenChange={(isOpen) => !isOpen && setAsked(undefined)}
        title={asked === "listed" ? `List ‘${texts.name}’?` : `Unlist ‘${texts.name}’?`}
        effects={asked === "listed" ? LIST_EFFECTS : unlistEffects(subscribers, agents)}
        safe="Keep it"
        verb={asked === "listed" ? "List plan" : "Unlist plan"}
        look={asked === "listed" ? "primary" : "danger"}
        isPending={isPending}
        onConfirm={() => asked && change(asked)}
      />
    </div>
  );
}

const MEANS: Record<State, string> = {
  listed: "Everybody finds it under Explore.",
  unlisted: "Only those who have its link find it. Subscribers keep what they bought.",
  draft: "Nobody finds it, and nobody can order it.",
};

const LIST_EFFECTS: Effect[] = [
  { icon: "search", title: "Everybody finds it", detail: "It stands under Explore at once." },
  { icon: "card", title: "It can be ordered", detail: "At the price of its latest version." },
];

const unlistEffects = (subscribers: number, agents: number): Effect[] => [
  {
    icon: "search",
    title: "It leaves Explore at once",
    detail: "Who has its link can still order it.",
  },
  {
    icon: "subscriptions",
    title:
      subscribers === 0
        ? "Nobody has ordered it"
        : `${count(subscribers, "subscriber")} keep their credits`,
    detail: "Access tokens go on working, and calls go on settling.",
  },
  {
    icon: "agents",
    title: agents === 0 ? "No agent takes it" : `${count(agents, "agent")} still take it`,
    detail: "Take the plan from an agent to stop its calls.",
  },
];

const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;

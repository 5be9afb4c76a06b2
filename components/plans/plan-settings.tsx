"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { type Plan, PlanRedemptionType } from "@turnpike/payments/protocol";
import { useState } from "react";
import { FormProvider } from "react-hook-form";
import { plural } from "@/lib/text/plural.ts";
import { changedFields, listChanges } from "../forms/changes.ts";
import { createResolver } from "../forms/create-resolver.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { KEEP_TYPED, useOperationForm } from "../forms/use-operation-form.ts";
import { UnsavedGuard } from "../shell/leave-guard.tsx";
import { type Confirmation, useConfirmed } from "../sign-in/use-confirmed.tsx";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { TextAreaField } from "../ui/fields/text-field.tsx";
import type { Effect } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Section } from "../ui/page-header.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { MetadataFields } from "./builder/metadata-fields.tsx";
import {
  type Metadata,
  MetadataRules,
  type MetadataValues,
  metadataOf,
  valuesOf,
} from "./builder/metadata-values.ts";
import type { PlanRowState } from "./plan-list.ts";
import type { ChangeRedeemers, DescribePlan, PlanTexts, UpdatePlan } from "./plan-types.ts";
import { PAYEES_CHANGE, redemptionWords } from "./plan-words.ts";
import { readRedeemerLines } from "./read-credits.ts";
import { visibilityOf } from "./visibility.ts";

type PlanSettingsProps = {
  planId: string;
  texts: PlanTexts;
  state: PlanRowState;
  version: number;
  subscribers: number;
  agents: number;
  redemptionType: PlanRedemptionType;
  redeemers: string[];
  confirmation: Confirmation;
  updatePlan: UpdatePlan;
  describePlan: DescribePlan;
  changeRedeemers: ChangeRedeemers;
};

export function PlanSettings(props: PlanSettingsProps) {
  const { planId, texts, redemptionType, describePlan } = props;
  return (
    <div className="max-w-[720px]">
      <Section id="settings-about" title="About">
        <MetadataForm planId={planId} texts={texts} describePlan={describePlan} />
      </Section>
      <Section id="settings-state" title="Visibility">
        <StateSetting {...props} />
      </Section>
      <Section id="settings-version" title="Price and credits" meta={`Version ${props.version}`}>
        <p className="text-ink-2">
          To change the price or the credits, publish a new version. It applies to new orders;
          existing subscribers keep what they bought.
        </p>
        <p className="mt-3">
          <ButtonLink href={`/plans/${planId}/new-version`}>Create new version</ButtonLink>
        </p>
      </Section>
      <Section id="settings-redeemers" title="Who can use credits">
        {redemptionType === PlanRedemptionType.ONLY_PLAN_ROLE ? (
          <RedeemersForm {...props} />
        ) : (
          <p className="text-ink-2">
            {redemptionWords(redemptionType)}. To allow other accounts,{" "}
            <TextLink href={`/plans/${planId}/new-version`}>publish a version</TextLink> with
            “Selected accounts”.
          </p>
        )}
      </Section>
    </div>
  );
}

function StateSetting(props: PlanSettingsProps) {
  const { planId, texts, state, subscribers, agents, updatePlan } = props;
  const { text, change } = visibilityOf(state);
  const [asked, setAsked] = useState<"listed" | "unlisted">();
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <StatePill state={state} />
        <span className="min-w-0 flex-1 text-ink-2">{text}</span>
        {change && (
          <Button onClick={() => setAsked(change)}>
            {change === "listed" ? "List plan" : "Unlist plan"}
          </Button>
        )}
      </div>
      {asked && (
        <OperationDialog
          title={asked === "listed" ? `List “${texts.name}”?` : `Unlist “${texts.name}”?`}
          effects={asked === "listed" ? LIST_EFFECTS : unlistEffects(subscribers, agents)}
          safe="Keep it"
          verb={asked === "listed" ? "List plan" : "Unlist plan"}
          look={asked === "listed" ? "primary" : "danger"}
          failed="The plan was not changed."
          run={() => updatePlan({ planId, state: asked })}
          onDone={() => toast(`“${texts.name}” is ${asked}`)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}

const LIST_EFFECTS: Effect[] = [
  { icon: "search", title: "It becomes visible to everyone", detail: "It appears on Explore." },
  { icon: "card", title: "It can be ordered", detail: "At the price of its latest version." },
];

const unlistEffects = (subscribers: number, agents: number): Effect[] => [
  {
    icon: "search",
    title: "It is removed from Explore",
    detail: "Anyone with the link can still order it.",
  },
  {
    icon: "subscriptions",
    title:
      subscribers === 0
        ? "It has no subscribers"
        : plural(
            subscribers,
            "subscriber keeps what they bought",
            "subscribers keep what they bought",
          ),
    detail: "Access tokens keep working, and calls keep settling.",
  },
  {
    icon: "agents",
    title:
      agents === 0
        ? "No agent accepts it"
        : plural(agents, "agent still accepts it", "agents still accept it"),
    detail: "Unlink the plan from an agent to stop its calls.",
  },
];

type RedeemersFormProps = Pick<
  PlanSettingsProps,
  "planId" | "redeemers" | "confirmation" | "changeRedeemers"
>;

type Values = { redeemers: string };

const resolver = createResolver(({ redeemers }: Values) => {
  const { addresses, faults } = readRedeemerLines(redeemers);
  return faults.length > 0 ? { faults } : { input: addresses };
});

/** The accounts that may use any subscriber's credits of the plan. */
function RedeemersForm({ planId, redeemers, confirmation, changeRedeemers }: RedeemersFormProps) {
  const confirming = useConfirmed(confirmation, PAYEES_CHANGE);
  const [saved, setSaved] = useState(redeemers);
  const form = useOperationForm<Values, string[], string[]>({
    defaultValues: { redeemers: redeemers.join("\n") },
    resolver,
    run: (addresses) =>
      confirming.confirm(() => changeRedeemers(planId, listChanges(saved, addresses))),
    onDone: (now) => {
      setSaved(now);
      form.reset({ redeemers: now.join("\n") }, KEEP_TYPED);
      toast("Accounts saved");
    },
  });
  return (
    <>
      <form onSubmit={form.submit} noValidate className="grid gap-4">
        {form.formState.isDirty && <UnsavedGuard />}
        <TextAreaField
          label="Accounts"
          hint="One address per line. Accounts you remove can no longer use credits."
          error={form.formState.errors.redeemers?.message ?? form.failure}
          isMono
          {...form.register("redeemers")}
        />
        <div>
          <Button type="submit" isPending={form.isPending}>
            Save accounts
          </Button>
        </div>
      </form>
      {confirming.dialog}
    </>
  );
}

type MetadataFormProps = { planId: string; texts: PlanTexts; describePlan: DescribePlan };

/** Changes what people read about a plan, never its price or credits. */
function MetadataForm({ planId, texts, describePlan }: MetadataFormProps) {
  const [saved, setSaved] = useState(() => metadataOf(texts));
  const form = useOperationForm<MetadataValues, Metadata, Pick<Plan, "metadata">>({
    resolver: zodResolver(MetadataRules),
    defaultValues: valuesOf(saved),
    run: (metadata) => describePlan(planId, changedFields(saved, metadata)),
    onDone: ({ metadata }) => {
      // Another tab may have changed the fields that were not edited here.
      const now = metadataOf(metadata.main);
      setSaved(now);
      form.reset(valuesOf(now), KEEP_TYPED);
      toast("Plan saved");
    },
  });
  return (
    <FormProvider {...form}>
      <form onSubmit={form.submit} noValidate className="grid gap-4">
        {form.formState.isDirty && <UnsavedGuard />}
        <MetadataFields />
        <FailureNotice title="The plan was not saved." of={form} />
        <div>
          <Button type="submit" look="primary" isPending={form.isPending}>
            Save plan
          </Button>
        </div>
      </form>
    </FormProvider>
  );
}

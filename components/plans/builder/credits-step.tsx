import { PlanRedemptionType } from "@turnpike/payments/protocol";
import type { ReactNode } from "react";
import { Controller, useFormContext } from "react-hook-form";
import { AddressInput } from "../../ui/fields/address-input.tsx";
import { Checkbox } from "../../ui/fields/checkbox.tsx";
import { DurationInput } from "../../ui/fields/duration-input.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { RadioGroup } from "../../ui/fields/radio-group.tsx";
import { SegmentedControl } from "../../ui/fields/segmented-control.tsx";
import { TextAreaField } from "../../ui/fields/text-field.tsx";
import { TextInput } from "../../ui/fields/text-input.tsx";
import { CREDITS_WORDS, proofWords, REDEMPTIONS, redemptionWords } from "../plan-words.ts";
import { type CreditsKind, creditsKindOf, type PlanDraft } from "./plan-draft.ts";

type CreditsStepProps = {
  draft: PlanDraft;
  /** What the numbers mean, shown below them. */
  readout: ReactNode;
  /** Changes when the fields are filled from a kept draft. */
  filledAt: number;
  /** The kinds of metering to choose from; by default the plan kind decides. */
  counts?: readonly CreditsKind[];
  /** Whether the plan has its accounts already, which its settings change. */
  hasAccounts?: boolean;
};

const KIND_OF = { fixed: "perCall", dynamic: "flexible", time: "timePass" } as const;

/** What an order grants and what a call uses. */
export function CreditsStep(props: CreditsStepProps) {
  const { draft, readout, filledAt, counts = [], hasAccounts = false } = props;
  const { setValue } = useFormContext<PlanDraft>();
  const kind = creditsKindOf(draft);
  const choose = (next: CreditsKind) =>
    draft.kind === "trial" ? setValue("trialCredits", next) : setValue("kind", KIND_OF[next]);
  return (
    <>
      {counts.length > 1 && (
        <SegmentedControl
          label="Metering"
          isWide
          className="max-sm:grid"
          options={counts.map((value) => ({ value, label: CREDITS_WORDS[value] }))}
          value={kind}
          onValueChange={(value) => choose(value as CreditsKind)}
        />
      )}
      {kind === "time" ? <LengthField key={filledAt} /> : <CountFields kind={kind} />}
      {readout}
      <AdvancedCredits draft={draft} hasAccounts={hasAccounts} />
    </>
  );
}

const COUNTS = {
  fixed: [
    ["granted", "Credits per order"],
    ["perCall", "Credits per call"],
  ],
  dynamic: [
    ["granted", "Credits per order"],
    ["least", "Minimum per call"],
    ["most", "Maximum per call"],
  ],
} as const;

function CountFields({ kind }: { kind: "fixed" | "dynamic" }) {
  const { register, formState } = useFormContext<PlanDraft>();
  return (
    <div className={kind === "fixed" ? "grid gap-4 sm:grid-cols-2" : "grid gap-4 sm:grid-cols-3"}>
      {COUNTS[kind].map(([name, label]) => (
        <Field key={name} label={label} error={formState.errors[name]?.message}>
          <TextInput
            inputMode="numeric"
            className="tabular-nums"
            {...register(name, { deps: COUNTS[kind].map(([other]) => other) })}
          />
        </Field>
      ))}
    </div>
  );
}

function LengthField() {
  const { control, formState } = useFormContext<PlanDraft>();
  return (
    <Controller
      name="durationSecs"
      control={control}
      render={({ field }) => (
        <Field
          label="Length"
          hint="Starts when the plan is ordered. Calls use no credits."
          error={formState.errors.durationSecs?.message}
        >
          <DurationInput
            durationSecs={field.value ?? undefined}
            onDurationChange={(secs) => field.onChange(secs ?? null)}
            onBlur={field.onBlur}
            mayBeNever
          />
        </Field>
      )}
    />
  );
}

/** Who can use credits, on-chain proofs, signed requests and a custom NFT contract; collapsed by default. */
function AdvancedCredits({ draft, hasAccounts }: { draft: PlanDraft; hasAccounts: boolean }) {
  const { control, register, formState } = useFormContext<PlanDraft>();
  const { errors } = formState;
  const summary = `${redemptionWords(draft.redemptionType)} can use credits. ${proofWords(draft.proofRequired)}.`;
  const isWrong = Boolean(errors.redeemers ?? errors.nftAddress);
  return (
    <details className="group min-w-0" open={isWrong || undefined}>
      <summary className="min-h-6 cursor-pointer text-note max-sm:min-h-(--hit)">
        <span className="font-medium">Advanced</span> <span className="text-ink-2">{summary}</span>
      </summary>
      <div className="grid gap-4 pt-4">
        <Controller
          name="redemptionType"
          control={control}
          render={({ field }) => (
            <RadioGroup
              label="Who can use credits"
              options={REDEMPTIONS.map(({ type, who, follows }) => ({
                value: String(type),
                label: who,
                detail: follows,
              }))}
              value={String(field.value)}
              onValueChange={(value) => field.onChange(Number(value))}
            />
          )}
        />
        {draft.redemptionType === PlanRedemptionType.ONLY_PLAN_ROLE &&
          (hasAccounts ? (
            <p className="text-ink-2 text-note">
              A new version keeps the plan’s accounts. Change them in the plan’s settings.
            </p>
          ) : (
            <TextAreaField
              label="Accounts"
              hint="One address per line. You can change them later."
              error={errors.redeemers?.message}
              isMono
              {...register("redeemers")}
            />
          ))}
        <Checkbox
          label="Require an on-chain proof for each call"
          hint={
            draft.proofRequired
              ? "A call settles once its proof is in a block. Slower, but anyone can verify it."
              : "A call settles immediately, and its proof follows with the next batch."
          }
          {...register("proofRequired")}
        />
        <Checkbox
          label="Require signed requests"
          hint={
            draft.holderRequired
              ? "Subscribers pay with tokens bound to a key and sign each request; the package does both. Bearer tokens are declined."
              : "Bearer tokens are accepted too: anyone who has one can use it."
          }
          {...register("holderRequired")}
        />
        <Field
          label="NFT contract"
          isOptional
          hint="Your own contract for the credits. Leave empty to use the default."
          error={errors.nftAddress?.message}
        >
          <AddressInput {...register("nftAddress")} />
        </Field>
      </div>
    </details>
  );
}

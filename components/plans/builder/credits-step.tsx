"use client";

import type { ReactNode } from "react";
import { Controller, useFormContext } from "react-hook-form";
import { DurationInput } from "../../ui/fields/duration-input.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { SegmentedControl } from "../../ui/fields/segmented-control.tsx";
import { TextInput } from "../../ui/fields/text-input.tsx";
import { CREDITS_WORDS } from "../plan-words.ts";
import { AdvancedCredits } from "./advanced-credits.tsx";
import { type CreditsKind, creditsKindOf, type PlanDraft } from "./plan-draft.ts";

type CreditsStepProps = {
  draft: PlanDraft;
  /** What the numbers mean, shown below them. */
  readout: ReactNode;
  /** Changes when the fields are filled from a kept draft. */
  filledAt: number;
  /** The kinds of metering to choose from; by default the plan kind decides. */
  counts?: readonly CreditsKind[];
};

const KIND_OF = { fixed: "perCall", dynamic: "flexible", time: "timePass" } as const;

/** What an order grants and what a call uses. */
export function CreditsStep({ draft, readout, filledAt, counts = [] }: CreditsStepProps) {
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
      <AdvancedCredits draft={draft} />
    </>
  );
}

const COUNTS = {
  fixed: [
    ["granted", "Credits per order"],
    ["perCall", "Per call"],
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
            autoComplete="off"
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

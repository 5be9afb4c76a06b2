"use client";

import { PlanRedemptionType } from "@turnpike/payments/protocol";
import { Controller, useFormContext } from "react-hook-form";
import { AddressInput } from "../../ui/fields/address-input.tsx";
import { Checkbox } from "../../ui/fields/checkbox.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { RadioGroup } from "../../ui/fields/radio-group.tsx";
import { TextArea } from "../../ui/fields/text-area.tsx";
import { proofWords, REDEMPTIONS, redemptionWords } from "../plan-words.ts";
import type { PlanDraft } from "./plan-draft.ts";

/** Who can use credits, on-chain proofs, signed requests and a custom NFT contract; collapsed by default. */
export function AdvancedCredits({ draft }: { draft: PlanDraft }) {
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
        {draft.redemptionType === PlanRedemptionType.ONLY_PLAN_ROLE && (
          <Field
            label="Accounts"
            hint="One address per line. You can change them later."
            error={errors.redeemers?.message}
          >
            <TextArea isMono spellCheck={false} {...register("redeemers")} />
          </Field>
        )}
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
              ? "Subscribers pay with tokens bound to a key and sign each request; the package does both. Bearer tokens are refused."
              : "Bearer tokens pay too: anyone who has one can use it."
          }
          {...register("holderRequired")}
        />
        <Field
          label="NFT contract"
          isOptional
          hint="A contract of yours that represents the credits. Leave empty to use the default."
          error={errors.nftAddress?.message}
        >
          <AddressInput {...register("nftAddress")} />
        </Field>
      </div>
    </details>
  );
}

"use client";

import { useFormContext } from "react-hook-form";
import { DURATIONS } from "../delegations/limit-fields.tsx";
import { TokenLimits } from "../delegations/token-limits.tsx";
import type { CardActions } from "../payment-methods/add-card.tsx";
import { CardPicker } from "../payment-methods/card-picker.tsx";
import { cardText } from "../payment-methods/card-text.ts";
import { Field } from "../ui/fields/field.tsx";
import { RadioGroup } from "../ui/fields/radio-group.tsx";
import { Select } from "../ui/fields/select.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { agentOptions, delegationOptions } from "./mint-options.ts";
import {
  ANY_AGENT,
  type MintTerms,
  type MintValues,
  minCentsOf,
  NEW,
  needsCard,
  WITH_DELEGATION,
} from "./mint-values.ts";

type MintFieldsProps = {
  values: MintValues;
  terms: MintTerms;
  hasTestCards: boolean;
  actions: CardActions;
};

/** The agent, the delegation with its limits and card, and what most tokens leave as it is. */
export function MintFields({ values, terms, hasTestCards, actions }: MintFieldsProps) {
  const { setValue, clearErrors, formState } = useFormContext<MintValues>();
  const { cards, isCard, now } = terms;
  const card = cards.find(({ id }) => id === values.cardId);
  return (
    <>
      <RadioGroup
        label="Agent"
        name="agent"
        value={values.agentId}
        onValueChange={(agentId) => setValue("agentId", agentId)}
        options={[
          ...agentOptions(terms.agents),
          { value: ANY_AGENT, label: "Any agent of this plan" },
        ]}
        error={formState.errors.agentId?.message}
      />
      <RadioGroup
        label="Delegation"
        name="delegation"
        value={values.delegationId}
        onValueChange={(delegationId) => {
          clearErrors();
          setValue("delegationId", delegationId);
        }}
        options={delegationOptions(terms, values)}
        error={formState.errors.delegationId?.message}
      />
      {values.delegationId === NEW && (
        <div className="grid gap-4 border-line border-s-2 ps-4">
          <TokenLimits
            draft={values}
            minCents={minCentsOf(terms)}
            currency={terms.currency.toUpperCase()}
            backing={isCard ? (card ? cardText(card) : "card") : "your account"}
            now={now}
          />
        </div>
      )}
      {needsCard(values, terms) && (
        <CardPicker
          cards={cards}
          value={values.cardId}
          onValueChange={(id) => setValue("cardId", id)}
          now={now}
          isListHidden={cards.length === 0}
          adding={cards.length === 0 ? "primary" : "plain"}
          actions={actions}
          hasTestCards={hasTestCards}
        />
      )}
      <Advanced values={values} />
    </>
  );
}

function Advanced({ values }: { values: MintValues }) {
  const { register, setValue, formState } = useFormContext<MintValues>();
  return (
    <details>
      <summary className="min-h-6 cursor-pointer text-label">Advanced</summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        <Field label="Token expires after" hint="At the latest with its delegation.">
          <Select
            options={[...DURATIONS, { value: WITH_DELEGATION, label: "With its delegation" }]}
            value={values.lifeSecs}
            onValueChange={(secs) => setValue("lifeSecs", secs)}
          />
        </Field>
        <Field label="Maximum calls" isOptional error={formState.errors.redemptionLimit?.message}>
          <TextInput
            {...register("redemptionLimit")}
            inputMode="numeric"
            autoComplete="off"
            placeholder="1000"
          />
        </Field>
      </div>
    </details>
  );
}

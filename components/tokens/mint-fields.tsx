import { useState } from "react";
import { useFormContext } from "react-hook-form";
import { paidIn } from "@/lib/console/paid-in.ts";
import { pluralWord } from "@/lib/text/plural.ts";
import { DURATIONS } from "../delegations/limit-fields.tsx";
import { TokenLimits } from "../delegations/token-limits.tsx";
import type { CardActions } from "../payment-methods/add-card.tsx";
import { CardPicker } from "../payment-methods/card-picker.tsx";
import { cardText } from "../payment-methods/card-text.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { RadioGroup } from "../ui/fields/radio-group.tsx";
import { Select } from "../ui/fields/select.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { minorText } from "../ui/values/money-text.ts";
import { minuteText } from "../ui/values/time-text.ts";
import {
  ANY_AGENT,
  AUTOMATIC,
  firstMintValues,
  type MintTerms,
  type MintValues,
  minCentsOf,
  mustSign,
  NEW,
  needsCard,
  tokenEnd,
  WITH_DELEGATION,
} from "./mint-values.ts";
import { fewDelegations } from "./offered-delegations.ts";

type MintFieldsProps = {
  values: MintValues;
  terms: MintTerms;
  hasTestCards: boolean;
  actions: CardActions;
  /** The wallet signs a delegation with these limits. */
  isSigning: boolean;
};

/** The agent, the delegation with its limits and card, and what most tokens leave as it is. */
export function MintFields(props: MintFieldsProps) {
  const { values, terms, hasTestCards, actions, isSigning } = props;
  const { setValue, formState } = useFormContext<MintValues>();
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
          { value: ANY_AGENT, label: "Any agent on this plan" },
        ]}
        error={formState.errors.agentId?.message}
      />
      <fieldset disabled={isSigning} className="grid min-w-0 gap-6">
        <Delegations terms={terms} values={values} />
        {values.delegationId === NEW && (
          <div className="grid gap-4 border-line border-s-2 ps-4">
            <TokenLimits
              draft={values}
              minCents={minCentsOf(terms)}
              currency={paidIn(terms.currency, { isFiat: isCard }).toUpperCase()}
              token={terms.token}
              backing={isCard ? (card ? cardText(card) : "card") : "your account"}
              now={now}
              who="Agents using this token"
            >
              They can order “{terms.planName}” only.
            </TokenLimits>
          </div>
        )}
      </fieldset>
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
      <div className="grid gap-4 sm:grid-cols-2">
        <TokenLife values={values} terms={terms} />
      </div>
      <Advanced isOpen={firstMintValues(terms).redemptionLimit !== ""} />
    </>
  );
}

function Delegations({ values, terms }: Pick<MintFieldsProps, "values" | "terms">) {
  const { setValue, clearErrors, formState } = useFormContext<MintValues>();
  const [isWhole, setWhole] = useState(false);
  const { few, more } = fewDelegations(terms.delegations, values.delegationId);
  return (
    <div className="grid justify-items-start gap-1.5">
      <RadioGroup
        label="Delegation"
        name="delegation"
        className="w-full"
        value={values.delegationId}
        onValueChange={(delegationId) => {
          clearErrors();
          setValue("delegationId", delegationId);
        }}
        options={delegationOptions(terms, values, isWhole ? terms.delegations : few)}
        error={formState.errors.delegationId?.message}
      />
      {more > 0 && (
        <Button
          size="small"
          look="quiet"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? "Fewer delegations" : `${more} more ${pluralWord(more, "delegation")}`}
        </Button>
      )}
    </div>
  );
}

function TokenLife({ values, terms }: Pick<MintFieldsProps, "values" | "terms">) {
  const { setValue } = useFormContext<MintValues>();
  const { at, isEarlier } = tokenEnd(values, terms);
  const first = firstMintValues(terms).lifeSecs;
  const usual = [WITH_DELEGATION, ...DURATIONS.map(({ value }) => value)];
  return (
    <Field
      label="Token expires"
      hint={`On ${minuteText(new Date(at))}${isEarlier ? ", before its delegation" : ""}.`}
    >
      <Select
        options={[
          { value: WITH_DELEGATION, label: "With its delegation" },
          ...DURATIONS.map(({ value, label }) => ({ value, label: `After ${label}` })),
          ...(usual.includes(first) ? [] : [{ value: first, label: "Same as before" }]),
        ]}
        value={values.lifeSecs}
        onValueChange={(secs) => setValue("lifeSecs", secs)}
      />
    </Field>
  );
}

/** Open where an earlier token's options are filled in. */
function Advanced({ isOpen }: { isOpen: boolean }) {
  const { register, formState } = useFormContext<MintValues>();
  return (
    <details open={isOpen || undefined}>
      <summary className="min-h-6 cursor-pointer text-label">Advanced</summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        <TextField
          label="Maximum calls"
          isOptional
          error={formState.errors.redemptionLimit?.message}
          {...register("redemptionLimit")}
          inputMode="numeric"
          placeholder="1000"
        />
      </div>
    </details>
  );
}

/** The agents to choose from; a single one is recommended. */
const agentOptions = (agents: MintTerms["agents"]) =>
  agents.map(({ agentId, name }) => ({
    value: agentId,
    label: name,
    ...(agents.length === 1 && { detail: "Recommended: the token works for this agent only." }),
  }));

/** The delegations to choose from: the existing ones, a new one, and one the service creates. */
function delegationOptions(
  terms: MintTerms,
  values: Pick<MintValues, "limit" | "durationSecs">,
  delegations: MintTerms["delegations"],
) {
  const { isFree, isSandbox, token } = terms;
  const code = paidIn(terms.currency, { isFiat: terms.isCard }).toUpperCase();
  const known = delegations.map(({ delegationId, name, leftCents }) => ({
    value: delegationId,
    label: `Use “${name}”`,
    // What is left is in minor units, which count for no other token.
    ...(!token && { aside: `${minorText(leftCents, code)} left` }),
  }));
  const fresh = {
    value: NEW,
    label: newText(values, token?.currency ?? code),
    detail: "What agents can spend on further orders of this plan.",
  };
  const paid =
    isSandbox && !token
      ? `Up to 10.00 ${code} for this plan, within one day.`
      : "One more order of this plan, within one day.";
  const automatic = {
    value: AUTOMATIC,
    label: "Automatic",
    detail: isFree ? "Uses your credits and spends nothing." : paid,
  };
  return [...known, ...(isFree ? [] : [fresh]), ...(mustSign(terms) ? [] : [automatic])];
}

/** `New: 20.00 USD for 7 days`. */
function newText(
  { limit, durationSecs }: Pick<MintValues, "limit" | "durationSecs">,
  code: string,
): string {
  const duration = DURATIONS.find(({ value }) => value === String(durationSecs))?.label ?? "…";
  return `New: ${limit || "…"} ${code} for ${duration}`;
}

"use client";

import type { GrantToSign } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { FormProvider, useFormContext } from "react-hook-form";
import { createResolver } from "../forms/create-resolver.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperationForm } from "../forms/use-operation-form.ts";
import type { CardActions } from "../payment-methods/add-card.tsx";
import { CardPicker } from "../payment-methods/card-picker.tsx";
import { cardText, NEW_CARD, type SavedCard } from "../payment-methods/card-text.ts";
import { UnsavedGuard } from "../shell/leave-guard.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { Notice } from "../ui/notice.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { type CreateDelegation, type GrantActions, SignGrant } from "../wallet/sign-grant.tsx";
import { DelegationAdvanced } from "./delegation-advanced.tsx";
import { accountText } from "./delegation-text.ts";
import {
  ACCOUNT,
  type BindablePlan,
  type DelegationValues,
  planName,
  readDelegation,
  shownUnit,
} from "./delegation-values.ts";
import { listed } from "./effects-text.ts";
import { LimitFields } from "./limit-fields.tsx";
import { LimitSentence } from "./limit-sentence.tsx";
import { fieldOfLimit, readLimits } from "./read-limits.ts";

export type DelegationFormProps = {
  account: string;
  cards: SavedCard[];
  /** False where the deployment takes no cards: then the account backs every delegation. */
  takesCards?: boolean;
  hasTestCards: boolean;
  plans: BindablePlan[];
  first: DelegationValues;
  /** The delegation this one replaces, and what it gets of its budgets. */
  renews?: { name: string; budgets: string[] } | null;
  /** The page to go on with instead of the delegation's own. */
  next?: string | undefined;
  now: string;
  actions: CardActions & Required<GrantActions> & { createDelegation: CreateDelegation };
};

/** Creates a delegation: its limits, what it charges, and a sentence that says what that allows. */
export function DelegationForm(props: DelegationFormProps) {
  const { cards, plans, actions, renews } = props;
  const router = useRouter();
  const [grant, setGrant] = useState<GrantToSign>();
  const [isLeaving, leave] = useTransition();
  const open = (delegationId: string) =>
    leave(() => router.push(props.next ?? `/delegations/${delegationId}`));
  const form = useOperationForm({
    defaultValues: props.first,
    resolver: createResolver((typed: DelegationValues) => readDelegation(typed, { cards, plans })),
    run: actions.createDelegation,
    onDone: (created) => (created.grant ? setGrant(created.grant) : open(created.delegationId)),
    fieldOf: (path) => (path.startsWith("planIds") ? "planIds" : fieldOfLimit(path)),
  });
  const values = form.watch();
  return (
    <FormProvider {...form}>
      {form.formState.isDirty && <UnsavedGuard />}
      <Card className="grid gap-6">
        {/* The wallet signs the limits that were sent. */}
        <fieldset disabled={grant !== undefined} className="grid min-w-0 gap-6">
          <DelegationFields {...props} values={values} />
        </fieldset>
        {renews && (
          <Notice tone="info" title={`“${renews.name}” stays active.`}>
            Tokens are bound to their delegation: mint new ones under this one, then revoke the old
            one.
            {renews.budgets.length > 0 &&
              ` The new one gets the same budgets: ${listed(renews.budgets, "and")}.`}
          </Notice>
        )}
        <FailureNotice
          title={renews ? "The delegation was not renewed." : "No delegation was created."}
          unknown={
            <>
              Look at <TextLink href="/delegations">your delegations</TextLink> before you create
              another.
            </>
          }
          of={form}
        />
        {grant ? (
          <SignGrant
            grant={grant}
            verb="Sign delegation"
            failed="The signature was not accepted."
            actions={actions}
            onDone={() => open(grant.delegationId)}
            onCancel={() => setGrant(undefined)}
            isLeaving={isLeaving}
          />
        ) : (
          values.backing !== NEW_CARD && (
            <Button
              look="primary"
              size="big"
              isPending={form.isPending || isLeaving}
              onClick={form.submit}
            >
              Create delegation
            </Button>
          )
        )}
      </Card>
    </FormProvider>
  );
}

const coverText = ({ planIds }: DelegationValues, plans: BindablePlan[]): string =>
  planIds.length === 0
    ? "It covers any plan."
    : `It covers ${listed(
        planIds.map((planId) => `“${planName(plans, planId)}”`),
        "and",
      )} only.`;

type DelegationFieldsProps = DelegationFormProps & { values: DelegationValues };

function DelegationFields({ values, ...props }: DelegationFieldsProps) {
  const { account, cards, takesCards = true, plans, now, actions } = props;
  const { register, setValue, formState } = useFormContext<DelegationValues>();
  const { backing } = values;
  const name = values.name.trim();
  const card = cards.find(({ id }) => id === backing);
  const currency = shownUnit(values);
  const { limits } = { limits: undefined, ...readLimits(values, currency) };
  return (
    <>
      <TextField
        label="Name"
        isOptional
        hint="Only you see this name."
        error={formState.errors.name?.message}
        {...register("name")}
        autoComplete="off"
        placeholder="Research bot"
      />
      <LimitFields draft={values} currency={currency} hasPresets />
      {takesCards && (
        <CardPicker
          label="Payment method"
          look="cards"
          name="backing"
          value={backing}
          onValueChange={(id) => setValue("backing", id)}
          before={[
            { value: ACCOUNT, label: accountText(account), detail: "Stablecoins on chain." },
          ]}
          cards={cards}
          now={now}
          actions={actions}
          hasTestCards={props.hasTestCards}
          adding="plain"
        />
      )}
      <LimitSentence
        backing={backing === ACCOUNT ? "your account" : card ? cardText(card) : "card"}
        limits={limits}
        currency={currency}
        now={now}
        who={name ? `“${name}”` : "Agents"}
      >
        {coverText(values, plans)}
      </LimitSentence>
      <DelegationAdvanced values={values} limits={limits} plans={plans} now={now} />
    </>
  );
}

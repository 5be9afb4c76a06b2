"use client";

import type { GrantToSign } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import type { SavedCard } from "../checkout/card-order.tsx";
import { AddCard, type CardActions } from "../payment-methods/add-card.tsx";
import { cardChoice, cardText } from "../payment-methods/card-text.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Checkbox } from "../ui/fields/checkbox.tsx";
import { Field } from "../ui/fields/field.tsx";
import { RadioGroup } from "../ui/fields/radio-group.tsx";
import { Select } from "../ui/fields/select.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { createLater } from "../ui/later.ts";
import { Notice } from "../ui/notice.tsx";
import { backingText } from "./backing-text.ts";
import { LimitFields } from "./limit-fields.tsx";
import { LimitSentence } from "./limit-sentence.tsx";
import type { LimitDraft, Limits } from "./read-limits.ts";
import { type SimulatedPlan, SpendSimulator } from "./spend-simulator.tsx";
import { useLimits } from "./use-limits.ts";

const GrantSigner = createLater(() =>
  import("../wallet/grant-signer.tsx").then((it) => it.default),
).Part;

const ACCOUNT = "account";
const NEW = "new";
const CURRENCIES = ["usd", "eur", "gbp"];

type Failure = { code: string; message: string; hint: string };
type Answer<T> = { ok: true; data: T } | ({ ok: false } & Failure);
type NewDelegation = Limits & {
  provider: "erc4337" | "card-processor";
  providerPaymentMethodId?: string;
  currency: string;
  planIds: string[];
  name?: string;
};

export type DelegationFormProps = {
  account: string;
  cards: SavedCard[];
  hasTestCards: boolean;
  /** Plans it may be bound to. */
  plans: (SimulatedPlan & { isCard: boolean })[];
  first: {
    draft: LimitDraft;
    name: string;
    cardId?: string | undefined;
    planIds: string[];
    currency: string;
  };
  /** The delegation this one follows. */
  renews?: string | undefined;
  now: string;
  actions: CardActions & {
    createDelegation: (
      input: NewDelegation,
    ) => Promise<Answer<{ delegationId: string; grant?: GrantToSign | undefined }>>;
    submitGrantSignature: (input: {
      delegationId: string;
      signature: string;
    }) => Promise<Answer<unknown>>;
  };
};

/** Three fields and a sentence that says what they grant; the rest under Advanced. */
export function DelegationForm(props: DelegationFormProps) {
  const { account, cards, plans, first, now, actions } = props;
  const router = useRouter();
  const typed = useLimits(first.draft);
  const [backing, setBacking] = useState(first.cardId ?? ACCOUNT);
  const [name, setName] = useState(first.name);
  const [currency, setCurrency] = useState(first.currency);
  const [planIds, setPlanIds] = useState(first.planIds);
  const [grant, setGrant] = useState<GrantToSign | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isPending, setPending] = useState(false);
  const [isLeaving, leave] = useTransition();

  const isCard = backing !== ACCOUNT;
  const card = cards.find(({ id }) => id === backing);
  const code = (isCard ? currency : "usd").toUpperCase();
  const { reading } = typed;
  const fitting = plans.filter((plan) => plan.isCard === isCard);
  const bound = planIds.filter((planId) => fitting.some((plan) => plan.planId === planId));

  const open = (delegationId: string) => leave(() => router.push(`/delegations/${delegationId}`));
  const create = async () => {
    if (isPending || isLeaving) return;
    setFailure(null);
    const limits = typed.ask();
    if (!limits) return;
    setPending(true);
    const created = await actions.createDelegation({
      ...limits,
      provider: isCard ? "card-processor" : "erc4337",
      ...(card && { providerPaymentMethodId: card.id }),
      currency: isCard ? currency : "usd",
      planIds: bound,
      ...(name.trim() && { name: name.trim() }),
    });
    setPending(false);
    if (!created.ok) return setFailure(created);
    if (created.data.grant) return setGrant(created.data.grant);
    open(created.data.delegationId);
  };
  const handIn = async (signature: string) => {
    if (!grant) return;
    const { delegationId } = grant;
    setPending(true);
    const begun = await actions.submitGrantSignature({ delegationId, signature });
    setPending(false);
    if (!begun.ok) return setFailure(begun);
    open(delegationId);
  };

  return (
    <Card className="grid gap-6">
      <Field label="Name" isOptional hint="For you alone: after what will spend it.">
        <TextInput
          name="name"
          autoComplete="off"
          maxLength={80}
          placeholder="Research bot"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <LimitFields {...typed.fields} currency={code} hasPresets />
      <RadioGroup
        label="Backed by"
        look="cards"
        name="backing"
        value={backing}
        onValueChange={setBacking}
        options={[
          { value: ACCOUNT, label: backingText(account), detail: "Stablecoins on chain." },
          ...cards.map((saved) => cardChoice(saved, now)),
          { value: NEW, label: "New card" },
        ]}
      />
      {backing === NEW && (
        <AddCard
          actions={actions}
          hasTestCards={props.hasTestCards}
          consequence="No delegation was created."
          look="plain"
          onAdded={(id) => {
            setBacking(id);
            router.refresh();
          }}
        />
      )}
      <LimitSentence
        backing={isCard ? (card ? cardText(card) : "card") : "your account"}
        limits={reading.faults ? undefined : reading.limits}
        currency={code}
        now={now}
        who={name.trim() ? `‘${name.trim()}’` : "Agents"}
      />
      <details>
        <summary className="min-h-6 cursor-pointer text-label">Advanced</summary>
        <div className="mt-3 grid gap-4">
          {isCard && (
            <Field label="Currency" hint="The plan’s price has to be in it.">
              <Select
                value={currency}
                onValueChange={setCurrency}
                options={CURRENCIES.map((value) => ({ value, label: value.toUpperCase() }))}
              />
            </Field>
          )}
          <fieldset className="grid gap-1.5">
            <legend className="mb-1.5 text-label">Only for these plans</legend>
            {fitting.length === 0 && (
              <p className="text-ink-2 text-note">
                You have no plan that is paid this way. It is good for any plan then.
              </p>
            )}
            {fitting.map((plan) => (
              <Checkbox
                key={plan.planId}
                label={plan.name}
                checked={planIds.includes(plan.planId)}
                onChange={(event) =>
                  setPlanIds((ids) =>
                    event.target.checked
                      ? [...ids, plan.planId]
                      : ids.filter((id) => id !== plan.planId),
                  )
                }
              />
            ))}
            {fitting.length > 0 && bound.length === 0 && (
              <p className="text-ink-2 text-note">None picked: any plan.</p>
            )}
          </fieldset>
        </div>
      </details>
      <details>
        <summary className="min-h-6 cursor-pointer text-label">How long will this last?</summary>
        <div className="mt-3">
          {reading.faults ? (
            <p className="text-ink-2">Mend the limits first.</p>
          ) : (
            <SpendSimulator
              key={String(isCard)}
              plans={fitting}
              currency={code}
              now={now}
              limits={{
                leftCents: BigInt(reading.limits.spendingLimitCents),
                chargesLeft:
                  reading.limits.maxTransactions === undefined
                    ? null
                    : BigInt(reading.limits.maxTransactions),
                leftSecs: reading.limits.durationSecs,
              }}
            />
          )}
        </div>
      </details>
      {props.renews && (
        <Notice tone="info" title={`‘${props.renews}’ stays as it is.`}>
          The new one has a key of its own: mint new tokens under it, then revoke the old one.
        </Notice>
      )}
      {failure && (
        <Notice tone="refused" role="alert" title="No delegation was created." code={failure.code}>
          {failure.message} {failure.hint}
        </Notice>
      )}
      {grant ? (
        <GrantSigner
          grant={grant}
          verb="Sign delegation"
          isPending={isPending || isLeaving}
          onSigned={handIn}
          onCancel={() => setGrant(null)}
        />
      ) : (
        backing !== NEW && (
          <Button look="primary" size="big" isPending={isPending || isLeaving} onClick={create}>
            Create delegation
          </Button>
        )
      )}
    </Card>
  );
}

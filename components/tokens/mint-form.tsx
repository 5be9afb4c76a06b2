"use client";

import type { GrantToSign } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { LENGTHS } from "../delegations/limit-fields.tsx";
import { usualLimit } from "../delegations/read-limits.ts";
import { TokenLimits } from "../delegations/token-limits.tsx";
import { focusField, useLimits } from "../delegations/use-limits.ts";
import { AddCard } from "../payment-methods/add-card.tsx";
import { cardChoice, cardText, expiryOf } from "../payment-methods/card-text.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Field } from "../ui/fields/field.tsx";
import { RadioGroup } from "../ui/fields/radio-group.tsx";
import { Select } from "../ui/fields/select.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { createLater } from "../ui/later.ts";
import { Notice } from "../ui/notice.tsx";
import {
  AUTOMATIC,
  agentOptions,
  countFault,
  delegationOptions,
  type Failure,
  type Minted,
  type MintFormProps,
  NEW,
} from "./mint-terms.ts";
import { MintedTokenCard } from "./minted-token.tsx";

const GrantSigner = createLater(() =>
  import("../wallet/grant-signer.tsx").then((it) => it.default),
).Part;

const DAY = 86_400;
const ANY = "any";
const WITH_DELEGATION = "0";

/** For which agent, under which delegation; sensible answers are given already. */
export function MintForm(props: MintFormProps) {
  const { planId, planName, isFree, isCard, agents, delegations, cards, actions, now } = props;
  const router = useRouter();
  const knownAgent = agents.find(({ agentId }) => agentId === props.firstAgent) ?? agents[0];
  const [agentId, setAgentId] = useState(knownAgent?.agentId ?? ANY);
  // An own wallet signs nothing for a free plan: there is nothing to spend.
  const mustSign = props.isOwnWallet && !isCard && !isFree;
  const [under, setUnder] = useState(
    delegations.find((each) => each.delegationId === props.firstDelegation)?.delegationId ??
      delegations[0]?.delegationId ??
      (isFree ? AUTOMATIC : NEW),
  );
  const usable = cards.filter((card) => expiryOf(card, new Date(now)) !== "expired");
  const [cardId, setCardId] = useState(
    (usable.find(({ isDefault }) => isDefault) ?? usable[0])?.id ?? NEW,
  );
  const cost = BigInt(props.costCents ?? "0");
  const typed = useLimits(
    { limit: usualLimit(cost), durationSecs: 7 * DAY, maxTransactions: "" },
    cost,
  );
  const [life, setLife] = useState(String(DAY));
  const [calls, setCalls] = useState("");
  const [callsFault, setCallsFault] = useState<string>();
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [grant, setGrant] = useState<GrantToSign | null>(null);
  const [minted, setMinted] = useState<Minted | null>(null);

  const agent = agents.find((each) => each.agentId === agentId);
  const card = cards.find(({ id }) => id === cardId);
  const needsCard =
    isCard && under !== AUTOMATIC && !delegations.some((each) => each.delegationId === under);
  const isNew = under === NEW;
  const { reading } = typed;
  const code = props.currency.toUpperCase();

  const mintUnder = async (delegationId?: string) => {
    const named =
      delegationId ?? delegations.find((each) => each.delegationId === under)?.delegationId;
    const answered = await actions.mintToken({
      planId,
      ...(agent && { agentId: agent.agentId }),
      ...(named && { delegationId: named }),
      ...(!named &&
        isNew &&
        !reading.faults && {
          limits: {
            ...reading.limits,
            currency: props.currency,
            ...(card && { providerPaymentMethodId: card.id }),
          },
        }),
      ...(life !== WITH_DELEGATION ? { lifeSecs: Number(life) } : { lifeSecs: 10 * 365 * DAY }),
      ...(calls.trim() && { redemptionLimit: Number(calls) }),
    });
    if (!answered.ok) return setFailure(answered);
    setMinted(answered.data);
  };

  const mint = async () => {
    if (isPending) return;
    setFailure(null);
    const wrongCalls = countFault(calls);
    setCallsFault(wrongCalls);
    const limits = isNew ? typed.ask() : undefined;
    if (isNew && !limits) return;
    if (wrongCalls) return focusField("redemptionLimit");
    setPending(true);
    if (limits && mustSign) {
      const prepared = await actions.prepareGrant({
        provider: "erc4337",
        planIds: [planId],
        name: `Tokens of ${planName}`.slice(0, 80),
        ...limits,
      });
      if (!prepared.ok) setFailure(prepared);
      else if (prepared.data.grant) setGrant(prepared.data.grant);
      else await mintUnder(prepared.data.delegationId);
    } else await mintUnder();
    setPending(false);
  };

  const handIn = async (signature: string) => {
    if (!grant) return;
    setPending(true);
    const { delegationId } = grant;
    const accepted = await actions.submitGrantSignature({ delegationId, signature });
    if (accepted.ok) await mintUnder(delegationId);
    else setFailure(accepted);
    setPending(false);
  };

  if (minted) {
    return (
      <MintedTokenCard
        {...minted}
        planId={planId}
        planName={planName}
        agent={agent}
        onAnother={() => {
          setMinted(null);
          setGrant(null);
          router.refresh();
        }}
      />
    );
  }
  return (
    <Card className="grid gap-6">
      <RadioGroup
        label="Agent"
        name="agent"
        value={agentId}
        onValueChange={setAgentId}
        options={[...agentOptions(agents), { value: ANY, label: "Any agent of this plan" }]}
      />
      <RadioGroup
        label="Delegation"
        name="delegation"
        value={under}
        onValueChange={(value) => {
          setUnder(value);
          setFailure(null);
        }}
        options={delegationOptions(props, typed.fields.draft, mustSign)}
      />
      {isNew && (
        <div className="grid gap-4 border-line border-s-2 ps-4">
          <TokenLimits
            typed={typed}
            currency={code}
            backing={isCard ? (card ? cardText(card) : "card") : "your account"}
            now={now}
          />
        </div>
      )}
      {needsCard && cards.length > 0 && (
        <RadioGroup
          label="Card"
          name="card"
          value={cardId}
          onValueChange={setCardId}
          options={[
            ...cards.map((saved) => cardChoice(saved, now)),
            { value: NEW, label: "New card" },
          ]}
        />
      )}
      {needsCard && cardId === NEW && (
        <AddCard
          actions={actions}
          hasTestCards={props.hasTestCards}
          consequence="No delegation was created."
          look={cards.length === 0 ? "primary" : "plain"}
          onAdded={(id) => {
            setCardId(id);
            router.refresh();
          }}
        />
      )}
      <details>
        <summary className="min-h-6 cursor-pointer text-label">Advanced</summary>
        <div className="mt-3 grid gap-4 sm:grid-cols-2">
          <Field label="Token ends after" hint="Never later than its delegation.">
            <Select
              options={[...LENGTHS, { value: WITH_DELEGATION, label: "With its delegation" }]}
              value={life}
              onValueChange={setLife}
            />
          </Field>
          <Field label="Most calls" isOptional error={callsFault}>
            <TextInput
              name="redemptionLimit"
              inputMode="numeric"
              autoComplete="off"
              placeholder="1000"
              value={calls}
              onChange={(event) => {
                setCalls(event.target.value);
                setCallsFault(undefined);
              }}
            />
          </Field>
        </div>
      </details>
      {failure && (
        <div role="alert">
          <Notice tone="refused" title="No token was minted." code={failure.code}>
            {failure.message} {failure.hint}
          </Notice>
        </div>
      )}
      {grant ? (
        <GrantSigner
          grant={grant}
          verb="Sign and mint"
          isPending={isPending}
          onSigned={handIn}
          onCancel={() => setGrant(null)}
        />
      ) : (
        !(needsCard && cardId === NEW) && (
          <Button look="primary" size="big" isPending={isPending} onClick={mint}>
            {isNew && mustSign ? "Read what you sign" : "Mint"}
          </Button>
        )
      )}
    </Card>
  );
}

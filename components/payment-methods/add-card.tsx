"use client";

import type { CardSetup } from "@turnpike/payments/protocol";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { createLater } from "../ui/later.ts";
import { Notice } from "../ui/notice.tsx";
import { CopyButton } from "../ui/values/copy-button.tsx";
import { findTestCard, TEST_CARDS } from "./test-cards.ts";

const StripeCard = createLater(() => import("./stripe-card.tsx").then((it) => it.default)).Part;

type Failure = { code: string; message: string; hint: string };
type Answer<T> = { ok: true; data: T } | ({ ok: false } & Failure);

export type CardActions = {
  addPaymentMethod: (testCard?: string) => Promise<Answer<CardSetup>>;
  finishPaymentMethod: (setupIntentId: string) => Promise<Answer<CardSetup>>;
};

export type AddCardProps = {
  actions: CardActions;
  /** The sandbox has its own processor, which knows test cards and no card fields. */
  hasTestCards: boolean;
  /** What would have come of the card: "No delegation was created." */
  consequence: string;
  look?: "primary" | "plain";
  onAdded: (paymentMethodId: string) => void | Promise<void>;
};

/** Saves a card: through Stripe's own fields, or by the number of a test card. */
export function AddCard(props: AddCardProps) {
  return props.hasTestCards ? <TestCard {...props} /> : <RealCard {...props} />;
}

function TestCard({ actions, consequence, look = "primary", onAdded }: AddCardProps) {
  const [number, setNumber] = useState<string>(TEST_CARDS[0].number);
  const [fault, setFault] = useState("");
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isPending, setPending] = useState(false);
  const [waiting, setWaiting] = useState<CardSetup | null>(null);
  const take = async (setup: CardSetup) => {
    setWaiting(setup.status === "requires_action" ? setup : null);
    if (setup.status === "succeeded" && setup.paymentMethodId) await onAdded(setup.paymentMethodId);
  };
  const finish = async () => {
    if (!waiting) return;
    setPending(true);
    const finished = await actions.finishPaymentMethod(waiting.setupIntentId);
    if (finished.ok) await take(finished.data);
    else setFailure(finished);
    setPending(false);
  };
  const save = async () => {
    const testCard = findTestCard(number);
    setFailure(null);
    if (!testCard) return setFault("The sandbox takes its test cards only; pick one below.");
    setFault("");
    setPending(true);
    const added = await actions.addPaymentMethod(testCard);
    if (added.ok) await take(added.data);
    else setFailure(added);
    setPending(false);
  };
  return (
    <div className="grid gap-3">
      <Field label="Card number" error={fault}>
        <TextInput
          name="testCard"
          inputMode="numeric"
          autoComplete="off"
          isMono
          value={number}
          onChange={(event) => setNumber(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && void save()}
        />
      </Field>
      <div>
        <p className="text-label">
          Test cards <span className="font-normal text-ink-2">Sandbox only</span>
        </p>
        <ul>
          {TEST_CARDS.map((card) => (
            <li
              key={card.name}
              className="flex min-h-9 items-center gap-3 border-line not-last:border-b"
            >
              <button
                type="button"
                onClick={() => setNumber(card.number)}
                className="link min-h-6 font-mono text-note max-sm:min-h-(--hit)"
              >
                {card.number}
              </button>
              <span className="ms-auto text-end text-ink-2 text-note">{card.does}</span>
              <CopyButton text={card.number.replaceAll(" ", "")} label={`Copy ${card.number}`} />
            </li>
          ))}
        </ul>
      </div>
      {failure && <Declined failure={failure} consequence={consequence} />}
      {waiting?.confirmationUrl ? (
        <Notice
          tone="unsettled"
          role="status"
          title="Your bank wants you to confirm this card."
          action={
            <Button look={look} isPending={isPending} onClick={finish}>
              I have confirmed
            </Button>
          }
        >
          <a href={waiting.confirmationUrl} target="_blank" rel="noreferrer" className="link">
            Confirm with your bank<span className="sr-only">, opens in a new tab</span>
          </a>
        </Notice>
      ) : (
        <Button look={look} isPending={isPending} onClick={save}>
          Save card
        </Button>
      )}
    </div>
  );
}

function RealCard({ actions, consequence, look, onAdded }: AddCardProps) {
  const [setup, setSetup] = useState<CardSetup | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isPending, setPending] = useState(false);
  const begin = async () => {
    setPending(true);
    setFailure(null);
    const begun = await actions.addPaymentMethod();
    setPending(false);
    if (begun.ok) setSetup(begun.data);
    else setFailure(begun);
  };
  const finish = async () => {
    if (!setup) return;
    const finished = await actions.finishPaymentMethod(setup.setupIntentId);
    if (!finished.ok) return setFailure(finished);
    if (finished.data.paymentMethodId) await onAdded(finished.data.paymentMethodId);
  };
  return (
    <div className="grid gap-3">
      {setup ? (
        <StripeCard
          setup={setup}
          onConfirmed={finish}
          onRefused={(message) => setFailure({ code: "card_declined", message, hint: "" })}
        />
      ) : (
        <Button look={look} isPending={isPending} onClick={begin}>
          Enter card
        </Button>
      )}
      {failure && <Declined failure={failure} consequence={consequence} />}
    </div>
  );
}

/** The bank's own words, and that nothing came of it. */
export function Declined({ failure, consequence }: { failure: Failure; consequence: string }) {
  const isDecline = failure.code === "payment_refused" || failure.code === "card_declined";
  return (
    <div role="alert">
      <Notice
        tone="refused"
        code={failure.code}
        title={
          isDecline
            ? `Your bank declined the card: ${failure.message} ${consequence}`
            : `The card was not saved. ${consequence}`
        }
      >
        {isDecline ? "Use another card." : `${failure.message} ${failure.hint}`}
      </Notice>
    </div>
  );
}

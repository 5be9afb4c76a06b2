import type { CardSetup } from "@turnpike/payments/protocol";
import { type KeyboardEvent, useState } from "react";
import type { ActionAnswer, ActionError, OperationAction } from "../forms/action-answer.ts";
import { useOperationForm } from "../forms/use-operation-form.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/fields/text-field.tsx";
import { createLater } from "../ui/later.ts";
import { LiveButton } from "../ui/live-button.tsx";
import { Notice } from "../ui/notice.tsx";
import { CopyButton } from "../ui/values/copy-button.tsx";
import { progressOf, type SetupProgress } from "./card-setup-progress.ts";

const StripeCard = createLater(() => import("./stripe-card.tsx"), "default").Part;

type CardError = Pick<ActionError, "message" | "hint"> & { code: string };

export type CardActions = {
  addPaymentMethod: (testCard?: string) => Promise<ActionAnswer<CardSetup>>;
  finishPaymentMethod: OperationAction<"finishPaymentMethod">;
};

export type AddCardProps = {
  actions: CardActions;
  /** The sandbox's own processor accepts test cards only, and has no card fields. */
  hasTestCards: boolean;
  look?: "primary" | "plain";
  onAdded: (paymentMethodId: string) => void;
};

/** Saves a card: through Stripe's own fields, or by the number of a test card. */
export function AddCard(props: AddCardProps) {
  return props.hasTestCards ? <TestCard {...props} /> : <RealCard {...props} />;
}

function TestCard({ actions, look = "primary", onAdded }: AddCardProps) {
  const [declined, setDeclined] = useState<CardError>();
  const [waiting, setWaiting] = useState<CardSetup>();
  const form = useOperationForm({
    defaultValues: { number: TEST_CARDS[0].number as string },
    run: ({ number }) => {
      setDeclined(undefined);
      return waiting
        ? actions.finishPaymentMethod({ setupIntentId: waiting.setupIntentId })
        : actions.addPaymentMethod(findTestCard(number));
    },
    onDone: (setup) => {
      setWaiting(setup.status === "requires_action" ? setup : undefined);
      if (setup.status === "succeeded" && setup.paymentMethodId) onAdded(setup.paymentMethodId);
    },
    onError: setDeclined,
  });
  // It is often part of another form, which Enter must not submit.
  const saveByKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (!form.isPending) void form.submit();
  };
  const save = (words: string) => (
    <Button look={look} isPending={form.isPending} onClick={form.submit}>
      {words}
    </Button>
  );
  return (
    <div className="grid gap-3">
      <TextField
        label="Card number"
        error={form.formState.errors.number?.message}
        {...form.register("number", {
          validate: (number) =>
            findTestCard(number) !== undefined ||
            "The sandbox accepts test cards only. Pick one below.",
        })}
        inputMode="numeric"
        isMono
        onKeyDown={saveByKey}
      />
      <TestCardList
        onPick={(number) => form.setValue("number", number, { shouldValidate: true })}
      />
      <NotSaved error={declined} failure={form.failure} />
      {waiting?.confirmationUrl ? (
        <Notice
          tone="unsettled"
          role="status"
          title="Your bank asks you to confirm this card."
          action={save("I have confirmed")}
        >
          <a href={waiting.confirmationUrl} target="_blank" rel="noreferrer" className="link">
            Confirm with your bank<span className="sr-only">, opens in a new tab</span>
          </a>
        </Notice>
      ) : (
        save("Save card")
      )}
    </div>
  );
}

function RealCard({ actions, look, onAdded }: AddCardProps) {
  const [setup, setSetup] = useState<CardSetup>();
  const [progress, setProgress] = useState<SetupProgress>("entering");
  const [declined, setDeclined] = useState<CardError>();
  const form = useOperationForm({
    defaultValues: {},
    run: () => {
      setDeclined(undefined);
      return setup
        ? actions.finishPaymentMethod({ setupIntentId: setup.setupIntentId })
        : actions.addPaymentMethod();
    },
    onDone: (data) => {
      if (!setup) return setSetup(data);
      const next = data.paymentMethodId ? "saved" : progressOf(data);
      const isOver = next === "saved" || next === "canceled";
      setProgress(isOver ? "entering" : next);
      if (isOver) setSetup(undefined);
      if (data.paymentMethodId) onAdded(data.paymentMethodId);
      if (next === "canceled" || next === "entering") setDeclined(NOT_CONFIRMED);
    },
    onError: setDeclined,
  });
  const button = (words: string) => (
    <Button look={look} isPending={form.isPending} onClick={form.submit}>
      {words}
    </Button>
  );
  const isEntering = progress === "entering";
  return (
    <div className="grid gap-3">
      {!setup && button("Enter card")}
      {setup && isEntering && (
        <StripeCard
          setup={setup}
          onConfirmed={() => {
            // Stripe confirms a setup once: from here on only finishing it is repeated.
            setProgress("confirmed");
            return form.submit();
          }}
          onRefused={setDeclined}
        />
      )}
      {progress === "checking" && (
        <Notice
          tone="unsettled"
          role="status"
          title="Your bank is checking the card."
          action={button("Check again")}
        >
          You don’t need to enter it again.
        </Notice>
      )}
      {progress === "confirmed" && button("Finish saving card")}
      <NotSaved error={declined} failure={form.failure} isConfirmed={!isEntering} />
    </div>
  );
}

const NOT_CONFIRMED: CardError = {
  code: "not_confirmed",
  message: "The card was not confirmed.",
  hint: "Enter it again.",
};

type NotSavedProps = {
  error: CardError | undefined;
  failure: string | undefined;
  /** Whether Stripe has the card already. */
  isConfirmed?: boolean;
};

/** Why the card was not saved: the bank's own words, or what went wrong on the way. */
function NotSaved({ error, failure, isConfirmed }: NotSavedProps) {
  if (!error && !failure) return null;
  const isDecline = error?.code === "payment_refused" || error?.code === "card_declined";
  return (
    <div role="alert">
      <Notice
        tone="refused"
        {...(error && { code: error.code })}
        title={
          isDecline
            ? "Your bank declined this card."
            : isConfirmed
              ? "The card was confirmed, but it isn’t known whether it was saved."
              : "The card was not saved."
        }
      >
        {isDecline
          ? error.message.replace("The card was declined. ", "")
          : error
            ? `${error.message} ${error.hint}`
            : failure}
      </Notice>
    </div>
  );
}

/** The sandbox's test cards, each with what it does; a number is picked by pressing it. */
function TestCardList({ onPick }: { onPick: (number: string) => void }) {
  return (
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
            <LiveButton
              onClick={() => onPick(card.number)}
              className="link min-h-6 font-mono text-note max-sm:min-h-(--hit)"
            >
              {card.number}
            </LiveButton>
            <span className="ms-auto text-end text-ink-2 text-note">{card.does}</span>
            <CopyButton text={card.number.replaceAll(" ", "")} label={`Copy ${card.number}`} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The sandbox’s test cards, each for one outcome. */
const TEST_CARDS = [
  { number: "4242 4242 4242 4242", name: "pm_card_visa", does: "Succeeds" },
  { number: "4000 0000 0000 0002", name: "pm_card_chargeDeclined", does: "Declined when saved" },
  {
    number: "4000 0000 0000 0341",
    name: "pm_card_chargeCustomerFail",
    does: "Declined when charged",
  },
  {
    number: "4000 0027 6000 3184",
    name: "pm_card_authenticationRequired",
    does: "Requires 3-D Secure",
  },
] as const;

const digits = (text: string) => text.replaceAll(/[\s-]/g, "");

const findTestCard = (number: string): string | undefined =>
  TEST_CARDS.find((card) => digits(card.number) === digits(number))?.name;

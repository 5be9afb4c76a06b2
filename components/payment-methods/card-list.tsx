"use client";

import type { CardRemoval, Renewal } from "@turnpike/payments/protocol";
import { useEffect, useState } from "react";
import type { ActionAnswer, OperationAction } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { EffectsSkeleton, OperationDialog } from "../forms/operation-dialog.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { createLater } from "../ui/later.ts";
import { Notice } from "../ui/notice.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { PageHeader } from "../ui/page-header.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { Tag } from "../ui/values/tag.tsx";
import type { CardActions } from "./add-card.tsx";
import { cardText, expiryOf, expiryText, type SavedCard } from "./card-text.ts";
import { removalEffects } from "./removal-effects.ts";

// Fetched when it is opened: it carries the form library.
const AddCard = createLater(() => import("./add-card.tsx"), "AddCard");

type CardListProps = {
  cards: SavedCard[];
  hasTestCards: boolean;
  now: string;
  /** Renewals that are on. */
  renewals: Pick<Renewal, "delegationId" | "planName">[];
  actions: CardActions & RemoveActions & { setDefaultPaymentMethod: SetDefault };
};

export function CardList({ cards, hasTestCards, now, renewals, actions }: CardListProps) {
  const [isAdding, setAdding] = useState(false);
  const Fields = AddCard.usePart(isAdding, () => setAdding(false));
  const [removing, setRemoving] = useState<SavedCard | null>(null);
  const expiring = cards.filter((card) => expiryOf(card, new Date(now)) === "soon");
  const add = (
    <Button look="primary" {...AddCard.near} onClick={() => setAdding(true)}>
      Add card
    </Button>
  );
  return (
    <>
      <PageHeader title="Cards" actions={cards.length > 0 && add}>
        Used by card plans and their delegations. Card numbers stay with the payment processor.
      </PageHeader>
      <div className="grid max-w-180 gap-4">
        {expiring.map((card) => (
          <Notice
            key={card.id}
            tone="unsettled"
            title={`${cardText(card)} expires ${expiryText(card)}.`}
          >
            Its delegations stop working then. Add a new card and renew them.
          </Notice>
        ))}
        {cards.length === 0 ? (
          <div className="rounded-card border border-line bg-surface">
            <Empty kind="first" headingLevel={2} title="No cards yet" actions={add}>
              Add a card to pay for card plans, within the limits you set.
            </Empty>
          </div>
        ) : (
          <ul
            aria-label="Saved cards"
            className="overflow-hidden rounded-card border border-line bg-surface"
          >
            {cards.map((card) => (
              <CardRow
                key={card.id}
                card={card}
                now={now}
                setDefault={actions.setDefaultPaymentMethod}
                onRemove={() => setRemoving(card)}
              />
            ))}
          </ul>
        )}
      </div>
      {Fields && (
        <Dialog
          isOpen={isAdding}
          onClose={() => setAdding(false)}
          title="Add card"
          description="You won’t be charged for saving a card."
        >
          <Fields
            actions={actions}
            hasTestCards={hasTestCards}
            onAdded={() => {
              setAdding(false);
              toast("Card saved");
            }}
          />
          <Button onClick={() => setAdding(false)}>Cancel</Button>
        </Dialog>
      )}
      {removing && (
        <RemoveCard card={removing} {...{ renewals, actions }} onClose={() => setRemoving(null)} />
      )}
    </>
  );
}

type SetDefault = OperationAction<"setDefaultPaymentMethod">;

type CardRowProps = { card: SavedCard; now: string; setDefault: SetDefault; onRemove: () => void };

function CardRow({ card, now, setDefault, onRemove }: CardRowProps) {
  const change = useOperation();
  const expiry = expiryOf(card, new Date(now));
  const name = cardText(card);
  const changed = () => {
    toast(`${name} is now the default`);
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line px-4 py-3 not-first:border-t">
      <Icon name="card" className="size-4.5 text-ink-2" />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2 font-medium">
          <span className="whitespace-nowrap">{name}</span>
          {card.isDefault && <Tag>Default</Tag>}
        </span>
        <span className="text-ink-2 text-note tabular-nums">Expires {expiryText(card)}</span>
      </span>
      {expiry === "expired" && <StatePill state="Expired" />}
      {expiry === "soon" && (
        <StatePill tone="warn" icon="clock">
          Expires soon
        </StatePill>
      )}
      <span className="flex gap-2 max-sm:basis-full">
        {!card.isDefault && expiry !== "expired" && (
          <Button
            size="small"
            isPending={change.isPending}
            aria-label={`Make ${name} the default`}
            onClick={() => void change.run(() => setDefault({ paymentMethodId: card.id }), changed)}
          >
            Make default
          </Button>
        )}
        <Button size="small" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </Button>
      </span>
      {change.failure && (
        <div className="w-full">
          <FailureNotice title="The default card was not changed." of={change} />
        </div>
      )}
    </li>
  );
}

type Removal = (paymentMethodId: string) => Promise<ActionAnswer<CardRemoval>>;

type RemoveActions = { previewRemoval: Removal; removePaymentMethod: Removal };

type RemoveCardProps = Pick<CardListProps, "renewals"> & {
  card: { id: string; brand: string; last4: string };
  actions: RemoveActions;
  onClose: () => void;
};

/** Asks before a card is removed; the service says what is revoked with it. */
function RemoveCard({ card, renewals, actions, onClose }: RemoveCardProps) {
  const [removal, setRemoval] = useState<CardRemoval | null>(null);
  const { run, isPending, ...preview } = useOperation();
  const name = cardText(card);

  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, when the dialog opens.
  useEffect(() => void run(() => actions.previewRemoval(card.id), setRemoval), []);

  return (
    <OperationDialog
      title={`Remove ${name}?`}
      description="It won’t be charged again. To use it later, add it again."
      {...(removal && { effects: removalEffects(removal, renewals) })}
      safe="Keep it"
      verb="Remove card"
      failed="The card was not removed."
      unknown="Remove it again: you can repeat this safely."
      run={() => actions.removePaymentMethod(card.id)}
      onDone={() => toast(`${name} was removed`)}
      onClose={onClose}
    >
      {!removal && !preview.failure && <EffectsSkeleton />}
      <FailureNotice title="The effects could not be loaded." unknown={null} of={preview} />
    </OperationDialog>
  );
}

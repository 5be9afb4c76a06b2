"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Notice } from "../ui/notice.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { PageHeader } from "../ui/page-header.tsx";
import { AddCard, type CardActions } from "./add-card.tsx";
import { CardRow, type SetDefault } from "./card-row.tsx";
import { cardText, expiryOf, expiryText, type SavedCard } from "./card-text.ts";
import { type RemoveActions, RemoveCard } from "./remove-card.tsx";

type CardListProps = {
  cards: SavedCard[];
  hasTestCards: boolean;
  now: string;
  actions: CardActions & RemoveActions & { setDefaultPaymentMethod: SetDefault };
};

/** The saved cards: which is the default, which expires soon, and the buttons to add and remove one. */
export function CardList({ cards, hasTestCards, now, actions }: CardListProps) {
  const router = useRouter();
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<SavedCard | null>(null);
  const expiring = cards.filter((card) => expiryOf(card, new Date(now)) === "soon");
  const add = (
    <Button look="primary" onClick={() => setAdding(true)}>
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
      <Dialog
        isOpen={isAdding}
        onOpenChange={setAdding}
        title="Add card"
        description="You won’t be charged for saving a card."
      >
        <AddCard
          actions={actions}
          hasTestCards={hasTestCards}
          onAdded={() => {
            setAdding(false);
            toast("Card saved");
            router.refresh();
          }}
        />
      </Dialog>
      {removing && (
        <RemoveCard card={removing} actions={actions} onClose={() => setRemoving(null)} />
      )}
    </>
  );
}

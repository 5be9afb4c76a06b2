"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import type { SavedCard } from "../checkout/card-order.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { PageHeader } from "../ui/page-header.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { Tag } from "../ui/values/tag.tsx";
import { AddCard, type CardActions } from "./add-card.tsx";
import { cardText, expiryOf, expiryText } from "./card-text.ts";
import { type RemoveActions, RemoveCard } from "./remove-card.tsx";

type CardListProps = {
  cards: SavedCard[];
  hasTestCards: boolean;
  now: string;
  actions: CardActions &
    RemoveActions & {
      setDefaultPaymentMethod: (
        id: string,
      ) => Promise<{ ok: true } | { ok: false; message: string; hint: string }>;
    };
};

/** The saved cards: which one is charged when none is named, which one expires, and what goes with one. */
export function CardList({ cards, hasTestCards, now, actions }: CardListProps) {
  const router = useRouter();
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<SavedCard | null>(null);
  const [changing, setChanging] = useState("");
  const [failure, setFailure] = useState("");
  const soon = cards.filter((card) => expiryOf(card, new Date(now)) === "soon");

  const makeDefault = async (card: SavedCard) => {
    setChanging(card.id);
    setFailure("");
    const changed = await actions.setDefaultPaymentMethod(card.id);
    setChanging("");
    if (!changed.ok) return setFailure(`${changed.message} ${changed.hint}`);
    toast(`${cardText(card)} is the default now`);
    router.refresh();
  };
  const add = (
    <Button look="primary" onClick={() => setAdding(true)}>
      Add card
    </Button>
  );
  return (
    <>
      <PageHeader title="Cards" actions={cards.length > 0 && add}>
        What card plans and their delegations charge. Numbers stay with the card processor.
      </PageHeader>
      <div className="grid max-w-180 gap-4">
        {soon.map((card) => (
          <Notice
            key={card.id}
            tone="unsettled"
            title={`${cardText(card)} expires ${expiryText(card)}.`}
          >
            Delegations on it stop then. Add its successor and renew them.
          </Notice>
        ))}
        {failure && (
          <Notice tone="refused" role="alert" title="The default was not changed.">
            {failure}
          </Notice>
        )}
        {cards.length === 0 ? (
          <div className="rounded-card border border-line bg-surface">
            <Empty kind="first" headingLevel={2} title="No cards yet" actions={add}>
              A card pays for card plans, within the limits you set.
            </Empty>
          </div>
        ) : (
          <ul
            aria-label="Saved cards"
            className="overflow-hidden rounded-card border border-line bg-surface"
          >
            {cards.map((card) => {
              const expiry = expiryOf(card, new Date(now));
              return (
                <li
                  key={card.id}
                  className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line px-4 py-3 not-first:border-t"
                >
                  <Icon name="card" className="size-4.5 text-ink-2" />
                  <span className="min-w-0 flex-1">
                    <span className="flex flex-wrap items-center gap-x-2 font-medium">
                      {cardText(card)} {card.isDefault && <Tag>Default</Tag>}
                    </span>
                    <span className="text-ink-2 text-note tabular-nums">
                      Expires {expiryText(card)}
                    </span>
                  </span>
                  {expiry === "expired" && <StatePill state="Expired" />}
                  {expiry === "soon" && (
                    <StatePill tone="warn" icon="clock">
                      Expires soon
                    </StatePill>
                  )}
                  <span className="flex gap-2">
                    {!card.isDefault && expiry !== "expired" && (
                      <Button
                        size="small"
                        isPending={changing === card.id}
                        aria-label={`Make ${cardText(card)} the default`}
                        onClick={() => makeDefault(card)}
                      >
                        Make default
                      </Button>
                    )}
                    <Button
                      size="small"
                      aria-label={`Remove ${cardText(card)}`}
                      onClick={() => setRemoving(card)}
                    >
                      Remove
                    </Button>
                  </span>
                </li>
              );
            })}
          </ul>
        )}
      </div>
      <Dialog
        isOpen={isAdding}
        onOpenChange={setAdding}
        title="Add card"
        description="Saving a card charges nothing."
      >
        <AddCard
          actions={actions}
          hasTestCards={hasTestCards}
          consequence="No delegation was created."
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

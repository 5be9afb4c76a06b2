"use client";

import type { CardRemoval } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { plural, pluralWord } from "@/lib/text/plural.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { ConfirmDialog, type Effect } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { moneyText } from "../ui/values/money-text.ts";
import { cardText } from "./card-text.ts";

type Removal = (paymentMethodId: string) => Promise<ActionAnswer<CardRemoval>>;

export type RemoveActions = { previewRemoval: Removal; removePaymentMethod: Removal };

type RemoveCardProps = {
  card: { id: string; brand: string; last4: string };
  actions: RemoveActions;
  onClose: () => void;
};

const CENTS = 2;

/** Asks before a card is removed; the service says what is revoked with it. */
export function RemoveCard({ card, actions, onClose }: RemoveCardProps) {
  const router = useRouter();
  const [removal, setRemoval] = useState<CardRemoval | null>(null);
  const [unread, setUnread] = useState("");
  const { run, ...removing } = useOperation();
  const name = cardText(card);
  const failure = removing.failure ?? unread;

  useEffect(() => {
    let isGone = false;
    void actions.previewRemoval(card.id).then((preview) => {
      if (isGone) return;
      if (preview.ok) setRemoval(preview.data);
      else setUnread(`${preview.message} ${preview.hint}`);
    });
    return () => {
      isGone = true;
    };
  }, [actions, card.id]);

  const remove = () =>
    run(
      () => actions.removePaymentMethod(card.id),
      () => {
        toast(`${name} was removed`);
        onClose();
        router.refresh();
      },
    );
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Remove ${name}?`}
      description="It won’t be charged again. To use it later, add it again."
      {...(removal && { effects: effectsOf(removal) })}
      safe="Keep it"
      verb="Remove card"
      isPending={removing.isPending}
      onConfirm={remove}
    >
      {!removal && !failure && (
        <p role="status" className="grid gap-3 py-2">
          <span className="sr-only">Loading the effects</span>
          <Skeleton className="w-56" />
          <Skeleton className="w-64" />
        </p>
      )}
      <FailureNotice title="The card was not removed." failure={failure} />
    </ConfirmDialog>
  );
}

function effectsOf({ delegations, tokens }: CardRemoval): Effect[] {
  const left = new Map<string, bigint>();
  for (const { currency, remainingBudgetCents } of delegations) {
    left.set(currency, (left.get(currency) ?? 0n) + BigInt(remainingBudgetCents));
  }
  const money = [...left].map(([currency, cents]) => moneyText(cents, CENTS, currency)).join(" + ");
  const count = delegations.length;
  return [
    {
      icon: "gauge",
      title:
        count === 0
          ? "No delegation charges this card"
          : `${plural(count, "delegation")} ${pluralWord(count, "is", "are")} revoked`,
      ...(count > 0 && { detail: `${money} left to spend.` }),
    },
    {
      icon: "key",
      title:
        tokens.length === 0
          ? "No access token depends on it"
          : `${plural(tokens.length, "access token")} ${pluralWord(tokens.length, "stops", "stop")} working`,
    },
    { icon: "check", title: "You keep your credits" },
  ];
}

"use client";

import type { CardRemoval } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { Notice } from "../ui/notice.tsx";
import { ConfirmDialog, type Effect } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { moneyText } from "../ui/values/money-text.ts";
import { cardText } from "./card-text.ts";

type Answer = { ok: true; data: CardRemoval } | { ok: false; message: string; hint: string };

export type RemoveActions = {
  previewRemoval: (paymentMethodId: string) => Promise<Answer>;
  removePaymentMethod: (paymentMethodId: string) => Promise<Answer>;
};

type RemoveCardProps = {
  card: { id: string; brand: string; last4: string };
  actions: RemoveActions;
  onClose: () => void;
};

const CENTS = 2;

/** What ends with a card, read from the service, then the verb. */
export function RemoveCard({ card, actions, onClose }: RemoveCardProps) {
  const router = useRouter();
  const [removal, setRemoval] = useState<CardRemoval | null>(null);
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState("");
  const name = cardText(card);

  useEffect(() => {
    let isGone = false;
    void actions.previewRemoval(card.id).then((preview) => {
      if (isGone) return;
      if (preview.ok) setRemoval(preview.data);
      else setFailure(`${preview.message} ${preview.hint}`);
    });
    return () => {
      isGone = true;
    };
  }, [actions, card.id]);

  const remove = async () => {
    setPending(true);
    setFailure("");
    const removed = await actions.removePaymentMethod(card.id);
    setPending(false);
    if (!removed.ok) return setFailure(`${removed.message} ${removed.hint}`);
    toast(`${name} was removed`);
    onClose();
    router.refresh();
  };
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Remove ${name}?`}
      description="It is not charged again. To use it later, add it anew."
      {...(removal && { effects: effectsOf(removal) })}
      safe="Keep it"
      verb="Remove card"
      isPending={isPending}
      onConfirm={remove}
    >
      {!removal && !failure && (
        <p role="status" className="grid gap-3 py-2">
          <span className="sr-only">Reading what ends</span>
          <Skeleton className="w-56" />
          <Skeleton className="w-64" />
        </p>
      )}
      {failure && (
        <Notice tone="refused" role="alert" title="The card was not removed.">
          {failure}
        </Notice>
      )}
    </ConfirmDialog>
  );
}

function effectsOf({ delegations, tokens }: CardRemoval): Effect[] {
  const left = new Map<string, bigint>();
  for (const { currency, remainingBudgetCents } of delegations) {
    left.set(currency, (left.get(currency) ?? 0n) + BigInt(remainingBudgetCents));
  }
  const money = [...left].map(([currency, cents]) => moneyText(cents, CENTS, currency)).join(" + ");
  return [
    {
      icon: "gauge",
      title:
        delegations.length === 0
          ? "No delegation charges it"
          : `${delegations.length} ${delegations.length === 1 ? "delegation ends" : "delegations end"} now`,
      ...(delegations.length > 0 && { detail: `${money} that could still be spent.` }),
    },
    {
      icon: "key",
      title:
        tokens.length === 0
          ? "No access token depends on it"
          : `${tokens.length} access ${tokens.length === 1 ? "token stops" : "tokens stop"} now`,
    },
    { icon: "check", title: "Your credits stay yours" },
  ];
}

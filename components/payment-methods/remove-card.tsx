"use client";

import type { CardRemoval } from "@turnpike/payments/protocol";
import { useEffect, useState } from "react";
import { plural, pluralWord } from "@/lib/text/plural.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { EffectsSkeleton, OperationDialog } from "../forms/operation-dialog.tsx";
import { useOperation } from "../forms/use-operation.ts";
import type { Effect } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
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
  const [removal, setRemoval] = useState<CardRemoval | null>(null);
  const { run, isPending, ...preview } = useOperation();
  const name = cardText(card);

  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, when the dialog opens.
  useEffect(() => void run(() => actions.previewRemoval(card.id), setRemoval), []);

  return (
    <OperationDialog
      title={`Remove ${name}?`}
      description="It won’t be charged again. To use it later, add it again."
      {...(removal && { effects: effectsOf(removal) })}
      safe="Keep it"
      verb="Remove card"
      failed="The card was not removed."
      run={() => actions.removePaymentMethod(card.id)}
      onDone={() => toast(`${name} was removed`)}
      onClose={onClose}
    >
      {!removal && !preview.failure && <EffectsSkeleton />}
      <FailureNotice title="The effects could not be loaded." of={preview} />
    </OperationDialog>
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

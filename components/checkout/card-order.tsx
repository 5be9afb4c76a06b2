"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { usualLimit } from "../delegations/read-limits.ts";
import { TokenLimits } from "../delegations/token-limits.tsx";
import { useLimits } from "../delegations/use-limits.ts";
import { AddCard, type CardActions } from "../payment-methods/add-card.tsx";
import { cardChoice, cardText, expiryOf } from "../payment-methods/card-text.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Checkbox } from "../ui/fields/checkbox.tsx";
import { RadioGroup } from "../ui/fields/radio-group.tsx";
import { Lost, PriceChanged, Refused } from "./pay-outcomes.tsx";
import { type PlanPrice, priceText } from "./plan-price.ts";
import { type Pay, usePay } from "./use-pay.ts";

const NEW = "new";
const MONTH_SECS = 30 * 86_400;

export type SavedCard = {
  id: string;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  isDefault?: boolean | undefined;
  isExpired?: boolean | undefined;
};

export type CardOrderProps = {
  planId: string;
  price: PlanPrice;
  follows: string;
  cards: SavedCard[];
  /** The card that a failed order was tried with: another one is chosen first. */
  avoid?: string | undefined;
  hasTestCards: boolean;
  now: string;
  actions: CardActions & { pay: Pay };
};

/** Which card, whether agents may order again, and one button. */
export function CardOrder(props: CardOrderProps) {
  const { planId, price, follows, cards, avoid, hasTestCards, now, actions } = props;
  const router = useRouter();
  const [isRefreshing, refresh] = useTransition();
  const usable = cards.filter((card) => expiryOf(card, new Date(now)) !== "expired");
  const first =
    usable.find(({ id, isDefault }) => isDefault && id !== avoid) ??
    usable.find(({ id }) => id !== avoid) ??
    usable[0];
  const [chosen, setChosen] = useState(first?.id ?? NEW);
  const [isAgain, setAgain] = useState(false);
  const cost = price.cents ?? 0n;
  const typed = useLimits(
    { limit: usualLimit(cost), durationSecs: MONTH_SECS, maxTransactions: "5" },
    cost,
  );
  const quote = { planId, follows, quoted: price.total.toString() };
  const { order, failure, ...paying } = usePay(quote, actions.pay);
  const card = cards.find(({ id }) => id === chosen);

  const payNow = (quoted?: string) => {
    if (!card) return;
    if (!isAgain) return order({ providerPaymentMethodId: card.id }, quoted);
    const limits = typed.ask();
    if (!limits) return;
    const currency = price.limitCurrency;
    return order({ providerPaymentMethodId: card.id, limits: { ...limits, currency } }, quoted);
  };

  if (paying.isLost) return <Lost checkHref={paying.checkHref} planId={planId} />;
  return (
    <div className="grid gap-5">
      <RadioGroup
        label="Card"
        look="cards"
        name="card"
        value={chosen}
        onValueChange={setChosen}
        options={[
          ...cards.map((saved) => cardChoice(saved, now)),
          { value: NEW, label: "New card" },
        ]}
      />
      {chosen === NEW && (
        <AddCard
          actions={actions}
          hasTestCards={hasTestCards}
          consequence="No delegation was created."
          onAdded={(id) => {
            setChosen(id);
            refresh(() => router.refresh());
          }}
        />
      )}
      <Card className="grid gap-4 p-4">
        <Checkbox
          label={<b className="font-semibold">Let agents order again when credits run out</b>}
          hint="Makes a delegation with the limits below."
          checked={isAgain}
          onChange={(event) => setAgain(event.target.checked)}
        />
        {isAgain && (
          <TokenLimits
            typed={typed}
            currency={price.limitCurrency.toUpperCase()}
            backing={card ? cardText(card) : "new card"}
            now={now}
          />
        )}
      </Card>
      {failure && <Refused failure={failure} title="Nothing was ordered." />}
      {chosen !== NEW && (
        <Button
          look="primary"
          size="big"
          isPending={paying.isPending || (isRefreshing && !card)}
          onClick={() => payNow()}
        >
          Pay {priceText(price)}
        </Button>
      )}
      <p className="text-ink-2 text-small">
        {chosen === NEW
          ? "Saving a card charges nothing."
          : `Charged now: ${priceText(price)}. ${isAgain ? "The limit above counts this charge. " : ""}Pressing twice or reloading never pays twice.`}
      </p>
      <PriceChanged price={price} paying={paying} onAccept={payNow} />
    </div>
  );
}

"use client";

import { FormProvider } from "react-hook-form";
import {
  fieldOfLimit,
  type LimitDraft,
  readLimits,
  repeatLimits,
} from "../delegations/read-limits.ts";
import { TokenLimits } from "../delegations/token-limits.tsx";
import { createResolver, type Reading } from "../forms/create-resolver.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperationForm } from "../forms/use-operation-form.ts";
import type { CardActions } from "../payment-methods/add-card.tsx";
import { CardPicker } from "../payment-methods/card-picker.tsx";
import { cardText, firstCard, NEW_CARD, type SavedCard } from "../payment-methods/card-text.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Checkbox } from "../ui/fields/checkbox.tsx";
import type { CheckoutLink } from "./order-href.ts";
import { Lost, OfferChanged } from "./pay-outcomes.tsx";
import { type Offer, type PlanPrice, priceText } from "./plan-price.ts";
import { type Pay, type PayWith, usePay } from "./use-pay.ts";

export type CardOrderProps = {
  planId: string;
  price: PlanPrice;
  offer: Offer;
  follows: string;
  link: CheckoutLink;
  cards: SavedCard[];
  /** The card a failed order was tried with: another one is chosen first. */
  avoid?: string | undefined;
  hasTestCards: boolean;
  /** When the plan must be ordered again: "when credits run out". */
  whenOver: string;
  now: string;
  actions: CardActions & { pay: Pay };
};

type OrderValues = LimitDraft & { cardId: string; isRepeated: boolean };

/** Orders a plan by card: which card, whether agents may order again, and one button. */
export function CardOrder({
  planId,
  price,
  offer,
  follows,
  link,
  cards,
  now,
  actions,
  ...props
}: CardOrderProps) {
  const minCents = price.cents ?? 0n;
  const paying = usePay({ planId, follows, ...link, offer }, actions.pay);
  const form = useOperationForm({
    defaultValues: {
      cardId: firstCard(cards, now, props.avoid)?.id ?? NEW_CARD,
      isRepeated: false,
      ...repeatLimits(minCents, price.limitCurrency),
    },
    resolver: createResolver((values: OrderValues) => readOrder(values, price)),
    run: paying.send,
    onDone: paying.done,
    fieldOf: fieldOfLimit,
  });
  const values = form.watch();
  const card = cards.find(({ id }) => id === values.cardId);
  const isNew = values.cardId === NEW_CARD;
  const isBusy = form.isPending || paying.isLeaving;

  if (paying.isLost) return <Lost checkHref={paying.checkHref} planId={planId} />;
  return (
    <FormProvider {...form}>
      <div className="grid gap-5">
        <CardPicker
          look="cards"
          cards={cards}
          value={values.cardId}
          onValueChange={(id) => form.setValue("cardId", id)}
          now={now}
          actions={actions}
          hasTestCards={props.hasTestCards}
        />
        <Card className="grid gap-4 p-4">
          <Checkbox
            {...form.register("isRepeated")}
            label={<b className="font-semibold">Let agents order again {props.whenOver}</b>}
            hint="Creates a delegation with the limits below."
          />
          {values.isRepeated && (
            <TokenLimits
              draft={values}
              minCents={minCents}
              currency={price.limitCurrency.toUpperCase()}
              backing={card ? cardText(card) : "new card"}
              now={now}
              who="Agents"
            />
          )}
        </Card>
        <FailureNotice title="Nothing was ordered." unknown={null} of={form} />
        {!isNew && (
          <Button look="primary" size="big" isPending={isBusy || !card} onClick={form.submit}>
            Pay {priceText(price)}
          </Button>
        )}
        <p className="text-ink-2 text-small">
          {isNew
            ? "You won’t be charged for saving a card."
            : `Charged now: ${priceText(price)}. ${values.isRepeated ? "This charge counts towards the limit. " : ""}You can’t be charged twice, even if you reload.`}
        </p>
        <OfferChanged paying={paying} isPending={isBusy} onAccept={form.submit} />
      </div>
    </FormProvider>
  );
}

/** The card to charge, with the limits of later orders where agents may make them. */
function readOrder(values: OrderValues, price: PlanPrice): Reading<OrderValues, PayWith> {
  const { cardId, isRepeated } = values;
  if (!isRepeated) return { input: { providerPaymentMethodId: cardId } };
  const reading = readLimits(values, price.limitCurrency, price.cents ?? 0n);
  if (reading.faults) return reading;
  const limits = { ...reading.limits, currency: price.limitCurrency };
  return { input: { providerPaymentMethodId: cardId, limits } };
}

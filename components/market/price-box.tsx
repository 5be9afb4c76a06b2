"use client";

import { useState } from "react";
import { ButtonLink } from "../ui/button-link.tsx";
import { Card } from "../ui/card.tsx";
import { RadioGroup } from "../ui/fields/radio-group.tsx";
import { Icon } from "../ui/icon.tsx";

export type OfferedPlan = {
  planId: string;
  name: string;
  price: string;
  /** What an order grants and how it is paid. */
  grant: string;
  isFree: boolean;
};

const PROMISES = [
  "Charged only when a call succeeds",
  "Spending stays within the limit you set",
  "A public receipt for every charge",
];

/** All plans of an agent in one box, and one button that orders the chosen one. */
export function PriceBox({ plans, agentName }: { plans: OfferedPlan[]; agentName: string }) {
  const [chosenId, setChosenId] = useState(plans[0]?.planId);
  const chosen = plans.find(({ planId }) => planId === chosenId);
  return (
    <Card className="grid gap-4 lg:sticky lg:top-16">
      <h2 className="text-h2">Price</h2>
      {!chosen && <p className="text-ink-2">{agentName} has no listed plan.</p>}
      {chosen && (
        <>
          <RadioGroup
            label="Plan"
            look="cards"
            value={chosenId}
            onValueChange={setChosenId}
            options={plans.map(({ planId, name, price, grant }) => ({
              value: planId,
              label: name,
              detail: grant,
              aside: price,
            }))}
          />
          <ButtonLink
            look="primary"
            size="big"
            href={`/checkout/${chosen.planId}`}
            prefetch={false}
            className="wrap-anywhere whitespace-normal py-2 text-center"
          >
            {chosen.isFree
              ? `Start ${chosen.name} for free`
              : `Order ${chosen.name} for ${chosen.price}`}
          </ButtonLink>
          <ButtonLink href={`/p/${chosen.planId}`} prefetch={false}>
            Terms of this plan
          </ButtonLink>
        </>
      )}
      <ul className="grid gap-1.5 border-line border-t pt-4 text-note">
        {PROMISES.map((promise) => (
          <li key={promise} className="flex gap-2">
            <Icon name="tick" className="mt-0.5 size-3.5 text-settled" />
            {promise}
          </li>
        ))}
      </ul>
    </Card>
  );
}

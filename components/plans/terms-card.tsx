import { totalOf } from "@turnpike/payments/protocol";
import type { ReactNode } from "react";
import { Card } from "../ui/card.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { amountText } from "../ui/values/money-text.ts";
import { cardFacts } from "./describe-plan.ts";
import type { Market } from "./market.ts";
import { type PlanTerms, unitOfPrice } from "./plan-terms.ts";

type TermsCardProps = {
  name: string;
  author?: string | undefined;
  description?: string | undefined;
  terms: PlanTerms;
  market: Market;
  action?: ReactNode;
  headingLevel?: 2 | 3;
};

export function TermsCard({ name, author, description, terms, market, ...rest }: TermsCardProps) {
  const { action, headingLevel = 3 } = rest;
  const { symbol, decimals = 0 } = unitOfPrice(terms.price, market);
  const Heading = headingLevel === 2 ? "h2" : "h3";
  const amount = totalOf(terms.price);
  const isFree = amount === 0n;
  return (
    <Card className="grid content-start gap-4">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <Heading className="wrap-anywhere text-h2">{name}</Heading>
          {author && <p className="text-ink-2">{`by ${author}`}</p>}
        </div>
        <p className="shrink-0 text-end">
          <span className="text-figure tabular-nums">
            {isFree ? "Free" : amountText(amount, decimals, symbol)}
          </span>
          {!isFree && <span className="text-ink-2"> {symbol}</span>}
          <span className="block text-ink-2 text-note">
            {terms.isTrial ? "once per account" : "one-time payment"}
          </span>
        </p>
      </div>
      {description && (
        <p>
          <span className="wrap-anywhere whitespace-pre-line">{description}</span>
        </p>
      )}
      <DefinitionList
        look="split"
        items={cardFacts(terms, market)}
        className="border-line border-y"
      />
      {action && <div className="grid">{action}</div>}
    </Card>
  );
}

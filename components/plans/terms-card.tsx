import { totalOf } from "@turnpike/payments/protocol";
import type { ReactNode } from "react";
import { PlanCard } from "../ui/values/plan-card.tsx";
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

/** A plan as its subscribers see it, from its terms. */
export function TermsCard({ name, author, description, terms, market, ...rest }: TermsCardProps) {
  const { symbol, decimals = 0 } = unitOfPrice(terms.price, market);
  const facts = cardFacts(terms, market).map(({ term, text }) => ({ term, value: text }));
  return (
    <PlanCard
      name={name}
      {...(author && { author: `by ${author}` })}
      {...(description && {
        description: <span className="wrap-anywhere whitespace-pre-line">{description}</span>,
      })}
      amount={totalOf(terms.price)}
      decimals={decimals}
      currency={symbol}
      terms={terms.isTrial ? "once per account" : "one-time payment"}
      facts={facts}
      {...rest}
    />
  );
}

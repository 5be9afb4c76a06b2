import type { ReactNode } from "react";
import { Card } from "../card.tsx";
import { type Definition, DefinitionList } from "../data/definition-list.tsx";
import { type Amount, amountText } from "./money-text.ts";

export type PlanCardProps = {
  name: string;
  /** The seller: "by Meridian Labs". */
  author?: ReactNode;
  description?: ReactNode;
  /** In the currency's smallest unit. Zero is shown as Free. */
  amount: Amount;
  decimals: number;
  currency: string;
  /** How often: "one-time payment". */
  terms?: string;
  /** Credits, credits and price per call, expiry, receiver. */
  facts: Definition[];
  /** The full-width button that orders it. */
  action?: ReactNode;
  /** The heading's level. */
  headingLevel?: 2 | 3;
};

/** A plan as its subscribers see it. */
export function PlanCard({ name, author, description, facts, action, ...price }: PlanCardProps) {
  const { amount, decimals, currency, terms, headingLevel = 3 } = price;
  const Heading = headingLevel === 2 ? "h2" : "h3";
  const isFree = BigInt(amount) === 0n;
  return (
    <Card className="grid content-start gap-4">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <Heading className="wrap-anywhere text-h2">{name}</Heading>
          {author && <p className="text-ink-2">{author}</p>}
        </div>
        <p className="shrink-0 text-end">
          <span className="text-figure tabular-nums">
            {isFree ? "Free" : amountText(amount, decimals, currency)}
          </span>
          {!isFree && <span className="text-ink-2"> {currency}</span>}
          {terms && <span className="block text-ink-2 text-note">{terms}</span>}
        </p>
      </div>
      {description && <p>{description}</p>}
      <DefinitionList look="split" items={facts} className="border-line border-y" />
      {action && <div className="grid">{action}</div>}
    </Card>
  );
}

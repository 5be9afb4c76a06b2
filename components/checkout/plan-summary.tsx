import type { Plan } from "@turnpike/payments/protocol";
import { refundWords } from "../plans/plan-words.ts";
import { Card } from "../ui/card.tsx";
import { DefinitionList, type Definitions } from "../ui/data/definition-list.tsx";
import { Address } from "../ui/values/address.tsx";
import { amountText } from "../ui/values/money-text.ts";
import { callCostText, callUsesText, expiryText, grantText, type PlanPrice } from "./plan-price.ts";

export type PlanSummaryProps = {
  plan: Pick<Plan, "metadata" | "registry" | "owner">;
  price: PlanPrice;
  agents: string[];
  /** The payment method, shown instead of the receiver. */
  paidWith?: string;
};

export function PlanSummary({ plan, price, agents, paidWith }: PlanSummaryProps) {
  const { name, author } = plan.metadata.main;
  const [receiver] = plan.registry.price.receivers;
  const facts: Definitions = {
    "You get": grantText(plan),
    "Credits per call": callUsesText(plan),
    "Cost per call": plan.metadata.plan.accessLimit === "credits" && callCostText(plan, price),
    Expires: expiryText(plan),
    Refunds: !price.isFree && refundWords(plan.metadata.main),
    "Payment method": paidWith,
    "Paid to": paidWith === undefined && receiver !== undefined && (
      <Address value={receiver} name="receiver" />
    ),
  };
  return (
    <Card className="grid gap-4">
      <div>
        <h2 className="wrap-anywhere text-h2">{name}</h2>
        <p className="wrap-anywhere text-ink-2">{sellerText(author, agents)}</p>
      </div>
      <DefinitionList look="split" items={facts} className="border-line border-y" />
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="text-label">Total</span>
        <span className="whitespace-nowrap">
          <span className="text-figure tabular-nums">
            {price.isFree ? "Free" : amountText(price.total, price.decimals, price.currency)}
          </span>
          {!price.isFree && <span className="text-ink-2"> {price.currency}</span>}
        </span>
      </p>
    </Card>
  );
}

function sellerText(author: string | undefined, agents: string[]): string {
  const [first, ...rest] = agents;
  const agent = first === undefined ? "No agent yet" : `agent “${first}”`;
  const more = rest.length > 0 ? ` and ${rest.length} more` : "";
  return `${author ? `${author}, ` : ""}${agent}${more}`;
}

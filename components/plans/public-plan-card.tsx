import Link from "next/link";
import { Card } from "../ui/card.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { Tag } from "../ui/values/tag.tsx";
import { costWords, grantWords, priceWords } from "./describe-plan.ts";
import type { Market } from "./market.ts";
import { type PlanTerms, railOfPrice } from "./plan-terms.ts";
import type { PlanTexts } from "./plan-types.ts";
import { RAIL_WORDS } from "./rails.ts";

type PublicPlanCardProps = {
  planId: string;
  /** The seller's account, shown when the plan names no author. */
  owner: string;
  texts: PlanTexts;
  terms: PlanTerms;
  market: Market;
  agents: { names: string[]; total: number };
};

/** A plan in a list: what it costs and which agents accept it. Links to its page. */
export function PublicPlanCard({
  planId,
  owner,
  texts,
  terms,
  market,
  agents,
}: PublicPlanCardProps) {
  const rail = railOfPrice(terms.price, market);
  const facts = [
    { term: "Credits", value: grantWords(terms) },
    ...(terms.accessLimit === "credits" && rail !== "free"
      ? [{ term: "Cost per call", value: costWords(terms, market) }]
      : []),
    { term: "Agents", value: agentWords(agents) },
  ];
  return (
    <Card className="relative grid grid-rows-[auto_1fr_auto] gap-3 hover:border-line-control">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <h2 className="wrap-anywhere text-h3">
            <Link
              href={`/p/${planId}`}
              className="text-ink no-underline after:absolute after:inset-0 after:rounded-card focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent"
            >
              {texts.name}
            </Link>
          </h2>
          <p className="wrap-anywhere text-ink-2 text-note">
            by {texts.author || shortenIdentifier(owner)}
          </p>
        </div>
        <p className="wrap-anywhere max-w-1/2 text-end text-h3 tabular-nums">
          {priceWords(terms.price, market)}
        </p>
      </div>
      <p className="wrap-anywhere line-clamp-3 text-ink-2">{texts.description}</p>
      <div className="grid gap-3">
        <DefinitionList look="split" items={facts} className="border-line border-t" />
        <p className="flex flex-wrap gap-1">
          <Tag>{RAIL_WORDS[rail]}</Tag>
          {terms.isTrial && <Tag>Once per account</Tag>}
        </p>
      </div>
    </Card>
  );
}

function agentWords({ names, total }: PublicPlanCardProps["agents"]): string {
  if (total === 0) return "None yet";
  const others = total - names.length;
  return others > 0 ? `${names.join(", ")} and ${others} more` : names.join(", ");
}

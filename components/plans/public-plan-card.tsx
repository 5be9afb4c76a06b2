import type { Agent, Plan } from "@turnpike/payments/protocol";
import type { AgentMarketFacts, MarketFacts } from "@/lib/console/market-facts.ts";
import { DayBars } from "../market/day-bars.tsx";
import { DoctorLine, DomainBadge } from "../market/domain-badge.tsx";
import { hasEnough, msText, shareText, tooFewText } from "../market/facts-text.ts";
import { Initials } from "../market/initials.tsx";
import { Card } from "../ui/card.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { Tag } from "../ui/values/tag.tsx";
import { costWords, grantWords, priceWords } from "./describe-plan.ts";
import type { Market } from "./market.ts";
import { type PlanTerms, railOfPrice } from "./plan-terms.ts";
import { RAIL_WORDS } from "./rails.ts";
import { termsOfPlan } from "./terms-of-plan.ts";

type PublicPlanCardProps = {
  plan: Plan;
  agents: { items: Agent[]; total: number };
  facts: MarketFacts | undefined;
  /** Of the plan's agents, the one with a proved domain first. */
  agentFacts: AgentMarketFacts[];
  market: Market;
};

/** A plan in a list: what a call costs, and what was measured of it. Links to its page. */
export function PublicPlanCard({ plan, agents, facts, agentFacts, market }: PublicPlanCardProps) {
  const { planId, owner, metadata } = plan;
  const { name, author, description } = metadata.main;
  const terms = termsOfPlan(plan);
  const [first] = agentFacts;
  return (
    <Card
      isPadded={false}
      className="relative grid grid-rows-[1fr_auto_auto] hover:border-line-control"
    >
      <div className="grid content-start gap-3 p-4">
        <div className="flex items-start gap-3">
          <Initials name={name} size="small" />
          <div className="min-w-0 flex-1">
            <h2 className="wrap-anywhere text-h3">
              <NearLink
                href={`/p/${planId}`}
                className="text-ink no-underline after:absolute after:inset-0 after:rounded-card focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent"
              >
                {name}
              </NearLink>
            </h2>
            {first?.domain ? (
              <DomainBadge domain={first.domain} />
            ) : (
              <p className="wrap-anywhere text-ink-2 text-note">
                by {author || shortenIdentifier(owner)}
              </p>
            )}
          </div>
          <span className="flex shrink-0 flex-wrap justify-end gap-1">
            <Tag>{RAIL_WORDS[railOfPrice(terms.price, market)]}</Tag>
            {terms.isTrial && <Tag>Trial</Tag>}
          </span>
        </div>
        {description && <p className="wrap-anywhere line-clamp-2 text-ink-2">{description}</p>}
        <CallPrice terms={terms} market={market} />
      </div>
      <Measured facts={facts} />
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-line border-t px-4 py-2 text-small">
        <DoctorLine doctor={first?.doctor} />
        <AgentLinks {...agents} />
      </div>
    </Card>
  );
}

function CallPrice({ terms, market }: { terms: PlanTerms; market: Market }) {
  const price = priceWords(terms.price, market);
  const isPerCall = terms.accessLimit === "credits" && price !== "Free";
  return (
    <p className="wrap-anywhere">
      <span className="text-h2 tabular-nums">{isPerCall ? costWords(terms, market) : price}</span>
      {isPerCall && <span className="text-ink-2"> a call</span>}
      <span className="block text-ink-2 text-note">
        {isPerCall && `${price} for `}
        {grantWords(terms)}
      </span>
    </p>
  );
}

function Measured({ facts }: Pick<PublicPlanCardProps, "facts">) {
  if (!facts || !hasEnough(facts)) {
    return (
      <p className="border-line border-t px-4 py-3 text-ink-2 text-note">
        {tooFewText(facts ?? { calls: 0 })}
      </p>
    );
  }
  const figures = [
    ["Settled share", shareText(facts)],
    ["p95", msText(facts.p95Ms)],
    ["Settled", groupDigits(facts.settled)],
  ] as const;
  return (
    <div>
      <div className="px-4 pb-3">
        <DayBars days={facts.days} />
      </div>
      <dl className="grid grid-cols-3 border-line border-t">
        {figures.map(([term, value]) => (
          <div key={term} className="border-line px-4 py-2 not-first:border-s">
            <dt className="text-ink-2 text-small">{term}</dt>
            <dd className="text-label tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function AgentLinks({ items, total }: PublicPlanCardProps["agents"]) {
  if (total === 0) return <span className="text-ink-2">No agent yet</span>;
  const others = total - items.length;
  return (
    <span className="wrap-anywhere relative min-w-0 text-ink-2">
      {items.map(({ agentId, metadata }, index) => (
        <span key={agentId}>
          {index > 0 && ", "}
          <NearLink href={`/a/${agentId}`} className="link-quiet" prefetch={false}>
            {metadata.main.name}
          </NearLink>
        </span>
      ))}
      {others > 0 && ` and ${others} more`}
    </span>
  );
}

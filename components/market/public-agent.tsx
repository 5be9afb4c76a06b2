import type { Agent } from "@turnpike/payments/protocol";
import type { AgentMarketFacts } from "@/lib/console/market-facts.ts";
import { plural, pluralWord } from "@/lib/text/plural.ts";
import { costWords, grantWords, priceWords } from "../plans/describe-plan.ts";
import type { Market } from "../plans/market.ts";
import { SubscriberSamples } from "../plans/plan-samples.tsx";
import { type PlanTerms, railOfPrice } from "../plans/plan-terms.ts";
import { RAIL_WORDS } from "../plans/rails.ts";
import { sampleAgentOf } from "../plans/sample-agent.ts";
import { TagList } from "../plans/tag-list.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { Card } from "../ui/card.tsx";
import { CopyText } from "../ui/copy-text.tsx";
import { DefinitionList, type Definitions } from "../ui/data/definition-list.tsx";
import { Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page-header.tsx";
import { Address } from "../ui/values/address.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { Tag } from "../ui/values/tag.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { dateText } from "../ui/values/time-text.ts";
import { WebLink } from "../ui/web-link.tsx";
import { DayBars } from "./day-bars.tsx";
import { DomainBadge } from "./domain-badge.tsx";
import { endpointPrice } from "./endpoint-price.ts";
import { hasEnough, shareText } from "./facts-text.ts";
import { Initials } from "./initials.tsx";
import { MarketFigures } from "./market-figures.tsx";
import { type OfferedPlan, PriceBox } from "./price-box.tsx";
import { spansOf, worstDay } from "./reliability.ts";

type PlanOnOffer = { planId: string; name: string; terms: PlanTerms };

type PublicAgentProps = {
  agent: Agent;
  /** Absent while only its owner may see it. */
  facts: AgentMarketFacts | undefined;
  /** When the thirty days of its facts began. */
  since: string;
  isOwn: boolean;
  plans: PlanOnOffer[];
  market: Market;
  url: string;
};

/** The public page of an agent: what was measured of it, what a call costs, and how to try and call it. */
export function PublicAgent({ agent, facts, since, isOwn, plans, market, url }: PublicAgentProps) {
  const { description } = agent.metadata.main;
  const [first] = plans;
  return (
    <>
      {!facts && (
        <Notice className="mb-6" tone="info" title="Only you can see this page.">
          {agent.archivedAt
            ? "The agent is archived. Restore it to show it to everyone."
            : "Link a listed plan to show it to everyone."}
        </Notice>
      )}
      <AgentHead agent={agent} facts={facts} isOwn={isOwn} url={url} />
      <div className="grid items-start gap-x-8 gap-y-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,360px)] lg:grid-rows-[auto_1fr] lg:gap-y-0 2xl:grid-cols-[minmax(0,1fr)_minmax(0,440px)] 2xl:gap-x-12">
        <div className="min-w-0">
          {description && (
            <p className="wrap-anywhere mb-6 max-w-[68ch] whitespace-pre-line text-[1rem] leading-6">
              {description}
            </p>
          )}
          {facts && <MarketFigures facts={facts} doctor={facts.doctor} />}
        </div>
        <div className="min-w-0 lg:row-span-2 lg:h-full">
          <PriceBox
            plans={plans.map((plan) => inWords(plan, market))}
            agentName={agent.metadata.main.name}
          />
        </div>
        <div className="min-w-0">
          <Section id="agent-endpoints" title="Endpoints" meta="Lowest price of one call">
            <Endpoints {...{ agent, plans, market }} offers={facts?.offers} />
          </Section>
          {facts && hasEnough(facts) && <Reliability {...{ facts, since }} />}
          {first && (
            <Section id="agent-code" title="Call it from code">
              <SubscriberSamples {...first} agent={sampleAgentOf([agent])} market={market} />
            </Section>
          )}
          <Section id="agent-about" title="About">
            <DefinitionList items={aboutOf(agent, facts)} />
          </Section>
        </div>
      </div>
    </>
  );
}

function inWords({ planId, name, terms }: PlanOnOffer, market: Market): OfferedPlan {
  const price = priceWords(terms.price, market);
  const isFree = price === "Free";
  const perCall = terms.accessLimit === "credits" && !isFree && costWords(terms, market);
  const grant = [
    grantWords(terms),
    perCall && `${perCall} a call`,
    !isFree && RAIL_WORDS[railOfPrice(terms.price, market)],
    terms.isTrial && "once per account",
  ];
  return { planId, name, price, isFree, grant: grant.filter(Boolean).join(" · ") };
}

/** How the calls of thirty days ended, day by day and in spans that can be compared. */
function Reliability({ facts, since }: { facts: AgentMarketFacts; since: string }) {
  const { calls, settled, days } = facts;
  const lost = calls - settled;
  const worst = worstDay(days, since);
  return (
    <Section id="agent-days" title="Reliability" meta="Last 30 days, by UTC day">
      <Card className="grid gap-2">
        <DayBars days={days} isTall />
        <p className="flex justify-between text-ink-2 text-small">
          <span>{dateText(new Date(since))}</span>
          <span>Today</span>
        </p>
        <DefinitionList
          look="split"
          items={spansOf(days).map((span) => ({
            term: span.label,
            value:
              span.calls === 0
                ? "No paid calls"
                : `${shareText(span)} of ${plural(span.calls, "paid call")} settled`,
          }))}
        />
      </Card>
      <p className="mt-2 max-w-[80ch] text-ink-2 text-note">
        {lost === 0
          ? `All ${plural(calls, "paid call")} settled.`
          : `${plural(lost, "paid call")} ${pluralWord(lost, "was", "were")} not charged or had no outcome.`}
        {worst &&
          ` Most in one day: ${groupDigits(worst.calls - worst.settled)} of ${groupDigits(worst.calls)} on ${dateText(worst.at)}.`}
      </p>
    </Section>
  );
}

/** A link that fills the playground with the agent's first endpoint; null for an agent without one. */
function tryHref(agent: Agent): string | null {
  const sample = sampleAgentOf([agent]);
  if (!sample || sample.url.startsWith("/")) return null;
  return `/playground?${new URLSearchParams({ url: sample.url, method: sample.verb })}`;
}

function AgentHead({
  agent,
  facts,
  isOwn,
  url,
}: Pick<PublicAgentProps, "agent" | "facts" | "isOwn" | "url">) {
  const { name, author, tags = [] } = agent.metadata.main;
  const playground = tryHref(agent);
  return (
    <header className="mb-6 flex items-start justify-between gap-x-6 gap-y-4 max-md:flex-col">
      <div className="flex min-w-0 items-start gap-4">
        <Initials name={name} size="large" className="max-sm:hidden" />
        <div className="min-w-0">
          <h1 tabIndex={-1} data-page-heading className="wrap-anywhere text-h1 outline-none">
            {name}
          </h1>
          <p className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-2 text-note">
            <span className="wrap-anywhere">by {author || shortenIdentifier(agent.owner)}</span>
            {facts?.domain && <DomainBadge domain={facts.domain} isNamed />}
            {tags.slice(0, 3).map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </p>
        </div>
      </div>
      <div className="flex shrink-0 flex-wrap items-center gap-2">
        <CopyText text={url}>Copy link</CopyText>
        {isOwn && <ButtonLink href={`/agents/${agent.agentId}`}>Manage agent</ButtonLink>}
        {playground && (
          <ButtonLink href={playground} prefetch={false}>
            Try it
          </ButtonLink>
        )}
      </div>
    </header>
  );
}

type EndpointsProps = Pick<PublicAgentProps, "agent" | "plans" | "market"> & {
  offers: AgentMarketFacts["offers"];
};

/** Each endpoint with what one call costs there: not every endpoint takes every plan. */
function Endpoints({ agent, plans, market, offers }: EndpointsProps) {
  const { endpoints, openEndpoints } = agent.metadata.agent;
  const rows = [
    ...endpoints.flatMap(Object.entries<string>).map(([verb, url]) => ({
      ...{ verb, url },
      ...endpointPrice(`${verb} ${url}`, plans, offers, market),
    })),
    ...openEndpoints.map((url) => ({ verb: "GET", url, price: "Free", credits: undefined })),
  ];
  if (rows.length === 0) return <p className="text-ink-2">No endpoints yet.</p>;
  return (
    <>
      <ul className="rounded-card border border-line bg-surface">
        {rows.map(({ verb, url, price, credits }) => (
          <li
            key={`${verb} ${url}`}
            className="flex min-w-0 flex-wrap items-start gap-x-3 gap-y-1.5 border-line px-4 py-2.5 not-last:border-b"
          >
            <span className="flex min-w-0 flex-1 basis-60 items-start gap-3">
              <Tag isMono>{verb}</Tag>
              <code className="wrap-anywhere min-w-0 text-small">{url}</code>
            </span>
            <span className="flex flex-wrap gap-x-2 text-note tabular-nums sm:grid sm:text-end">
              <span className="font-medium">{price}</span>
              {credits && <span className="text-ink-2">{credits}</span>}
            </span>
          </li>
        ))}
      </ul>
      {endpoints.length > 0 && plans.length > 1 && !offers && (
        <p className="mt-2 text-ink-2 text-note">
          Endpoints may take only some of the plans: the 402 of each lists those it accepts.
        </p>
      )}
    </>
  );
}

function aboutOf({ agentId, owner, metadata, createdAt }: Agent, facts: PublicAgentProps["facts"]) {
  const { license, tags = [], sampleLink } = metadata.main;
  const { agentDefinitionUrl } = metadata.agent;
  const domain = facts?.domain;
  const items: Definitions = {
    "Sold by": <Address value={owner} name="seller’s account" />,
    Domain: domain ? (
      <>
        {domain.host}, last verified <TimeAgo at={domain.seenAt} form="full" />
      </>
    ) : (
      "Not verified"
    ),
    Definition: agentDefinitionUrl ? <WebLink href={agentDefinitionUrl} /> : "None published",
    Sample: sampleLink && <WebLink href={sampleLink} />,
    License: license,
    Tags: tags.length > 0 && <TagList tags={tags} />,
    Registered: <TimeAgo at={createdAt} form="full" />,
    "Agent ID": <Identifier value={agentId} name="agent ID" />,
  };
  return items;
}

import { totalOf } from "@turnpike/payments/protocol";
import Link from "next/link";
import type { AgentMarketFacts, MarketFacts } from "@/lib/console/market-facts.ts";
import { DomainBadge } from "../market/domain-badge.tsx";
import { MarketFigures } from "../market/market-figures.tsx";
import type { PlanAgent } from "../market/plan-endpoints.ts";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { DefinitionList, type Definitions } from "../ui/data/definition-list.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHeader, Section } from "../ui/page-header.tsx";
import { Address } from "../ui/values/address.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { Tag } from "../ui/values/tag.tsx";
import { WebLink } from "../ui/web-link.tsx";
import { ArchivedNotice } from "./archived-notice.tsx";
import { readoutSentences, settlesWords } from "./describe-plan.ts";
import type { Market } from "./market.ts";
import { SubscriberSamples } from "./plan-samples.tsx";
import type { PlanTerms } from "./plan-terms.ts";
import type { PlanTexts } from "./plan-types.ts";
import { refundWords } from "./plan-words.ts";
import { sampleAgentOf } from "./sample-agent.ts";
import { TagList } from "./tag-list.tsx";
import { TermsCard } from "./terms-card.tsx";

type PublicPlanProps = {
  planId: string;
  owner: string;
  isOwn: boolean;
  isDraft: boolean;
  texts: PlanTexts;
  terms: PlanTerms;
  market: Market;
  /** With the endpoints that take the plan. */
  agents: PlanAgent[];
  isArchived: boolean;
  /** What was measured of the plan and its agents; absent of drafts and archived plans. */
  facts: MarketFacts | undefined;
  agentFacts: AgentMarketFacts[];
};

export function PublicPlan(props: PublicPlanProps) {
  const { planId, owner, isOwn, isDraft, isArchived, texts, terms, market, agents } = props;
  const { facts, agentFacts } = props;
  const [first] = agentFacts;
  return (
    <>
      <PageHeader
        title={texts.name}
        aside={
          <>
            {isArchived && <StatePill state="archived" />}
            {first?.domain && <DomainBadge domain={first.domain} isNamed />}
          </>
        }
        actions={isOwn && <ButtonLink href={`/plans/${planId}`}>Manage plan</ButtonLink>}
      >
        {readoutSentences(terms, market).join(" ")}
      </PageHeader>
      <PlanNotices isDraft={isDraft} isArchived={isArchived} />
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,420px)] 2xl:gap-12">
        <div className="min-w-0 lg:order-last lg:sticky lg:top-16">
          <TermsCard
            headingLevel={2}
            name={texts.name}
            author={texts.author}
            terms={terms}
            market={market}
            action={
              isDraft || isArchived ? (
                <Button aria-disabled>{isArchived ? "Archived" : "Order plan"}</Button>
              ) : (
                <ButtonLink
                  look={agents.length === 0 ? "plain" : "primary"}
                  size="big"
                  href={`/checkout/${planId}`}
                >
                  {agents.length === 0 ? "Order without an agent" : "Order plan"}
                </ButtonLink>
              )
            }
          />
          <p className="mt-3 text-ink-2 text-note">
            Settlement: {settlesWords(terms, market).replace(/^./, (first) => first.toLowerCase())}.
          </p>
          {totalOf(terms.price) > 0n && (
            <p className="text-ink-2 text-note">Refunds: {refundWords(texts)}.</p>
          )}
        </div>
        <div className="min-w-0 *:first:mt-0">
          {texts.description && (
            <p className="wrap-anywhere max-w-[68ch] whitespace-pre-line">{texts.description}</p>
          )}
          {facts && (
            <div className="mt-6">
              <MarketFigures facts={facts} doctor={first?.doctor} />
            </div>
          )}
          <Section id="public-agents" title="Agents on this plan">
            <AgentList agents={agents} agentFacts={agentFacts} />
          </Section>
          <Section id="public-code" title="Use this plan">
            <SubscriberSamples
              planId={planId}
              terms={terms}
              agent={sampleAgentOf(agents)}
              market={market}
            />
          </Section>
          <Section id="public-about" title="About">
            <DefinitionList items={aboutOf(texts, owner)} />
          </Section>
        </div>
      </div>
    </>
  );
}

function PlanNotices({ isDraft, isArchived }: Pick<PublicPlanProps, "isDraft" | "isArchived">) {
  return (
    <>
      {isDraft && (
        <Notice className="mb-6" tone="info" title="This is a draft. Only you can see this page.">
          List the plan in its settings to sell it.
        </Notice>
      )}
      {isArchived && <ArchivedNotice className="mb-6" />}
    </>
  );
}

function AgentList({ agents, agentFacts }: Pick<PublicPlanProps, "agents" | "agentFacts">) {
  if (agents.length === 0) {
    return (
      <p className="text-ink-2">
        No agent accepts this plan yet, so there is nothing to call after you order it.
      </p>
    );
  }
  return (
    <ul className="grid gap-4">
      {agents.map(({ agentId, metadata: { main, agent }, note }) => (
        <li key={agentId} className="grid min-w-0 gap-1">
          <h3 className="wrap-anywhere flex flex-wrap items-center gap-x-3 text-h3">
            <AgentName agentId={agentId} name={main.name} agentFacts={agentFacts} />
          </h3>
          {main.description && (
            <p className="wrap-anywhere whitespace-pre-line text-ink-2">{main.description}</p>
          )}
          <ul className="grid gap-1">
            {agent.endpoints.flatMap(Object.entries<string>).map(([verb, url]) => (
              <li key={`${verb} ${url}`} className="flex min-w-0 items-start gap-2">
                <Tag isMono>{verb}</Tag>
                <code className="wrap-anywhere min-w-0 text-small">{url}</code>
              </li>
            ))}
          </ul>
          {note && <p className="text-ink-2 text-note">{note}</p>}
        </li>
      ))}
    </ul>
  );
}

type AgentNameProps = { agentId: string; name: string } & Pick<PublicPlanProps, "agentFacts">;

/** A link to the agent's public page, where it has one. */
function AgentName({ agentId, name, agentFacts }: AgentNameProps) {
  const facts = agentFacts.find(({ id }) => id === agentId);
  if (!facts) return name;
  return (
    <>
      <Link href={`/a/${agentId}`} className="link" prefetch={false}>
        {name}
      </Link>
      {facts.domain && <DomainBadge domain={facts.domain} />}
    </>
  );
}

const aboutOf = ({ license, tags, sampleLink }: PlanTexts, owner: string): Definitions => ({
  "Sold by": <Address value={owner} name="seller’s account" />,
  License: license,
  Tags: tags && tags.length > 0 && <TagList tags={tags} />,
  Sample: sampleLink && <WebLink href={sampleLink} />,
});

import type { Agent } from "@turnpike/payments/protocol";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { DefinitionList, type Definitions } from "../ui/data/definition-list.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHeader, Section } from "../ui/page-header.tsx";
import { Address } from "../ui/values/address.tsx";
import { Tag } from "../ui/values/tag.tsx";
import { WebLink } from "../ui/web-link.tsx";
import { readoutSentences, settlesWords } from "./describe-plan.ts";
import type { Market } from "./market.ts";
import { SubscriberSamples } from "./plan-samples.tsx";
import type { PlanTerms } from "./plan-terms.ts";
import type { PlanTexts } from "./plan-types.ts";
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
  agents: Agent[];
};

/** The public page of a plan: its terms, the agents that accept it, and code to use it. */
export function PublicPlan(props: PublicPlanProps) {
  const { planId, owner, isOwn, isDraft, texts, terms, market, agents } = props;
  return (
    <>
      <PageHeader
        title={texts.name}
        actions={isOwn && <ButtonLink href={`/plans/${planId}`}>Manage plan</ButtonLink>}
      >
        {readoutSentences(terms, market).join(" ")}
      </PageHeader>
      {isDraft && (
        <div className="mb-6">
          <Notice tone="info" title="This is a draft. Only you can see this page.">
            List the plan in its settings to sell it.
          </Notice>
        </div>
      )}
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,420px)]">
        <div className="min-w-0 lg:order-last lg:sticky lg:top-16">
          <TermsCard
            headingLevel={2}
            name={texts.name}
            author={texts.author}
            terms={terms}
            market={market}
            action={
              isDraft ? (
                <Button aria-disabled>Order plan</Button>
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
          <p className="mt-3 text-ink-2 text-note">Settlement: {settlesWords(terms, market)}.</p>
        </div>
        <div className="min-w-0 *:first:mt-0">
          {texts.description && (
            <p className="wrap-anywhere max-w-[68ch] whitespace-pre-line">{texts.description}</p>
          )}
          <Section id="public-agents" title="Agents that accept it">
            <AgentList agents={agents} />
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

function AgentList({ agents }: { agents: Agent[] }) {
  if (agents.length === 0) {
    return (
      <p className="text-ink-2">
        No agent accepts this plan yet, so there is nothing to call after you order it.
      </p>
    );
  }
  return (
    <ul className="grid gap-4">
      {agents.map(({ agentId, metadata: { main, agent } }) => (
        <li key={agentId} className="grid min-w-0 gap-1">
          <h3 className="wrap-anywhere text-h3">{main.name}</h3>
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
        </li>
      ))}
    </ul>
  );
}

const aboutOf = ({ license, tags, sampleLink }: PlanTexts, owner: string): Definitions => [
  { term: "Sold by", value: <Address value={owner} name="seller’s account" /> },
  license && { term: "License", value: license },
  tags && tags.length > 0 && { term: "Tags", value: <TagList tags={tags} /> },
  sampleLink && { term: "Sample", value: <WebLink href={sampleLink} /> },
];

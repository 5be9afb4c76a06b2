import type { Agent } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { DefinitionList, type Definitions } from "../ui/data/definition-list.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { Section } from "../ui/page-header.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { CopyButton } from "../ui/values/copy-button.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { WebLink } from "../ui/web-link.tsx";
import { describeTerms } from "./describe-plan.ts";
import { FactText } from "./fact-text.tsx";
import type { Market } from "./market.ts";
import type { PlanTerms } from "./plan-terms.ts";
import type { PlanTexts } from "./plan-types.ts";
import { refundWords } from "./plan-words.ts";
import { TagList } from "./tag-list.tsx";

type PlanOverviewProps = {
  planId: string;
  texts: PlanTexts;
  terms: PlanTerms;
  market: Market;
  agents: Agent[];
  /** The plan's public page; drafts have none. */
  publicUrl?: string;
};

/** What the plan costs and grants, the agents it pays for, and where to find it. */
export function PlanOverview({
  planId,
  texts,
  terms,
  market,
  agents,
  publicUrl,
}: PlanOverviewProps) {
  const facts = describeTerms(terms, market);
  const part = (steps: string[]) =>
    facts
      .filter(({ step }) => steps.includes(step))
      .map(({ term, text }) => ({ term, value: <FactText text={text} /> }));
  return (
    <div className="grid gap-x-8 lg:grid-cols-2">
      <Section id="plan-price" title="Price">
        <DefinitionList items={part(["price"])} />
      </Section>
      <Section id="plan-credits" title="Credits">
        <DefinitionList items={part(["kind", "credits"])} />
      </Section>
      <Section id="plan-agents" title="Agents" meta={agents.length > 0 && String(agents.length)}>
        {agents.length === 0 ? (
          <p className="text-ink-2">
            No agent accepts this plan yet.{" "}
            <TextLink href={`/agents/new?plan=${planId}`}>Register an agent</TextLink>
          </p>
        ) : (
          <ul className="grid">
            {agents.map(({ agentId, metadata }) => (
              <li
                key={agentId}
                className="flex min-h-(--row) items-center justify-between gap-4 border-line not-last:border-b"
              >
                <NearLink href={`/agents/${agentId}`} className="link wrap-anywhere min-w-0 py-1">
                  {metadata.main.name}
                </NearLink>
                <span className="shrink-0 text-ink-2 text-note">
                  {plural(metadata.agent.endpoints.length, "endpoint")}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section id="plan-about" title="About">
        <DefinitionList items={aboutOf(planId, texts, publicUrl)} />
      </Section>
    </div>
  );
}

function aboutOf(planId: string, texts: PlanTexts, publicUrl: string | undefined): Definitions {
  const { description, author, license, tags, sampleLink } = texts;
  return {
    "Plan ID": <Identifier value={planId} name="plan ID" />,
    "Public page": publicUrl && <PublicLink url={publicUrl} />,
    Description: description && <span className="whitespace-pre-line">{description}</span>,
    "Sold by": author,
    License: license,
    Refunds: refundWords(texts),
    Tags: tags && tags.length > 0 && <TagList tags={tags} />,
    Sample: sampleLink && <WebLink href={sampleLink} />,
  };
}

function PublicLink({ url }: { url: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1">
      <NearLink href={new URL(url).pathname} className="link wrap-anywhere min-w-0 text-small">
        {url}
      </NearLink>
      <CopyButton text={url} label="Copy public link" />
    </span>
  );
}

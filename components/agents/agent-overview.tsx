import type { Agent } from "@turnpike/payments/protocol";
import { activityHref } from "../activity/filter/activity-filter.ts";
import { TagList } from "../plans/tag-list.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { Card } from "../ui/card.tsx";
import { DefinitionList, type Definitions } from "../ui/data/definition-list.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page-header.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { Tag } from "../ui/values/tag.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { WebLink } from "../ui/web-link.tsx";
import { AUTH_TYPE_LABELS, type PlanChoice } from "./agent-types.ts";

type AgentOverviewProps = { agent: Agent; plans: readonly PlanChoice[] };

export function AgentOverview({ agent, plans }: AgentOverviewProps) {
  const { description } = agent.metadata.main;
  const base = `/agents/${agent.agentId}`;
  return (
    <>
      {plans.length === 0 && (
        <Notice
          className="mt-6"
          tone="unsettled"
          title="No plan linked yet"
          action={<ButtonLink href={`${base}/plans`}>Link a plan</ButtonLink>}
        >
          Link a plan so that callers can pay for it.
        </Notice>
      )}
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Section id="agent-details" title="Details">
          {description && (
            <p className="wrap-anywhere mb-6 max-w-[68ch] whitespace-pre-line">{description}</p>
          )}
          <DefinitionList items={itemsOf(agent)} />
        </Section>
        <PaidBy plans={plans} />
      </div>
      <Section id="agent-next" title="Next steps">
        <div className="flex flex-wrap gap-2">
          <ButtonLink href={`${base}/checks`}>Run checks</ButtonLink>
          <ButtonLink href={`${base}/code`}>View code</ButtonLink>
          <ButtonLink
            href={activityHref({
              role: "builder",
              range: "30d",
              money: [],
              agentId: agent.agentId,
            })}
          >
            View activity
          </ButtonLink>
          <ButtonLink href={`/playground?agent=${agent.agentId}`}>Test in playground</ButtonLink>
        </div>
      </Section>
    </>
  );
}

function itemsOf({ agentId, metadata, createdAt, updatedAt }: Agent): Definitions {
  const { agentDefinitionUrl, endpoints, openEndpoints, authType } = metadata.agent;
  const { author, license, sampleLink, tags = [] } = metadata.main;
  return {
    "Agent ID": <Identifier value={agentId} name="agent ID" />,
    Definition: agentDefinitionUrl ? <WebLink href={agentDefinitionUrl} /> : "None yet",
    Endpoints: (
      <TextLink href={`/agents/${agentId}/endpoints`}>
        {endpoints.length} paid, {openEndpoints.length} free
      </TextLink>
    ),
    Access: AUTH_TYPE_LABELS[authType],
    Author: author,
    License: license,
    Sample: sampleLink && <WebLink href={sampleLink} />,
    Tags: tags.length > 0 && <TagList tags={tags} />,
    Registered: <TimeAgo at={createdAt} />,
    Updated: <TimeAgo at={updatedAt} />,
  };
}

function PaidBy({ plans }: Pick<AgentOverviewProps, "plans">) {
  return (
    <Card className="self-start lg:mt-8">
      <h2 className="text-h3">Plans</h2>
      {plans.length > 0 ? (
        <ul className="mt-2">
          {plans.map(({ planId, name, price, isArchived }) => (
            <li key={planId} className="border-line py-2 not-last:border-b">
              <NearLink className="link wrap-anywhere font-medium" href={`/plans/${planId}`}>
                {name}
              </NearLink>{" "}
              {isArchived && <Tag>Archived</Tag>}
              <p className="text-ink-2 text-note">{price}</p>
            </li>
          ))}
        </ul>
      ) : (
        <p className="mt-2 text-ink-2">No plan linked yet.</p>
      )}
    </Card>
  );
}

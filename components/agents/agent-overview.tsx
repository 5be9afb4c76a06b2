import type { Agent } from "@turnpike/payments/protocol";
import Link from "next/link";
import { ButtonLink } from "../ui/button-link.tsx";
import { Card } from "../ui/card.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page-header.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { Tag } from "../ui/values/tag.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { WebLink } from "../ui/web-link.tsx";
import type { PlanChoice } from "./agent-types.ts";

const ACCESS = { NONE: "No login of its own", BASIC: "Basic", BEARER: "Bearer" } as const;

/** What an agent is, where it is and who pays for it. */
export function AgentOverview({ agent, plans }: { agent: Agent; plans: readonly PlanChoice[] }) {
  const { main, agent: api } = agent.metadata;
  const base = `/agents/${agent.agentId}`;
  return (
    <>
      {plans.length === 0 && (
        <div className="mb-6">
          <Notice
            tone="unsettled"
            title="No plan pays for this agent."
            action={<ButtonLink href={`${base}/plans`}>Link a plan</ButtonLink>}
          >
            Nobody can buy what it answers until one is linked.
          </Notice>
        </div>
      )}
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0">
          {main.description && (
            <p className="wrap-anywhere mb-6 max-w-[68ch] whitespace-pre-line">
              {main.description}
            </p>
          )}
          <DefinitionList
            items={[
              { term: "Agent id", value: <Identifier value={agent.agentId} name="agent id" /> },
              {
                term: "Definition",
                value: api.agentDefinitionUrl ? (
                  <WebLink href={api.agentDefinitionUrl} />
                ) : (
                  "None yet"
                ),
              },
              {
                term: "Endpoints",
                value: (
                  <Link className="link" href={`${base}/endpoints`}>
                    {api.endpoints.length} paid, {api.openEndpoints.length} open
                  </Link>
                ),
              },
              { term: "Access", value: ACCESS[api.authType] },
              ...(main.author ? [{ term: "Author", value: main.author }] : []),
              ...(main.license ? [{ term: "Licence", value: main.license }] : []),
              ...(main.sampleLink
                ? [{ term: "Sample", value: <WebLink href={main.sampleLink} /> }]
                : []),
              ...(main.tags && main.tags.length > 0
                ? [
                    {
                      term: "Tags",
                      value: (
                        <span className="flex flex-wrap gap-1">
                          {main.tags.map((tag) => (
                            <Tag key={tag} className="wrap-anywhere h-auto whitespace-normal">
                              {tag}
                            </Tag>
                          ))}
                        </span>
                      ),
                    },
                  ]
                : []),
              { term: "Registered", value: <TimeAgo at={agent.createdAt} /> },
              { term: "Changed", value: <TimeAgo at={agent.updatedAt} /> },
            ]}
          />
        </div>
        <Card className="self-start">
          <h2 className="text-h3">Paid by</h2>
          {plans.length > 0 ? (
            <ul className="mt-2">
              {plans.map(({ planId, name, price }) => (
                <li key={planId} className="border-line py-2 not-last:border-b">
                  <Link className="link wrap-anywhere font-medium" href={`/plans/${planId}`}>
                    {name}
                  </Link>
                  <p className="text-ink-2 text-note">{price}</p>
                </li>
              ))}
            </ul>
          ) : (
            <p className="mt-2 text-ink-2">No plan yet.</p>
          )}
        </Card>
      </div>
      <Section id="agent-next" title="Next">
        <div className="flex flex-wrap gap-2">
          <ButtonLink href={`${base}/checks`}>Run checks</ButtonLink>
          <ButtonLink href={`${base}/code`}>Gating code</ButtonLink>
          <ButtonLink href={`/activity?agentId=${agent.agentId}`}>See its calls</ButtonLink>
          <ButtonLink href={`/playground?agent=${agent.agentId}`}>Test in playground</ButtonLink>
        </div>
      </Section>
    </>
  );
}

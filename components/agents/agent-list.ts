import type { Agent } from "@turnpike/payments/protocol";
import { canParseUrl } from "@turnpike/payments/protocol";
import { isHostedDefinition } from "@/lib/console/hosted-definition.ts";
import {
  hasWords,
  type ListPage,
  type ListQuery,
  oneOf,
  pageOf,
  readListQuery,
} from "../list-query.ts";
import type { SearchParams } from "../search-params.ts";

export type AgentRow = {
  agentId: string;
  name: string;
  host: string;
  paid: number;
  open: number;
  plans: number;
  createdAt: string;
};

export const AGENT_CHOICES = ["plans", "definition", "archived"] as const;

export type AgentListQuery = ListQuery & {
  /** Only agents without a plan or a definition, or archived ones, which no other list shows. */
  only?: (typeof AGENT_CHOICES)[number];
};

export function readAgentListQuery(params: SearchParams): AgentListQuery {
  const only = oneOf(params.only, AGENT_CHOICES);
  return { ...readListQuery(params), ...(only && { only }) };
}

function rowOfAgent(agent: Agent): AgentRow {
  const { endpoints, openEndpoints } = agent.metadata.agent;
  return {
    agentId: agent.agentId,
    name: agent.metadata.main.name,
    host: hostOf(agent),
    paid: endpoints.length,
    open: openEndpoints.length,
    plans: agent.plans.length,
    createdAt: agent.createdAt,
  };
}

function hostOf({ agentId, metadata: { agent } }: Agent): string {
  const { endpoints, agentDefinitionUrl: definition = "" } = agent;
  const own = isHostedDefinition(definition, agentId) ? "" : definition;
  const urls = [...endpoints.flatMap(Object.values), own];
  const [first] = urls.filter((url): url is string => canParseUrl(url));
  return first ? new URL(first).host : "";
}

/** One page of the matching agents. `agents` are ordered newest first. */
export function selectAgents(agents: readonly Agent[], query: AgentListQuery): ListPage<AgentRow> {
  const matching = agents
    .filter(({ archivedAt }) => (archivedAt !== undefined) === (query.only === "archived"))
    .filter((agent) => query.only !== "plans" || agent.plans.length === 0)
    .filter((one) => query.only !== "definition" || !one.metadata.agent.agentDefinitionUrl)
    .map(rowOfAgent)
    .filter(({ name, host, agentId }) => hasWords(`${name} ${host} ${agentId}`, query.q));
  return pageOf(matching, ({ agentId }) => agentId, query);
}

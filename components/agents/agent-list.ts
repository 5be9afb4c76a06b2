import type { Agent } from "@turnpike/payments/protocol";
import type { SearchParams } from "../search-params.ts";

/** An agent as the list shows it. */
export type AgentRow = {
  agentId: string;
  name: string;
  host: string;
  paid: number;
  open: number;
  plans: number;
  createdAt: string;
};

export const AGENT_SORTS = ["newest", "oldest", "name"] as const;
export type AgentSort = (typeof AGENT_SORTS)[number];

export const AGENT_CHOICES = ["plans", "definition", "archived"] as const;
export type AgentChoice = (typeof AGENT_CHOICES)[number];

/** The list's search, filters and order, kept in the URL. */
export type AgentListQuery = {
  q?: string;
  /** Only agents without a plan or a definition, or archived ones, which no other list shows. */
  only?: AgentChoice;
  sort: AgentSort;
  /** The last agent of the previous page. */
  after?: string;
};

const MAX_SEARCH = 100;
const AGENT_PAGE = 25;

export function readAgentListQuery(params: SearchParams): AgentListQuery {
  const text = (key: string) => (typeof params[key] === "string" ? params[key].trim() : "");
  const q = text("q").slice(0, MAX_SEARCH);
  const sort = AGENT_SORTS.find((one) => one === text("sort")) ?? "newest";
  const only = AGENT_CHOICES.find((one) => one === text("only"));
  const after = text("after");
  return { sort, ...(q && { q }), ...(only && { only }), ...(after && { after }) };
}

/** The list's URL after a change, which starts at the first page. */
export function agentListHref(query: AgentListQuery, change: Partial<AgentListQuery>): string {
  const { sort, ...next } = { ...query, after: undefined, ...change };
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(next)) if (value) params.set(key, value);
  if (sort !== "newest") params.set("sort", sort);
  return params.size > 0 ? `/agents?${params}` : "/agents";
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

function hostOf({ metadata: { agent } }: Agent): string {
  const urls = [...agent.endpoints.flatMap(Object.values), agent.agentDefinitionUrl ?? ""];
  const [first] = urls.filter((url): url is string => URL.canParse(url));
  return first ? new URL(first).host : "";
}

/** One page of the matching agents. `agents` are ordered newest first. */
export function selectAgents(agents: readonly Agent[], query: AgentListQuery) {
  const words = (query.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const matching = agents
    .filter(({ archivedAt }) => (archivedAt !== undefined) === (query.only === "archived"))
    .filter((agent) => query.only !== "plans" || agent.plans.length === 0)
    .filter((one) => query.only !== "definition" || !one.metadata.agent.agentDefinitionUrl)
    .map(rowOfAgent)
    .filter((row) => {
      const text = `${row.name} ${row.host} ${row.agentId}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  const sorted = matching.toSorted((one, other) => {
    if (query.sort === "name") return one.name.localeCompare(other.name, "en");
    return query.sort === "oldest" ? one.createdAt.localeCompare(other.createdAt) : 0;
  });
  const start = query.after ? sorted.findIndex(({ agentId }) => agentId === query.after) + 1 : 0;
  const rows = sorted.slice(start, start + AGENT_PAGE);
  const older = start + AGENT_PAGE < sorted.length ? rows.at(-1)?.agentId : undefined;
  return {
    rows,
    total: sorted.length,
    ...(start > 0 && { newer: sorted[start - AGENT_PAGE - 1]?.agentId ?? "" }),
    ...(older && { older }),
  };
}

import { read } from "@/app/_session/operations.ts";
import { AgentFilters } from "@/components/agents/agent-filters.tsx";
import {
  type AgentListQuery,
  readAgentListQuery,
  selectAgents,
} from "@/components/agents/agent-list.ts";
import { AgentTable } from "@/components/agents/agent-table.tsx";
import { changedHref } from "@/components/list-query.ts";
import type { Searched } from "@/components/search-params.ts";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { NothingFits, noMatches } from "@/components/ui/fields/nothing-fits.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { plural } from "@/lib/text/plural.ts";
import { readAll } from "../read-all.ts";

export const metadata = { title: "Agents" };

export default async function AgentsPage({ searchParams }: Searched) {
  const query = readAgentListQuery(await searchParams);
  const { items: agents, isWhole } = await readAll((page) => read("listAgents", page));
  const page = selectAgents(agents, query);
  const hasAny = agents.length > 0;
  const hrefAfter = (after: string | undefined) =>
    after === undefined ? undefined : changedHref("/agents", query, { after });
  return (
    <>
      <PageHeader
        title="Agents"
        actions={
          hasAny && (
            <ButtonLink look="primary" href="/agents/new">
              Register an agent
            </ButtonLink>
          )
        }
      >
        Your agents and the plans that sell access to them.
      </PageHeader>
      {hasAny && <AgentFilters query={query} />}
      <AgentTable
        rows={page.rows}
        foot={footOf(page.total, isWhole)}
        pages={{ label: "agents", newer: hrefAfter(page.newer), older: hrefAfter(page.older) }}
        empty={
          hasAny ? (
            <NothingHere query={query} isWhole={isWhole} />
          ) : (
            <NothingYet
              title="No agents yet"
              action="Register an agent"
              href="/agents/new"
              example="/"
            >
              Register an agent by its URL. Turnpike reads its definition and checks which endpoints
              require payment.
            </NothingYet>
          )
        }
      />
    </>
  );
}

const footOf = (total: number, isWhole: boolean) =>
  `${plural(total, "agent")}${isWhole ? "" : " among your newest 1,000"}`;

function NothingHere({ query, isWhole }: { query: AgentListQuery; isWhole: boolean }) {
  return (
    <NothingFits
      title={noMatches("agents", query.q)}
      clear="/agents"
      searched={!isWhole && "newest 1,000 agents"}
      filters={[
        query.only &&
          (query.only === "archived"
            ? "archived"
            : `no ${query.only === "plans" ? "plan" : "definition"}`),
      ]}
    />
  );
}

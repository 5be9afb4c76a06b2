"use client";

import { ListFilters } from "../list-filters.tsx";
import { changedHref } from "../list-query.ts";
import { AGENT_CHOICES, type AgentListQuery } from "./agent-list.ts";

const ONLY_WORDS = { plans: "No plan", definition: "No definition", archived: "Archived" } as const;

export function AgentFilters({ query }: { query: AgentListQuery }) {
  const hrefOf = (change: Partial<AgentListQuery>) => changedHref("/agents", query, change);
  const { only, sort } = query;
  const chip = only && {
    key: "only",
    field: "Only",
    value: ONLY_WORDS[only],
    remove: hrefOf({ only: undefined }),
  };
  const choices = AGENT_CHOICES.map((one) => ({
    label: ONLY_WORDS[one],
    href: hrefOf({ only: one }),
  }));
  return (
    <ListFilters
      label="Search agents"
      placeholder="Search by name, host or ID"
      query={query}
      hrefOf={hrefOf}
      chips={chip ? [chip] : []}
      addable={chip ? [] : choices}
      clear={changedHref("/agents", { sort }, {})}
      hasSorts
    />
  );
}

"use client";

import { useRouter } from "next/navigation";
import { useRef } from "react";
import { useShortcuts } from "../shell/use-shortcuts.ts";
import { FilterChips } from "../ui/fields/filter-chips.tsx";
import { SearchField } from "../ui/fields/search-field.tsx";
import { Select } from "../ui/fields/select.tsx";
import {
  AGENT_CHOICES,
  AGENT_SORTS,
  type AgentListQuery,
  type AgentSort,
  agentListHref,
} from "./agent-list.ts";

const SORT_WORDS: Record<AgentSort, string> = {
  newest: "Newest first",
  oldest: "Oldest first",
  name: "By name",
};
const ONLY_WORDS = { plans: "No plan", definition: "No definition", archived: "Archived" } as const;

/** Search, filters and order of the list, kept in the URL. `/` focuses the search. */
export function AgentFilters({ query }: { query: AgentListQuery }) {
  const router = useRouter();
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ "/": () => field.current?.focus() });
  const go = (change: Partial<AgentListQuery>) =>
    router.replace(agentListHref(query, change), { scroll: false });
  const { only } = query;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <SearchField
        ref={field}
        label="Search agents"
        placeholder="Search by name, host or ID"
        q={query.q ?? ""}
        onSearch={(q) => go({ q: q || undefined })}
      />
      <FilterChips
        chips={
          only
            ? [
                {
                  key: "only",
                  field: "Only",
                  value: ONLY_WORDS[only],
                  remove: agentListHref(query, { only: undefined }),
                },
              ]
            : []
        }
        addable={
          only
            ? []
            : AGENT_CHOICES.map((one) => ({
                label: ONLY_WORDS[one],
                href: agentListHref(query, { only: one }),
              }))
        }
        clear={agentListHref({ sort: query.sort }, {})}
      />
      <Select
        label="Order"
        className="ms-auto w-auto max-sm:ms-0"
        options={AGENT_SORTS.map((sort) => ({ value: sort, label: SORT_WORDS[sort] }))}
        value={query.sort}
        onValueChange={(sort) => go({ sort: sort as AgentSort })}
      />
    </div>
  );
}

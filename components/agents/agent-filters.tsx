"use client";

import { useRouter } from "next/navigation";
import { useRef } from "react";
import { useShortcuts } from "../shell/use-shortcuts.ts";
import { FilterChips } from "../ui/fields/filter-chips.tsx";
import { SearchField } from "../ui/fields/search-field.tsx";
import { Select } from "../ui/fields/select.tsx";
import { AGENT_SORTS, type AgentListQuery, type AgentSort, agentListHref } from "./agent-list.ts";

const SORT_WORDS: Record<AgentSort, string> = {
  newest: "Newest first",
  oldest: "Oldest first",
  name: "By name",
};
const WITHOUT_WORDS = { plans: "no plan", definition: "no definition" } as const;

/** Search, filters and order of the list, kept in the URL. `/` focuses the search. */
export function AgentFilters({ query }: { query: AgentListQuery }) {
  const router = useRouter();
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ "/": () => field.current?.focus() });
  const go = (change: Partial<AgentListQuery>) =>
    router.replace(agentListHref(query, change), { scroll: false });
  const { without } = query;
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
          without
            ? [
                {
                  key: "without",
                  field: "Has",
                  value: WITHOUT_WORDS[without],
                  remove: agentListHref(query, { without: undefined }),
                },
              ]
            : []
        }
        addable={
          without
            ? []
            : (["plans", "definition"] as const).map((one) => ({
                label: `Has ${WITHOUT_WORDS[one]}`,
                href: agentListHref(query, { without: one }),
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

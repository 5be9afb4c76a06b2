"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { useShortcuts } from "../shell/use-shortcuts.ts";
import { FilterChips } from "../ui/filter-chips.tsx";
import { Select } from "../ui/select.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { AGENT_SORTS, type AgentListQuery, type AgentSort, agentListHref } from "./agent-list.ts";

const SORT_WORDS: Record<AgentSort, string> = {
  newest: "Newest first",
  oldest: "Oldest first",
  name: "By name",
};
const WITHOUT_WORDS = { plans: "no plan", definition: "no definition" } as const;
const TYPING_MS = 300;

/** Search, filters and order of the list, all of it in the URL. `/` goes to the search, `n` registers. */
export function AgentFilters({ query }: { query: AgentListQuery }) {
  const router = useRouter();
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [text, setText] = useState(query.q ?? "");
  useShortcuts({ "/": () => field.current?.focus(), n: () => router.push("/agents/new") });
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => setText(query.q ?? ""), [query.q]);
  const go = (change: Partial<AgentListQuery>) =>
    router.replace(agentListHref(query, change), { scroll: false });
  const search = (next: string) => {
    clearTimeout(timer.current);
    if (next.trim() !== (query.q ?? "")) go({ q: next.trim() || undefined });
  };
  const { without } = query;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <search className="w-full sm:w-64">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            search(text);
          }}
        >
          <TextInput
            ref={field}
            type="search"
            name="q"
            aria-label="Search agents"
            placeholder="Search by name, host or id"
            autoComplete="off"
            maxLength={100}
            value={text}
            onChange={(event) => {
              const { value } = event.target;
              setText(value);
              clearTimeout(timer.current);
              timer.current = setTimeout(() => search(value), TYPING_MS);
            }}
          />
        </form>
      </search>
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

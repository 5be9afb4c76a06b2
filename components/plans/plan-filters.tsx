"use client";

import { useRouter } from "next/navigation";
import { useRef } from "react";
import { useShortcuts } from "../shell/use-shortcuts.ts";
import { FilterChips } from "../ui/fields/filter-chips.tsx";
import { SearchField } from "../ui/fields/search-field.tsx";
import { Select } from "../ui/fields/select.tsx";
import { PLAN_STATES, type PlanListQuery, planListHref, SORTS, type Sort } from "./plan-list.ts";
import { RAIL_WORDS, RAILS } from "./rails.ts";

const STATE_WORDS = {
  listed: "Listed",
  unlisted: "Unlisted",
  draft: "Draft",
  archived: "Archived",
};
const SORT_WORDS: Record<Sort, string> = {
  newest: "Newest first",
  oldest: "Oldest first",
  name: "By name",
};

type PlanFiltersProps = {
  path: string;
  query: PlanListQuery;
  /** Whether the list can be filtered by state. */
  hasStates?: boolean;
  /** Whether it can be filtered by proved domains. */
  hasDomains?: boolean;
  hasSorts?: boolean;
};

/** Search, filters and order of a list of plans, kept in the URL. `/` focuses the search. */
export function PlanFilters({ path, query, hasStates, hasDomains, hasSorts }: PlanFiltersProps) {
  const router = useRouter();
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ "/": () => field.current?.focus() });
  const go = (change: Partial<PlanListQuery>) =>
    router.replace(planListHref(path, query, change), { scroll: false });
  const chips = [
    hasStates &&
      query.state && {
        key: "state",
        field: "State",
        value: STATE_WORDS[query.state],
        remove: planListHref(path, query, { state: undefined }),
      },
    query.rail && {
      key: "rail",
      field: "Paid with",
      value: RAIL_WORDS[query.rail],
      remove: planListHref(path, query, { rail: undefined }),
    },
    query.domain && {
      key: "domain",
      field: "Domain",
      value: "Verified",
      remove: planListHref(path, query, { domain: undefined }),
    },
  ].filter((chip) => typeof chip === "object");
  const addable = [
    ...(hasStates && !query.state
      ? PLAN_STATES.map((state) => ({
          label: `State: ${STATE_WORDS[state]}`,
          href: planListHref(path, query, { state }),
        }))
      : []),
    ...(hasDomains && !query.domain
      ? [
          {
            label: "Domain: Verified",
            href: planListHref(path, query, { domain: "verified" }),
          },
        ]
      : []),
    ...(query.rail
      ? []
      : RAILS.map((rail) => ({
          label: `Paid with: ${RAIL_WORDS[rail]}`,
          href: planListHref(path, query, { rail }),
        }))),
  ];
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <SearchField
        key={path}
        ref={field}
        label="Search plans"
        placeholder="Search by name or ID"
        q={query.q ?? ""}
        onSearch={(q) => go({ q: q || undefined })}
      />
      <FilterChips
        chips={chips}
        addable={addable}
        clear={planListHref(path, { sort: query.sort }, {})}
      />
      {hasSorts && (
        <Select
          label="Order"
          className="ms-auto w-auto max-sm:ms-0"
          options={SORTS.map((sort) => ({ value: sort, label: SORT_WORDS[sort] }))}
          value={query.sort}
          onValueChange={(sort) => go({ sort: sort as Sort })}
        />
      )}
    </div>
  );
}

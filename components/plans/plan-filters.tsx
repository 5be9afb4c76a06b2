"use client";

import { ListFilters } from "../list-filters.tsx";
import { changedHref } from "../list-query.ts";
import { PLAN_STATES, type PlanListQuery } from "./plan-list.ts";
import { RAIL_WORDS, RAILS } from "./rails.ts";

const STATE_WORDS = {
  listed: "Listed",
  unlisted: "Unlisted",
  draft: "Draft",
  archived: "Archived",
};

type PlanFiltersProps = {
  path: string;
  query: PlanListQuery;
  hasStates?: boolean;
  hasDomains?: boolean;
  hasSorts?: boolean;
};

export function PlanFilters({ path, query, hasStates, hasDomains, hasSorts }: PlanFiltersProps) {
  const hrefOf = (change: Partial<PlanListQuery>) => changedHref(path, query, change);
  const chips = [
    hasStates &&
      query.state && {
        key: "state",
        field: "State",
        value: STATE_WORDS[query.state],
        remove: hrefOf({ state: undefined }),
      },
    query.rail && {
      key: "rail",
      field: "Paid with",
      value: RAIL_WORDS[query.rail],
      remove: hrefOf({ rail: undefined }),
    },
    query.domain && {
      key: "domain",
      field: "Domain",
      value: "Verified",
      remove: hrefOf({ domain: undefined }),
    },
  ].filter((chip) => typeof chip === "object");
  const addable = [
    ...(hasStates && !query.state ? PLAN_STATES : []).map((state) => ({
      label: `State: ${STATE_WORDS[state]}`,
      href: hrefOf({ state }),
    })),
    ...(hasDomains && !query.domain
      ? [{ label: "Domain: Verified", href: hrefOf({ domain: "verified" }) }]
      : []),
    ...(query.rail ? [] : RAILS).map((rail) => ({
      label: `Paid with: ${RAIL_WORDS[rail]}`,
      href: hrefOf({ rail }),
    })),
  ];
  return (
    <ListFilters
      key={path}
      label="Search plans"
      placeholder="Search by name or ID"
      query={query}
      hrefOf={hrefOf}
      chips={chips}
      addable={addable}
      clear={changedHref(path, { sort: query.sort }, {})}
      hasSorts={hasSorts}
    />
  );
}

import type { Plan } from "@turnpike/payments/protocol";
import {
  hasWords,
  type ListPage,
  type ListQuery,
  oneOf,
  pageOf,
  readListQuery,
} from "../list-query.ts";
import type { SearchParams } from "../search-params.ts";
import { RAILS, type Rail } from "./rails.ts";

export type PlanRow = {
  planId: string;
  name: string;
  price: string;
  grant: string;
  rail: Rail;
  state: PlanRowState;
  isTrial: boolean;
  version: number;
  createdAt: string;
};

export const PLAN_STATES = ["listed", "unlisted", "draft", "archived"] as const;
export type PlanRowState = (typeof PLAN_STATES)[number];

/** An archived plan's state is that alone. */
export const stateOf = ({ state, archivedAt }: Pick<Plan, "state" | "archivedAt">): PlanRowState =>
  archivedAt ? "archived" : state;

/** A list's search, filters and order, kept in the URL. */
export type PlanListQuery = ListQuery & {
  /** Archived plans are shown only when asked for. */
  state?: PlanRowState;
  rail?: Rail;
  /** Only plans of an agent whose domain is proved. */
  domain?: "verified";
};

/** Reads the query; unknown values are ignored. */
export function readPlanListQuery(params: SearchParams): PlanListQuery {
  const state = oneOf(params.state, PLAN_STATES);
  const rail = oneOf(params.rail, RAILS);
  const domain = oneOf(params.domain, ["verified"] as const);
  return {
    ...readListQuery(params),
    ...(state && { state }),
    ...(rail && { rail }),
    ...(domain && { domain }),
  };
}

/** One page of the matching plans. `plans` are ordered newest first. */
export function selectPlans(plans: readonly PlanRow[], query: PlanListQuery): ListPage<PlanRow> {
  const { q, state, rail } = query;
  const matching = plans.filter(
    (row) =>
      hasWords(`${row.name} ${row.planId}`, q) &&
      (state ? row.state === state : row.state !== "archived") &&
      (!rail || row.rail === rail),
  );
  return pageOf(matching, ({ planId }) => planId, query);
}

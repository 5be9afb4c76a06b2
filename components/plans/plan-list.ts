import type { Plan } from "@turnpike/payments/protocol";
import type { SearchParams } from "../search-params.ts";
import { RAILS, type Rail } from "./rails.ts";

/** A plan as a list shows it. */
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

export const SORTS = ["newest", "oldest", "name"] as const;
export type Sort = (typeof SORTS)[number];
export const PLAN_STATES = ["listed", "unlisted", "draft", "archived"] as const;
export type PlanRowState = (typeof PLAN_STATES)[number];

/** An archived plan's state is that alone. */
export const stateOf = ({ state, archivedAt }: Pick<Plan, "state" | "archivedAt">): PlanRowState =>
  archivedAt ? "archived" : state;

/** A list's search, filters and order, kept in the URL. */
export type PlanListQuery = {
  q?: string;
  /** Archived plans are shown only when asked for. */
  state?: PlanRowState;
  rail?: Rail;
  /** Only plans of an agent whose domain is proved. */
  domain?: "verified";
  sort: Sort;
  /** The last plan of the previous page. */
  after?: string;
};

const one = <T extends string>(value: unknown, choices: readonly T[]): T | undefined =>
  choices.find((choice) => choice === value);

const MAX_SEARCH = 100;

/** Reads the query; unknown values are ignored. */
export function readPlanListQuery(params: SearchParams): PlanListQuery {
  const q = typeof params.q === "string" ? params.q.trim().slice(0, MAX_SEARCH) : "";
  const state = one(params.state, PLAN_STATES);
  const rail = one(params.rail, RAILS);
  const domain = one(params.domain, ["verified"] as const);
  const after = typeof params.after === "string" ? params.after : undefined;
  return {
    sort: one(params.sort, SORTS) ?? "newest",
    ...(q && { q }),
    ...(state && { state }),
    ...(rail && { rail }),
    ...(domain && { domain }),
    ...(after && { after }),
  };
}

/** The list's URL after a change, which starts at the first page. */
export function planListHref(path: string, query: PlanListQuery, change: Partial<PlanListQuery>) {
  const { sort, ...next } = { ...query, after: undefined, ...change };
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(next)) if (value) params.set(key, value);
  if (sort !== "newest") params.set("sort", sort);
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

export const PAGE_SIZE = 25;

export type PlanPage = {
  rows: PlanRow[];
  /** How many match the filters. */
  total: number;
  /** The cursor of the previous page: absent on the first page, empty when the previous page is the first. */
  newer?: string;
  older?: string;
};

/** One page of the matching plans. `plans` are ordered newest first. */
export function selectPlans(plans: readonly PlanRow[], query: PlanListQuery): PlanPage {
  const { q = "", state, rail, sort, after } = query;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = plans.filter((row) => {
    const text = `${row.name.toLowerCase()} ${row.planId}`;
    const isFound = words.every((word) => text.includes(word));
    return (
      isFound &&
      (state ? row.state === state : row.state !== "archived") &&
      (!rail || row.rail === rail)
    );
  });
  const sorted = sort === "newest" ? matching : matching.toSorted(ORDERS[sort]);
  const start = after ? sorted.findIndex(({ planId }) => planId === after) + 1 : 0;
  const rows = sorted.slice(start, start + PAGE_SIZE);
  const older = start + PAGE_SIZE < sorted.length ? rows.at(-1)?.planId : undefined;
  const before = sorted[start - PAGE_SIZE - 1]?.planId ?? "";
  return {
    rows,
    total: sorted.length,
    ...(start > 0 && { newer: before }),
    ...(older && { older }),
  };
}

const ORDERS: Record<Exclude<Sort, "newest">, (one: PlanRow, other: PlanRow) => number> = {
  oldest: (one, other) => one.createdAt.localeCompare(other.createdAt),
  name: (one, other) => one.name.localeCompare(other.name, "en"),
};

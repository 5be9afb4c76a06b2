import {
  Address,
  AgentId,
  FigureRange,
  type InputOf,
  Instant,
  type MoneyStatus,
  PlanId,
  RequestQuery,
  Role,
} from "@turnpike/payments/protocol";
import type { z } from "zod";

/** What the list of requests stands under; all of it lives in the URL. */
export type ActivityFilter = {
  role: Role;
  range: FigureRange;
  /** A part of the range, picked in the chart. */
  since?: string;
  until?: string;
  planId?: string;
  agentId?: string;
  money: MoneyStatus[];
  httpStatus?: string;
  payer?: string;
  search?: string;
};

export type SearchParams = Readonly<Record<string, string | string[] | undefined>>;

/** The names the filter's members have in the URL. */
const NAMES = {
  role: "role",
  range: "range",
  since: "since",
  until: "until",
  planId: "plan",
  agentId: "agent",
  money: "money",
  httpStatus: "http",
  payer: "payer",
  search: "q",
} as const satisfies Record<keyof ActivityFilter, string>;

/** Reads a filter from a URL. What cannot be read is left out: an old link still shows a list. */
export function readActivityFilter(params: SearchParams, role: Role): ActivityFilter {
  const take = <T>(schema: z.ZodType<T>, name: string): T | undefined => {
    const [given] = [params[name]].flat();
    if (given === undefined || given === "") return undefined;
    const parsed = schema.safeParse(given);
    return parsed.success ? parsed.data : undefined;
  };
  const optional = {
    since: take(Instant, NAMES.since),
    until: take(Instant, NAMES.until),
    planId: take(PlanId, NAMES.planId),
    agentId: take(AgentId, NAMES.agentId),
    httpStatus: take(RequestQuery.shape.httpStatus, NAMES.httpStatus),
    payer: take(Address, NAMES.payer),
    search: take(RequestQuery.shape.search, NAMES.search),
  };
  return {
    role: take(Role, NAMES.role) ?? role,
    range: take(FigureRange, NAMES.range) ?? "24h",
    money: take(RequestQuery.shape.moneyStatus, NAMES.money) ?? [],
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== undefined),
    ) as typeof optional),
  };
}

/** The filter as a query string, without its question mark. */
export function activityQuery(filter: ActivityFilter): string {
  const query = new URLSearchParams();
  for (const [member, name] of Object.entries(NAMES)) {
    const value = filter[member as keyof ActivityFilter];
    const text = Array.isArray(value) ? value.join(",") : value;
    if (text) query.set(name, text);
  }
  // A comma is allowed in a query and is easier to read there than its escape.
  return query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
}

/** Where the list stands under a filter, with one or more of its members changed. */
export const activityHref = (
  filter: ActivityFilter,
  change: Partial<Record<keyof ActivityFilter, unknown>> = {},
  path = "/activity",
): string => `${path}?${activityQuery({ ...filter, ...change } as ActivityFilter)}`;

/** The same filter as the service is asked; a range begins where its chart does. */
export function requestQuery(
  { range: _, money, ...filter }: ActivityFilter,
  rangeSince: string,
): InputOf<"listRequests"> {
  return {
    ...filter,
    since: filter.since ?? rangeSince,
    ...(money.length > 0 && { moneyStatus: money }),
  };
}

/** The filter without what can be taken away one by one. */
export const clearedFilter = ({ role, range }: ActivityFilter): ActivityFilter => ({
  role,
  range,
  money: [],
});

export const isFiltered = (filter: ActivityFilter): boolean =>
  activityQuery(filter) !== activityQuery(clearedFilter(filter));
